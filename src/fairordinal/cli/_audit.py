"""`fairordinal audit`: is a predictor fair?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import fairordinal
from fairordinal._audit import Audit, Finding, audit_counts
from fairordinal._progress import progress
from fairordinal._source import (
    Cells,
    Source,
    count_rows,
    missing_cells,
    order_of,
    read_labels,
    read_names,
)
from fairordinal._validation import check_fraction
from fairordinal.cli._columns import (
    Decimal,
    Encoding,
    File,
    Groups,
    Kept,
    Label,
    LeftOut,
    Missing,
    Order,
    Quiet,
    Separator,
    check_different,
    keep_whole,
    meant_columns,
    opened,
)
from fairordinal.cli._output import check_outputs, told, write_json, write_page
from fairordinal.cli._streams import show
from fairordinal.cli._tables import Html
from fairordinal.criteria import as_criterion

UNFAIR = 2  # exit code
MOST_PAIRS = 10_000  # of groups, that each notion has in the JSON file


def audit(
    file: File,
    y: Label,
    pred: Annotated[
        str, typer.Option(help="Column of predicted labels, or of scores.", metavar="COLUMN")
    ],
    group: Groups,
    counts: Annotated[
        str | None,
        typer.Option(help="Column that says how many rows each row stands for.", metavar="COLUMN"),
    ] = None,
    order: Order = None,
    criterion: Annotated[
        str, typer.Option(help="The notion that --max-violation speaks of.")
    ] = "demographic_parity",
    max_violation: Annotated[
        float | None, typer.Option(help="Exit with code 2 if the violation exceeds it.", min=0.0)
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="Hold the upper bound at this confidence against the limit."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all numbers there.", metavar="FILE")
    ] = None,
    html: Html = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    quiet: Quiet = False,
) -> None:
    """Audit predictions for fairness between groups.

    The file is read in a stream: its size does not matter. Exit code 0: fair within the limit, or
    no limit given; 2: above the limit, or not comparable; 1: an error.

    Examples
    --------
        fairordinal audit predictions.csv --y grade --pred predicted --group sex

        fairordinal audit counts.csv --y grade --pred predicted --group sex --counts n

        fairordinal audit p.parquet --y y --pred p --group sex --group race --max-violation 0.1
    """
    as_criterion(criterion)
    check_outputs({"--json": json_file, "--html": html}, [file])
    level = 0.95 if confidence is None else check_fraction(confidence, "--confidence")
    source = opened(file, separator, encoding, decimal, missing)
    with told(quiet):
        kept, labels = counted_columns(source, y, pred, group, counts, order)
        with kept.left_out.explained():
            result = audit_columns(kept, labels, group, level)
    show(str(result))
    kept.left_out.tell()
    if json_file:
        write_json(json_file, as_json(result, kept.left_out))
    if html:
        data = described(source.path.name, y, pred, group, kept.left_out)
        write_report(html, data, result, criterion, max_violation)
    if max_violation is not None:
        raise typer.Exit(gate(result, criterion, max_violation, bounded=confidence is not None))


def counted_columns(
    source: Source, y: str, pred: str, groups: list[str], counts: str | None, order: str | None
) -> tuple[Kept, list[Any]]:
    """Distinct rows by column, and the labels in order."""
    check_different({"--y": y, "--pred": pred, "--group": groups, "--counts": counts})
    named = {y: source.column(y, "--y"), pred: source.column(pred, "--pred")}
    named |= {name: source.column(name, "--group") for name in groups}
    weight = source.column(counts, "--counts") if counts else None
    with progress(f"reading {source.path.name}") as state:
        told = (lambda n: state(f"{n:,} rows")) if state else None
        found = count_rows(source, [*named.values()], count=weight, say=told)
    written = {name: found.columns[there] for name, there in named.items()}
    meant = meant_columns(source, written, [y, pred], order)
    true, predicted = (
        read_labels(meant[name].to_pylist(), source.decimal, order) for name in (y, pred)
    )
    labels = order_of(source, named[y], true, order, "--y")
    labels.check(true, "--y")
    if not (predicted.are_numbers and true.are_numbers):
        _check_scores(predicted, labels.labels)
        labels.check(predicted, "--pred")
    columns = {y: true.values, pred: predicted.values}
    columns |= {name: read_names(meant[name].to_pylist()) for name in groups}
    missing = missing_cells(written, meant, found.counts)
    return keep_whole(columns, missing, found.counts), labels.labels


def _check_scores(predicted: Cells, labels: list[Any]) -> None:
    """Say which cell makes names of a column of scores."""
    strange = predicted.strange
    if strange is not None and strange not in labels:
        raise ValueError(
            f"--pred: the column must hold labels or finite numbers, got {strange!r}. Correct it, "
            "or leave the cell empty."
        )


def audit_columns(kept: Kept, labels: list[Any], groups: list[str], confidence: float) -> Audit:
    """The audit of distinct rows; the column without a name holds their counts."""
    y, pred = [*kept.columns][:2]
    return audit_counts(
        {**kept.columns, "": kept.counts},
        y_true=y,
        y_pred=pred,
        sensitive_features=groups,
        count="",
        labels=labels,
        confidence=confidence,
    )


def gate(result: Audit, criterion: str, limit: float, *, bounded: bool) -> int:
    """The exit code, and a sentence that says why."""
    finding = result[criterion]
    held = finding.violation_interval[1] if bounded else finding.violation
    what = "upper bound of the violation" if bounded else "violation"
    undefined = len(finding.undefined) > 0
    if undefined:
        show(f"FAIL: {finding.criterion.title} is undefined for some groups.", err=True)
        return UNFAIR
    fair = bool(held <= limit)
    sign = "≤" if fair else ">"
    verdict = f"{finding.criterion.title}: {what} {held:.4g} {sign} {limit:g}"
    show(f"{'PASS' if fair else 'FAIL'}: {verdict}.", err=True)
    return 0 if fair else UNFAIR


def described(file: str, y: str, pred: str, groups: list[str], left_out: LeftOut) -> dict[str, str]:
    """The rows that were audited, for people."""
    columns = {"True labels": y, "Predictions": pred, "Groups by": ", ".join(groups)}
    return {"File": file, **columns, **({"Left out": str(left_out)} if left_out.cells else {})}


def write_report(
    path: Path, data: dict[str, str], result: Audit, criterion: str, limit: float | None
) -> None:
    """A page about the audit of a file."""
    from fairordinal.report import report

    page = report(
        result,
        criterion=criterion,
        max_violation=limit,
        title=f"Audit of {data['File']}",
        data=data,
    )
    write_page(path, page)


def as_json(result: Audit, left_out: LeftOut) -> dict[str, Any]:
    """All numbers of an audit."""
    return {
        "fairordinal": fairordinal.__version__,
        "missing": left_out.as_json(),
        "labels": result.table.labels,
        "confidence": result.confidence,
        "interval": result.interval,
        "findings": [
            {
                "criterion": finding.criterion.name,
                "violation": finding.violation,
                "violation_interval": finding.violation_interval,
                "pairs": finding.rows(_worst(finding)),
                "pairs_left_out": max(len(finding.places[0]) - MOST_PAIRS, 0),
            }
            for finding in result.findings
        ],
        "groups": result.group_columns(),
    }


def _worst(finding: Finding) -> Any:
    """All pairs of groups in order; of very many, the worst first, and those undefined last."""
    if len(finding.places[0]) <= MOST_PAIRS:
        return slice(None)
    return np.argsort(-finding.listed(finding.disparities), kind="stable")[:MOST_PAIRS]

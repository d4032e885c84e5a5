"""`fairordinal audit`: measure how fair the predictions in a file are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import fairordinal
from fairordinal._audit import Audit, Finding, audit_counts
from fairordinal._source import (
    CountColumn,
    TableFile,
    count_missing,
    count_rows,
    open_table,
    order_of,
    read_labels,
    read_names,
)
from fairordinal._support import progress
from fairordinal._validation import WEIGHTS, check_fraction, survey_weight
from fairordinal.cli._app import (
    Decimal,
    Encoding,
    File,
    Groups,
    Html,
    Json,
    Label,
    Missing,
    Order,
    Quiet,
    Separator,
    check_different,
)
from fairordinal.cli._input import CompleteRows, LeftOut, clean_columns, drop_incomplete
from fairordinal.cli._output import (
    check_outputs,
    progress_and_notes,
    show,
    write_json,
    write_page,
)
from fairordinal.cli._predictions import Predictions, read_predictions, wanted_reading
from fairordinal.criteria import as_criterion

UNFAIR = 2  # exit code
MOST_PAIRS = 10_000  # of groups, for each criterion in the JSON file


def audit(
    file: File,
    y: Label,
    pred: Annotated[
        str, typer.Option(help="Column of predicted labels, or of scores.", metavar="COLUMN")
    ],
    group: Groups,
    counts: Annotated[
        str | None,
        typer.Option(
            help="Column with the number of rows that each row stands for.", metavar="COLUMN"
        ),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of weights; see --weights.", metavar="COLUMN")
    ] = None,
    weights: Annotated[
        str,
        typer.Option(
            help="frequency: a weight of 2 is a row repeated twice, as with --counts. survey: it "
            "is one row that represents two people; intervals are those of the rows.",
            metavar="frequency|survey",
        ),
    ] = "frequency",
    order: Order = None,
    predictions: Annotated[
        str,
        typer.Option(
            help="What --pred holds. auto: numbers are labels if each is a true label, or if all "
            "are whole and more than half of the values of both columns are true labels.",
            metavar="auto|labels|scores",
        ),
    ] = "auto",
    scores: Annotated[bool, typer.Option("--scores", help="Same as --predictions scores.")] = False,
    criterion: Annotated[
        str, typer.Option(help="Criterion that --max-violation limits.")
    ] = "demographic_parity",
    max_violation: Annotated[
        float | None, typer.Option(help="Exit with code 2 if the violation exceeds it.", min=0.0)
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="Compare the upper bound at this confidence with the limit."),
    ] = None,
    json_file: Json = None,
    html: Html = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    quiet: Quiet = False,
) -> None:
    """Audit predictions for fairness between groups.

    The file is read as a stream, so that it may be larger than memory. Exit code 0: fair within the
    limit, or no limit given; 2: above the limit, or not comparable; 1: an error.

    Examples
    --------
        fairordinal audit predictions.csv --y grade --pred predicted --group sex

        fairordinal audit counts.csv --y grade --pred predicted --group sex --counts n

        fairordinal audit p.parquet --y y --pred p --group sex --group race --max-violation 0.1
    """
    as_criterion(criterion)
    wanted = wanted_reading(predictions, scores)
    counted = count_column(counts, weight, weights)
    check_outputs({"--json": json_file, "--html": html}, [file])
    level = 0.95 if confidence is None else check_fraction(confidence, "--confidence")
    table_file = open_table(
        file, separator=separator, encoding=encoding, decimal=decimal, missing=missing
    )
    with progress_and_notes(quiet):
        rows, found = count_columns(table_file, y, pred, group, counted, order, wanted)
        with rows.left_out.explained():
            result = audit_rows(rows, found, group, level)
    show(str(result))
    found.show_note(result)
    rows.left_out.show()
    if json_file:
        write_json(json_file, as_json(result, rows.left_out))
    if html:
        data = describe_data(table_file.path.name, y, pred, group, rows.left_out)
        data |= found.described(result)
        data |= {"Weights": f"{weight} ({weights})"} if weight else {}
        write_report(html, data, result, criterion, max_violation)
    if max_violation is not None:
        bounded = confidence is not None
        raise typer.Exit(compare_to_limit(result, criterion, max_violation, bounded=bounded))


def count_columns(
    file: TableFile,
    y: str,
    pred: str,
    groups: list[str],
    counted: CountColumn | None,
    order: str | None,
    wanted: str = "auto",
) -> tuple[CompleteRows, Predictions]:
    """Return the distinct rows of the columns, and how the predictions were read."""
    named_counts = {} if counted is None else {counted.option: counted.name}
    check_different({"--y": y, "--pred": pred, "--group": groups} | named_counts)
    named = {y: file.column(y, "--y"), pred: file.column(pred, "--pred")}
    named |= {name: file.column(name, "--group") for name in groups}
    if counted is not None:
        counted = counted._replace(name=file.column(counted.name, counted.option))
    with progress(f"reading {file.path.name}") as state:
        on_progress = (lambda n: state(f"{n:,} rows")) if state else None
        found = count_rows(file, [*named.values()], count=counted, on_progress=on_progress)
    raw = {name: found.columns[there] for name, there in named.items()}
    clean = clean_columns(file, raw, [y, pred], order)
    true = read_labels(clean[y].to_pylist(), file.decimal, order)
    labels = order_of(file, named[y], true, order, "--y")
    labels.check(true, "--y")
    predicted = read_predictions(
        clean[pred].to_pylist(), labels, wanted, found.counts, file.decimal, order
    )
    columns = {y: true.values, pred: predicted.values}
    columns |= {name: read_names(clean[name].to_pylist()) for name in groups}
    missing = count_missing(raw, clean, found.counts)
    rows = drop_incomplete(columns, missing, found.counts)
    return replace(rows, weights=[np.array(sums)[rows.places] for sums in found.weights]), predicted


def count_column(counts: str | None, weight: str | None, weights: str) -> CountColumn | None:
    """Return the column that --counts or --weight names."""
    if weights not in WEIGHTS:
        raise ValueError(f"--weights must be {' or '.join(WEIGHTS)}, got {weights!r}.")
    if counts is not None and weight is not None:
        raise ValueError("--counts and --weight both say what rows count; pass one of them.")
    if weights == "survey" and weight is None:
        raise ValueError("--weights survey needs --weight, the column of weights.")
    if weight is not None:
        return CountColumn(weight, "--weight", weights == "survey")
    return None if counts is None else CountColumn(counts, "--counts")


def audit_rows(
    rows: CompleteRows, predictions: Predictions, groups: list[str], confidence: float
) -> Audit:
    """Audit distinct rows; their counts are passed as a column whose name is empty."""
    y, pred = [*rows.columns][:2]
    if rows.weights:
        sums, squares, above = rows.weights
        return fairordinal.audit(
            *(rows.columns[y], rows.columns[pred]),
            sensitive_features={name: rows.columns[name] for name in groups},
            sample_weight=survey_weight(sums, squares, above, "--weight"),
            weights="survey",
            labels=predictions.labels,
            predictions=predictions.reading,
            confidence=confidence,
        )
    return audit_counts(
        {**rows.columns, "": rows.counts},
        y_true=y,
        y_pred=pred,
        sensitive_features=groups,
        count="",
        labels=predictions.labels,
        predictions=predictions.reading,
        confidence=confidence,
    )


def compare_to_limit(result: Audit, criterion: str, limit: float, *, bounded: bool) -> int:
    """Print whether a violation, or its upper bound, is within a limit; return the exit code."""
    finding = result[criterion]
    value = finding.violation_interval[1] if bounded else finding.violation
    what = "upper bound of the violation" if bounded else "violation"
    if len(finding.undefined) > 0:
        show(f"FAIL: {finding.criterion.title} is undefined for some groups.", err=True)
        return UNFAIR
    fair = bool(value <= limit)
    sign = "≤" if fair else ">"
    verdict = f"{finding.criterion.title}: {what} {value:.4g} {sign} {limit:g}"
    show(f"{'PASS' if fair else 'FAIL'}: {verdict}.", err=True)
    return 0 if fair else UNFAIR


def describe_data(
    file: str, y: str, pred: str, groups: list[str], left_out: LeftOut
) -> dict[str, str]:
    """Return a description of the audited rows for a report."""
    columns = {"True labels": y, "Predictions": pred, "Groups by": ", ".join(groups)}
    return {"File": file, **columns, **({"Left out": str(left_out)} if left_out.cells else {})}


def write_report(
    path: Path, data: dict[str, str], result: Audit, criterion: str, limit: float | None
) -> None:
    """Write an HTML report about an audit."""
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
    """Return all numbers of an audit."""
    return {
        "fairordinal": fairordinal.__version__,
        "missing": left_out.as_json(),
        "labels": result.table.labels,
        "predictions": "labels" if result.table.predicts_labels else "scores",
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
    """Return an index of all pairs of groups, or of the worst ones if there are very many.

    Undefined pairs come last.
    """
    if len(finding.places[0]) <= MOST_PAIRS:
        return slice(None)
    return np.argsort(-finding.listed(finding.disparities), kind="stable")[:MOST_PAIRS]

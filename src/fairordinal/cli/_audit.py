"""`fairordinal audit`: measure how fair the predictions in a file are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import fairordinal
from fairordinal._audit import Audit, Finding, audit_counts
from fairordinal._render import names_of
from fairordinal._source import (
    ColumnValues,
    TableFile,
    count_missing,
    count_rows,
    open_table,
    order_of,
    read_labels,
    read_names,
)
from fairordinal._support import progress
from fairordinal._validation import check_choice, check_fraction
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
    Sheet,
    check_different,
)
from fairordinal.cli._choices import AUDITED, criterion_of, described
from fairordinal.cli._input import CompleteRows, LeftOut, clean_columns, drop_incomplete
from fairordinal.cli._output import (
    check_outputs,
    progress_and_notes,
    show,
    show_written,
    write_json,
    write_page,
)
from fairordinal.cli._wording import as_shown

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
    order: Order = None,
    criterion: Annotated[
        str,
        typer.Option(
            help=f"Criterion that --max-violation limits: {described(AUDITED)}.",
            callback=criterion_of(AUDITED),
            metavar="NAME",
        ),
    ] = "demographic_parity",
    max_violation: Annotated[
        float | None,
        typer.Option(
            help="Exit with code 2 if the violation exceeds it.", min=0.0, metavar="NUMBER"
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Compare the upper bound at this confidence with the limit.", metavar="NUMBER"
        ),
    ] = None,
    higher_is: Annotated[
        str | None,
        typer.Option(
            help="Whether higher labels are better for people, such as grades, or worse, such as "
            "levels of risk. Without it, no group is called favoured or harmed.",
            metavar="better|worse",
        ),
    ] = None,
    min_rows: Annotated[
        int | None,
        typer.Option(
            help="Groups with fewer rows are in the tables, but never the main result.", min=1
        ),
    ] = None,
    small_groups: Annotated[
        str,
        typer.Option(
            help="keep, or merge: groups with fewer rows than --min-rows become one, 'other'.",
            metavar="keep|merge",
        ),
    ] = "keep",
    json_file: Json = None,
    html: Html = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    sheet: Sheet = None,
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
    if check_choice(small_groups, "--small-groups", ("keep", "merge")) == "merge" and not min_rows:
        raise ValueError("--small-groups merge needs --min-rows, such as 30.")
    if higher_is is not None:
        check_choice(higher_is, "--higher-is", ("better", "worse"))
    check_outputs({"--json": json_file, "--html": html}, [file])
    level = 0.95 if confidence is None else check_fraction(confidence, "--confidence")
    table_file = open_table(
        file,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
        sheet=sheet,
    )
    with progress_and_notes(quiet):
        rows, labels = count_columns(table_file, y, pred, group, counts, order)
        with rows.left_out.explained():
            result = audit_rows(
                rows,
                labels,
                group,
                level,
                higher_is=higher_is,
                min_group_rows=min_rows,
                small_groups=small_groups,
            )
    _check_audited(result, criterion)
    show(as_shown(str(result)))
    rows.left_out.show()
    if json_file:
        write_json(json_file, as_json(result, rows.left_out))
    if html:
        data = describe_data(table_file.path.name, y, pred, group, rows.left_out)
        write_report(html, data, result, criterion, max_violation)
    show_written(html, json_file)
    if max_violation is not None:
        bounded = confidence is not None
        raise typer.Exit(compare_to_limit(result, criterion, max_violation, bounded=bounded))


def count_columns(
    file: TableFile, y: str, pred: str, groups: list[str], counts: str | None, order: str | None
) -> tuple[CompleteRows, list[Any]]:
    """Return the distinct rows of the columns, and the labels in ascending order."""
    check_different({"--y": y, "--pred": pred, "--group": groups, "--counts": counts})
    named = {y: file.column(y, "--y"), pred: file.column(pred, "--pred")}
    named |= {name: file.column(name, "--group") for name in groups}
    weight = file.column(counts, "--counts") if counts else None
    with progress(f"reading {file.path.name}") as state:
        on_progress = (lambda n: state(f"{n:,} rows")) if state else None
        found = count_rows(file, [*named.values()], count=weight, on_progress=on_progress)
    raw = {name: found.columns[there] for name, there in named.items()}
    clean = clean_columns(file, raw, [y, pred], order)
    true, predicted = (
        read_labels(clean[name].to_pylist(), file.decimal, order) for name in (y, pred)
    )
    labels = order_of(file, named[y], true, order, "--y")
    labels.check(true, "--y")
    if not (predicted.are_numbers and true.are_numbers):
        _check_scores(predicted, labels.labels)
        labels.check(predicted, "--pred")
    columns = {y: true.values, pred: predicted.values}
    columns |= {name: read_names(clean[name].to_pylist()) for name in groups}
    missing = count_missing(raw, clean, found.counts)
    return drop_incomplete(columns, missing, found.counts), labels.labels


def _check_scores(predicted: ColumnValues, labels: list[Any]) -> None:
    """Raise ValueError for a cell that keeps a column of scores from being numeric."""
    name = predicted.first_name
    if name is not None and name not in labels:
        raise ValueError(
            f"--pred: the column must hold labels or finite numbers, got {name!r}. Correct it, "
            "or leave the cell empty."
        )


def audit_rows(
    rows: CompleteRows,
    labels: list[Any],
    groups: list[str],
    confidence: float,
    *,
    higher_is: str | None = None,
    min_group_rows: float | None = None,
    small_groups: str = "keep",
) -> Audit:
    """Audit distinct rows; their counts are passed as a column whose name is empty."""
    y, pred = [*rows.columns][:2]
    return audit_counts(
        {**rows.columns, "": rows.counts},
        y_true=y,
        y_pred=pred,
        sensitive_features=groups,
        count="",
        labels=labels,
        confidence=confidence,
        higher_is=higher_is,
        min_group_rows=min_group_rows,
        small_groups=small_groups,
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


def _check_audited(result: Audit, criterion: str) -> None:
    """Raise ValueError for a criterion that scores do not allow."""
    known = [finding.criterion.name for finding in result.findings]
    if criterion not in known:
        raise ValueError(
            f"--criterion: {criterion} needs predicted labels, but --pred holds scores. Choose one "
            f"of {', '.join(known)}, or cut the scores into labels first."
        )


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
        "confidence": result.confidence,
        "interval": result.interval,
        "higher_is": result.higher_is,
        "findings": [
            {
                "criterion": finding.criterion.name,
                "violation": finding.violation,
                "violation_interval": finding.violation_interval,
                "main_pair": _main_pair(finding),
                "too_small": finding.too_small,
                "pairs": finding.rows(_worst(finding)),
                "pairs_left_out": max(len(finding.places[0]) - MOST_PAIRS, 0),
            }
            for finding in result.findings
        ],
        "groups": {"group": names_of(result.table.groups.tolist()), **result.group_columns()},
        "merged_groups": result.merged_groups,
    }


def _main_pair(finding: Finding) -> dict[str, Any] | None:
    """Return the pair of groups that the printed summary leads with."""
    if finding.headline is None:
        return None
    part, g, h = finding.headline
    names = names_of(finding.table.groups.tolist())
    return {
        "part": finding.criterion.parts(finding.table)[part],
        "group": names[g],
        "other": names[h],
    }


def _worst(finding: Finding) -> Any:
    """Return an index of all pairs of groups, or of the worst ones if there are very many.

    Undefined pairs come last.
    """
    if len(finding.places[0]) <= MOST_PAIRS:
        return slice(None)
    return np.argsort(-finding.listed(finding.disparities), kind="stable")[:MOST_PAIRS]

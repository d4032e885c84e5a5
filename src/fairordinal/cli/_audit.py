"""`fairordinal audit`: measure how fair the predictions in a file are."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import fairordinal
from fairordinal._audit import Audit, Finding, audit_counts
from fairordinal._render import names_of
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
from fairordinal._support import advance, progress
from fairordinal._validation import check_fraction, survey_weight
from fairordinal.cli._app import (
    Decimal,
    Encoding,
    File,
    Groups,
    HigherIs,
    Html,
    Json,
    Label,
    Missing,
    Order,
    Quiet,
    Separator,
    Sheet,
    Weight,
    Weights,
    check_different,
)
from fairordinal.cli._choices import AUDITED, choice, criterion_of, described, kind_of_weights
from fairordinal.cli._input import (
    CompleteRows,
    LeftOut,
    clean_columns,
    described_weights,
    drop_incomplete,
)
from fairordinal.cli._output import (
    check_outputs,
    progress_and_notes,
    show,
    show_written,
    write_json,
    write_page,
)
from fairordinal.cli._predictions import Predictions, read_predictions, wanted_reading
from fairordinal.cli._wording import as_shown

UNDEFINED = ".* is undefined for groups "  # the beginning of a warning
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
    weight: Weight = None,
    weights: Weights = "frequency",
    order: Order = None,
    predictions: Annotated[
        str,
        typer.Option(
            help="What --pred holds: labels, scores, or auto: numbers are labels if each is a true "
            "label, or if all are whole and more than half of the values of both columns are true "
            "labels.",
            metavar="NAME",
        ),
    ] = "auto",
    scores: Annotated[
        bool, typer.Option("--scores", help="Same as --predictions scores.", metavar="")
    ] = False,
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
    higher_is: HigherIs = None,
    min_rows: Annotated[
        int | None,
        typer.Option(
            help="Groups with fewer rows are in the tables, but never the main result.",
            min=1,
            metavar="NUMBER",
        ),
    ] = None,
    small_groups: Annotated[
        str,
        typer.Option(
            help="keep, or merge: groups with fewer rows than --min-rows become one, 'other'.",
            metavar="NAME",
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
    small_groups = choice("--small-groups", ("keep", "merge"))(small_groups)
    if small_groups == "merge" and not min_rows:
        raise ValueError("--small-groups merge needs --min-rows, such as 30.")
    weights = kind_of_weights(weights, weight)
    wanted = wanted_reading(predictions, scores)
    counted = count_column(counts, weight, weights)
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
        warnings.filterwarnings("ignore", UNDEFINED)  # the result lists them
        rows, found = count_columns(table_file, y, pred, group, counted, order, wanted)
        with rows.left_out.explained():
            result = audit_rows(
                rows,
                found,
                group,
                level,
                higher_is=higher_is,
                min_group_rows=min_rows,
                small_groups=small_groups,
            )
    _check_audited(result, criterion)
    show(as_shown(result.__str__))
    found.show_note(result)
    rows.left_out.show()
    if json_file:
        write_json(json_file, as_json(result, rows.left_out))
    if html:
        data = describe_data(table_file.path.name, y, pred, group, rows.left_out)
        data |= found.described(result)
        data |= described_weights(weight, weights)
        write_report(html, data, result, criterion, max_violation)
    show_written(html, json_file)
    if max_violation is not None:
        bounded = confidence is not None
        raise typer.Exit(compare_to_limit(result, criterion, max_violation, bounded=bounded))


def _show_rows(n_rows: int) -> None:
    advance(note=f"{n_rows:,} rows")


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
    with progress(f"reading {file.path.name}"):
        found = count_rows(file, [*named.values()], count=counted, on_progress=_show_rows)
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
    if counts is not None and weight is not None:
        raise ValueError("--counts and --weight both say what rows count; pass one of them.")
    if weight is not None:
        return CountColumn(weight, "--weight", weights == "survey")
    return None if counts is None else CountColumn(counts, "--counts")


def audit_rows(
    rows: CompleteRows,
    predictions: Predictions,
    groups: list[str],
    confidence: float,
    *,
    higher_is: str | None = None,
    min_group_rows: float | None = None,
    small_groups: str = "keep",
) -> Audit:
    """Audit distinct rows; their counts are passed as a column whose name is empty."""
    y, pred = [*rows.columns][:2]
    options: dict[str, Any] = {
        "labels": predictions.labels,
        "predictions": predictions.reading,
        "confidence": confidence,
        "higher_is": higher_is,
        "min_group_rows": min_group_rows,
        "small_groups": small_groups,
    }
    if rows.weights:
        sums, squares, above = rows.weights
        return fairordinal.audit(
            *(rows.columns[y], rows.columns[pred]),
            sensitive_features={name: rows.columns[name] for name in groups},
            sample_weight=survey_weight(sums, squares, above, "--weight"),
            weights="survey",
            **options,
        )
    return audit_counts(
        {**rows.columns, "": rows.counts},
        y_true=y,
        y_pred=pred,
        sensitive_features=groups,
        count="",
        **options,
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
        labels = "pass --predictions labels, or " * result.table.reading_is_guessed
        raise ValueError(
            f"--criterion: {criterion} needs predicted labels, but --pred was read as scores. "
            f"Choose one of {', '.join(known)}; or {labels}cut the scores into labels first "
            "(see thresholds)."
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
        "predictions": "labels" if result.table.predicts_labels else "scores",
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

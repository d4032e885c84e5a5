"""`fairordinal thresholds`: find cut points that make scores fair."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from fairordinal._render import names_of, paragraphs
from fairordinal._source import (
    TableFile,
    count_missing,
    open_table,
    order_of,
    read_labels,
    read_names,
    read_values,
)
from fairordinal._validation import check_fraction, listed
from fairordinal.cli._app import (
    Cost,
    Decimal,
    Encoding,
    File,
    Groups,
    Html,
    Json,
    Label,
    LimitConfidence,
    Missing,
    Order,
    Quiet,
    Separator,
    Sheet,
    TradeOff,
    Weight,
    Weights,
    check_different,
)
from fairordinal.cli._choices import OPTIMIZED, criterion_of, described, kind_of_weights
from fairordinal.cli._input import (
    CompleteRows,
    LeftOut,
    about_weights,
    clean_columns,
    described_weights,
    drop_incomplete,
    read_weights,
    reading,
)
from fairordinal.cli._output import (
    check_outputs,
    progress_and_notes,
    show,
    show_note,
    show_written,
    write_json,
    write_page,
)
from fairordinal.cli._wording import as_shown


def thresholds(
    file: File,
    score: Annotated[str, typer.Option(help="Column of scores.", metavar="COLUMN")],
    y: Label,
    group: Groups,
    max_violation: Annotated[
        float | None, typer.Option(help="Largest violation allowed.", min=0.0, metavar="NUMBER")
    ] = None,
    trade_off: TradeOff = None,
    confidence: LimitConfidence = None,
    criterion: Annotated[
        str,
        typer.Option(
            help=f"Criterion of fairness: {described(OPTIMIZED)}.",
            callback=criterion_of(OPTIMIZED),
            metavar="NAME",
        ),
    ] = "demographic_parity",
    cost: Cost = "absolute",
    before: Annotated[
        str | None,
        typer.Option(
            help="Cut points in use today, such as 0.5,1.5, to compare with; else those of least "
            "cost.",
            metavar="NUMBERS",
        ),
    ] = None,
    weight: Weight = None,
    weights: Weights = "frequency",
    order: Order = None,
    json_file: Json = None,
    html: Html = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Find the cut points of least cost within a limit, and prove that none are better.

    Examples
    --------
        fairordinal thresholds scored.csv --score s --y grade --group sex --max-violation 0.05

        fairordinal thresholds scored.csv --score s --y grade --group sex --max-violation 0.05
        --before 0.5,1.5,2.5 --html report.html
    """
    from fairordinal.thresholds import as_text, optimize_thresholds

    if max_violation is None and trade_off is None:
        raise ValueError("pass --max-violation, such as 0.05, or --trade-off, such as 0.3.")
    if confidence is not None:
        check_fraction(confidence, "--confidence")
        if max_violation is None:
            raise ValueError("--confidence needs --max-violation; leave it out with --trade-off.")
    weights = kind_of_weights(weights, weight)
    today = None if before is None else _read_numbers(before)
    check_outputs({"--json": json_file, "--html": html}, [file])
    check_different({"--score": score, "--y": y, "--group": group, "--weight": weight})
    table_file = open_table(
        file,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
        sheet=sheet,
    )
    with progress_and_notes(quiet), reading(table_file):
        rows, labels = read_scored_rows(table_file, score, y, group, order, weight, weights)
    _check_before(today, labels)
    if not quiet:
        note_suspects(score, y, rows, labels)
        for note in about_weights(weight, rows.weights[0]) if weight else ():
            show_note(note)
    with progress_and_notes(quiet), rows.left_out.explained():
        result = optimize_thresholds(
            rows.columns[score],
            rows.columns[y],
            sensitive_features={name: rows.columns[name] for name in group},
            sample_weight=rows.weights[0] if weight else None,
            criterion=criterion,
            trade_off=trade_off,
            max_violation=max_violation,
            cost_matrix=cost,
            confidence=confidence,
            labels=labels,
            random_state=0,
        )
    show(as_shown(lambda: as_text(result, today, all_groups=True)))
    show_stricter(result.goal.limit, max_violation, confidence)
    rows.left_out.show()
    if json_file:
        write_json(json_file, as_json(result, rows.left_out, today))
    if html:
        data = describe_data(table_file.path.name, y, score, group, rows.left_out)
        data |= described_weights(weight, weights, effective=True)
        write_report(html, data, result, today, max_violation)
    show_written(html, json_file)


def show_stricter(used: float, limit: float | None, confidence: float | None) -> None:
    """Print why cut points keep a stricter limit on these rows than the one that was asked for."""
    if confidence is not None and limit is not None and used < limit:
        line = (
            f"The limit is {used:.3g} on these rows, so that {limit:g} is kept in new rows with "
            f"confidence {confidence:g}."
        )
        show(paragraphs([line]))


def _read_numbers(text: str) -> list[float]:
    """Read the value of --before: numbers in ascending order."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(low <= high for low, high in pairwise(numbers)):
        raise ValueError(
            f"--before must be numbers in ascending order, such as 0.5,1.5, got {text!r}."
        )
    return numbers


def _check_before(cuts: list[float] | None, labels: list[Any]) -> None:
    most = len(labels) - 1
    if cuts is not None and len(cuts) != most:
        numbers = "1 number" if most == 1 else f"{most} numbers"
        raise ValueError(
            f"--before must be {numbers}, one fewer than the labels {listed(labels)}, got "
            f"{len(cuts)}."
        )


def read_scored_rows(
    file: TableFile,
    score: str,
    y: str,
    groups: list[str],
    order: str | None,
    weight: str | None = None,
    weights: str = "frequency",
) -> tuple[CompleteRows, list[Any]]:
    """Return scores, labels and groups of all rows, and the labels in ascending order."""
    options = {score: "--score", y: "--y"} | dict.fromkeys(groups, "--group")
    options |= {weight: "--weight"} if weight else {}
    named = {name: file.column(name, option) for name, option in options.items()}
    table = file.raw_table([*named.values()])
    raw = {name: table.column(there) for name, there in named.items()}
    clean = clean_columns(file, raw, [y], order)
    read = [read_weights(clean.pop(weight), weight, file.decimal, weights)] if weight else []
    scores = read_values(clean[score].to_pylist(), file.decimal)
    true = read_labels(clean[y].to_pylist(), file.decimal, order)
    if not scores.are_numbers:
        example = scores.first_name or [*scores.distinct, "nothing"][0]
        raise ValueError(
            f"--score: column {score!r} must hold finite numbers, but has {example!r}. Correct it, "
            "or leave the cell empty."
        )
    labels = order_of(file, named[y], true, order, "--y")
    labels.check(true, "--y")
    columns = {score: scores.values, y: true.values}
    columns |= {name: read_names(clean[name].to_pylist()) for name in groups}
    rows = drop_incomplete(columns, count_missing(raw, clean))
    return replace(rows, weights=[each[rows.places] for each in read]), labels.labels


def note_suspects(score: str, y: str, rows: CompleteRows, labels: list[Any]) -> None:
    """Print a note if the scores look like an identifier, or like the labels."""
    from fairordinal.models import Suspects

    code = {label: i for i, label in enumerate(labels)}
    codes = np.array([code[label] for label in rows.columns[y]])
    found = Suspects.among_scores(score, rows.columns[score], codes)
    for reason in found.identifiers.values():
        show_note(f"--score: column {score!r} looks like an identifier: {reason}.")
    if found.labels:
        show_note(
            f"--score: column {score!r} alone predicts {y!r} almost perfectly. Is it the label in "
            "another form? Then its cut points say nothing about new rows."
        )


def describe_data(
    file: str, y: str, score: str, groups: list[str], left_out: LeftOut
) -> dict[str, str]:
    """Return a description of the rows for a report."""
    columns = {"True labels": y, "Scores": score, "Groups by": ", ".join(groups)}
    return {"File": file, **columns, **({"Left out": str(left_out)} if left_out.cells else {})}


def write_report(
    path: Path,
    data: dict[str, str],
    result: Any,
    before: list[float] | None,
    limit: float | None,
) -> None:
    """Write an HTML report about cut points."""
    from fairordinal.report import report

    page = report(
        thresholds=result,
        before=before,
        max_violation=limit,
        title=f"Cut points for {data['File']}",
        data=data,
    )
    write_page(path, page)


def as_json(result: Any, left_out: LeftOut, before: list[float] | None) -> dict[str, Any]:
    """Return the cut points with their certificate, and what changes for each group."""
    old = result.state_before(before)
    groups = zip(names_of(result.groups.tolist()), old.shares, result.after.shares, strict=True)
    return {
        "missing": left_out.as_json(),
        "labels": result.score_table.labels,
        "thresholds": result.thresholds,
        "criterion": result.criterion.name,
        "cost": result.cost,
        "violation": result.violation,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "gap": result.gap,
        "before": {
            "thresholds": old.thresholds,
            "cost": old.cost,
            "violation": old.violation,
        },
        "groups": [
            {"group": name, "shares_before": was, "shares": now} for name, was, now in groups
        ],
        "near_constant": None if (one := result.near_constant) is None else one._asdict(),
    }

"""`fairordinal thresholds`: find cut points that make scores fair."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from fairordinal._source import (
    TableFile,
    count_missing,
    open_table,
    order_of,
    read_counts,
    read_labels,
    read_names,
    read_values,
)
from fairordinal._validation import check_fraction
from fairordinal.cli._app import (
    Cost,
    Criterion,
    Decimal,
    Encoding,
    File,
    Groups,
    Json,
    Label,
    LimitConfidence,
    Missing,
    Order,
    Quiet,
    Separator,
    TradeOff,
    Weight,
    check_different,
)
from fairordinal.cli._input import CompleteRows, LeftOut, clean_columns, drop_incomplete
from fairordinal.cli._output import check_outputs, progress_and_notes, show, write_json


def thresholds(
    file: File,
    score: Annotated[str, typer.Option(help="Column of scores.", metavar="COLUMN")],
    y: Label,
    group: Groups,
    max_violation: Annotated[
        float | None, typer.Option(help="Largest violation allowed.", min=0.0)
    ] = None,
    trade_off: TradeOff = None,
    confidence: LimitConfidence = None,
    criterion: Criterion = "demographic_parity",
    cost: Cost = "absolute",
    weight: Weight = None,
    order: Order = None,
    json_file: Json = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    quiet: Quiet = False,
) -> None:
    """Find the cut points of least cost within a limit, and prove that none are better.

    Examples
    --------
        fairordinal thresholds scored.csv --score s --y grade --group sex --max-violation 0.05
    """
    from fairordinal.thresholds import optimize_thresholds

    if max_violation is None and trade_off is None:
        raise ValueError("pass --max-violation, such as 0.05, or --trade-off, such as 0.3.")
    if confidence is not None:
        check_fraction(confidence, "--confidence")
        if max_violation is None:
            raise ValueError("--confidence needs --max-violation; leave it out with --trade-off.")
    check_outputs({"--json": json_file}, [file])
    check_different({"--score": score, "--y": y, "--group": group, "--weight": weight})
    table_file = open_table(
        file, separator=separator, encoding=encoding, decimal=decimal, missing=missing
    )
    rows, labels = read_scored_rows(table_file, score, y, group, order, weight)
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
    show(str(result))
    rows.left_out.show()
    if json_file:
        write_json(json_file, as_json(result, rows.left_out))


def read_scored_rows(
    file: TableFile,
    score: str,
    y: str,
    groups: list[str],
    order: str | None,
    weight: str | None = None,
) -> tuple[CompleteRows, list[Any]]:
    """Return scores, labels and groups of all rows, and the labels in ascending order."""
    options = {score: "--score", y: "--y"} | dict.fromkeys(groups, "--group")
    options |= {weight: "--weight"} if weight else {}
    named = {name: file.column(name, option) for name, option in options.items()}
    table = file.raw_table([*named.values()])
    raw = {name: table.column(there) for name, there in named.items()}
    clean = clean_columns(file, raw, [y], order)
    weights = []
    if weight:
        weights = [read_counts(clean.pop(weight), weight, file.decimal, "--weight").to_numpy()]
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
    return replace(rows, weights=[each[rows.places] for each in weights]), labels.labels


def as_json(result: Any, left_out: LeftOut) -> dict[str, Any]:
    """Return the cut points with their certificate."""
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
    }

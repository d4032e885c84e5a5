"""`fairordinal thresholds`: which cut points would make scores fair?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._source import (
    Source,
    missing_cells,
    order_of,
    read_labels,
    read_names,
    read_values,
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
from fairordinal.cli._output import check_outputs, told, write_json
from fairordinal.cli._streams import show


def thresholds(
    file: File,
    score: Annotated[str, typer.Option(help="Column of scores.", metavar="COLUMN")],
    y: Label,
    group: Groups,
    max_violation: Annotated[
        float | None, typer.Option(help="The greatest violation allowed.", min=0.0)
    ] = None,
    trade_off: Annotated[
        float | None, typer.Option(help="A price on the violation instead, from 0 to below 1.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="Keep the limit in new rows with this confidence, such as 0.9."),
    ] = None,
    criterion: Annotated[str, typer.Option(help="What is fair.")] = "demographic_parity",
    cost: Annotated[
        str, typer.Option(help="absolute, zero_one, squared or asymmetric.")
    ] = "absolute",
    order: Order = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the cut points there.", metavar="FILE")
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    quiet: Quiet = False,
) -> None:
    """Find the cut points of least cost that are fair, and prove that none are better.

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
    check_different({"--score": score, "--y": y, "--group": group})
    source = opened(file, separator, encoding, decimal, missing)
    kept, labels = scored_rows(source, score, y, group, order)
    rows = kept.columns
    with told(quiet), kept.left_out.explained():
        result = optimize_thresholds(
            rows[score],
            rows[y],
            sensitive_features={name: rows[name] for name in group},
            criterion=criterion,
            trade_off=trade_off,
            max_violation=max_violation,
            cost_matrix=cost,
            confidence=confidence,
            labels=labels,
            random_state=0,
        )
    show(str(result))
    kept.left_out.tell()
    if json_file:
        write_json(json_file, as_json(result, kept.left_out))


def scored_rows(
    source: Source, score: str, y: str, groups: list[str], order: str | None
) -> tuple[Kept, list[Any]]:
    """Scores, labels and groups of all rows, and the labels in order."""
    options = {score: "--score", y: "--y"} | dict.fromkeys(groups, "--group")
    named = {name: source.column(name, option) for name, option in options.items()}
    table = source.written([*named.values()])
    written = {name: table.column(there) for name, there in named.items()}
    meant = meant_columns(source, written, [y], order)
    scores = read_values(meant[score].to_pylist(), source.decimal)
    true = read_labels(meant[y].to_pylist(), source.decimal, order)
    if not scores.are_numbers:
        example = scores.strange or [*scores.distinct, "nothing"][0]
        raise ValueError(
            f"--score: column {score!r} must hold finite numbers, but has {example!r}. Correct it, "
            "or leave the cell empty."
        )
    labels = order_of(source, named[y], true, order, "--y")
    labels.check(true, "--y")
    columns = {score: scores.values, y: true.values}
    columns |= {name: read_names(meant[name].to_pylist()) for name in groups}
    return keep_whole(columns, missing_cells(written, meant)), labels.labels


def as_json(result: Any, left_out: LeftOut) -> dict[str, Any]:
    """The cut points with their certificate."""
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

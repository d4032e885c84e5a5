"""`fairordinal thresholds`: which cut points would make scores fair?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._source import Source, order_of, read_names, read_values
from fairordinal.cli._columns import (
    Decimal,
    Encoding,
    File,
    Groups,
    Label,
    Order,
    Quiet,
    Separator,
    check_different,
    keep_whole,
    opened,
)
from fairordinal.cli._output import check_outputs, say, told, write_json
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
    check_outputs({"--json": json_file}, [file])
    check_different({"--score": score, "--y": y, "--group": group})
    source = opened(file, separator, encoding, decimal)
    rows, labels, notes = scored_rows(source, score, y, group, order)
    with told(quiet):
        result = optimize_thresholds(
            rows[score],
            rows[y],
            sensitive_features={name: rows[name] for name in group},
            criterion=criterion,
            trade_off=trade_off,
            max_violation=max_violation,
            cost_matrix=cost,
            labels=labels,
        )
    show(str(result))
    say(notes, quiet)
    if json_file:
        write_json(json_file, as_json(result))


def scored_rows(
    source: Source, score: str, y: str, groups: list[str], order: str | None
) -> tuple[dict[str, list[Any]], list[Any], list[str]]:
    """Scores, labels and groups of all rows, the labels in order, and notes."""
    options = {"--score": [score], "--y": [y], "--group": groups}
    table = source.read(
        [source.column(name, option) for option, names in options.items() for name in names]
    )
    scores, true = (read_values(column, source.decimal) for column in table[:2])
    if not scores.are_numbers:
        example = scores.strange or [*scores.distinct, "nothing"][0]
        raise ValueError(
            f"--score: column {score!r} must hold finite numbers, but has {example!r}. Mend it, or "
            "leave the cell empty."
        )
    labels = order_of(source, source.column(y, "--y"), true, order, "--y")
    labels.check(true, "--y")
    columns = {score: scores.values, y: true.values}
    columns |= {name: read_names(column) for name, column in zip(groups, table[2:], strict=True)}
    kept = keep_whole(columns)
    whole = {name: [column[i] for i in kept.places] for name, column in columns.items()}
    return whole, labels.labels, [kept.note]


def as_json(result: Any) -> dict[str, Any]:
    """The cut points with their certificate."""
    return {
        "labels": result.score_table.labels,
        "thresholds": result.thresholds,
        "criterion": result.criterion.name,
        "cost": result.cost,
        "violation": result.violation,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "gap": result.gap,
    }

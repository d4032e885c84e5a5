"""A `ModelComparison` as text for a terminal, and as HTML for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fairordinal._near_constant import near_constant
from fairordinal._render import (
    confidence_level,
    html_page,
    html_table,
    number,
    paragraphs,
    quantity,
    text_table,
)

if TYPE_CHECKING:
    from fairordinal.frontier._comparison import ModelComparison

KINDS = {"violation": "the violation", "cost": "the mean cost"}


def as_text(comparison: ModelComparison) -> str:
    """The comparison for a terminal."""
    title, notes = paragraphs([_title(comparison)]), paragraphs(_notes(comparison))
    return "\n\n".join([title, text_table(*_cells(comparison)), notes]).rstrip()


def as_html(comparison: ModelComparison) -> str:
    """The comparison for a notebook."""
    return html_page(_title(comparison), html_table(*_cells(comparison)), *_notes(comparison))


def _title(comparison: ModelComparison) -> str:
    n_rows = float(comparison.models[0].table.rows.sum())
    n_models = f"{len(comparison.models)} model" + "s" * (len(comparison.models) > 1)
    return (
        f"{n_models} on {quantity(n_rows)} rows: {comparison.criterion.title} "
        f"({confidence_level(comparison.confidence)} intervals; differences to the first, rows "
        "paired)"
    )


def _cells(comparison: ModelComparison) -> tuple[list[str], list[list[str]]]:
    header = ["model", "cost", "difference", "violation", "difference"]
    return header, [_line(row, is_first=i == 0) for i, row in enumerate(comparison.rows)]


def _line(row: dict[str, Any], *, is_first: bool) -> list[str]:
    changes = {kind: "" if is_first else _difference(row, kind) for kind in KINDS}
    values = {kind: number(row[kind]) for kind in KINDS}
    return [
        row["model"],
        values["cost"],
        changes["cost"],
        values["violation"],
        changes["violation"],
    ]


def _difference(row: dict[str, Any], kind: str) -> str:
    """A difference with its interval."""
    ends = _ends(row, kind)
    if np.isnan(ends).any():
        return "undefined"
    return "{:+.3f} ({:+.3f} … {:+.3f})".format(*ends)


def _notes(comparison: ModelComparison) -> list[str]:
    """Sentences: whether differences to the first model are clear, and models of little use."""
    first, *others = comparison.rows
    found = {model.name: near_constant(model.table) for model in comparison.models}
    return [in_words(row, first) for row in others] + [
        f"By {name!r}, {str(one)[:1].lower()}{str(one)[1:]}: these predictions hardly tell people "
        "apart."
        for name, one in found.items()
        if one is not None
    ]


def in_words(row: dict[str, Any], first: dict[str, Any]) -> str:
    """A sentence about the differences of a model to the first."""
    parts = [_change(row, kind) for kind in KINDS]
    return f"From {first['model']!r} to {row['model']!r}, {' and '.join(parts)}."


def _change(row: dict[str, Any], kind: str) -> str:
    (value, low, high), what = _ends(row, kind), KINDS[kind]
    if np.isnan([value, low, high]).any():
        return f"{what} cannot be compared"
    if not round(value, 3):
        return f"{what} stays the same"
    clear = "yes" if low > 0 or high < 0 else "no"
    change = f"{'rises' if value > 0 else 'falls'} by {number(abs(value))}"
    return f"{what} {change} (clear evidence: {clear})"


def _ends(row: dict[str, Any], kind: str) -> list[float]:
    """A difference, and the lower and upper end of its interval."""
    return [row[f"{kind}_difference{end}"] for end in ("", "_lower", "_upper")]

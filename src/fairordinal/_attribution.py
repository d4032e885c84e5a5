r"""Where a pairwise disparity comes from.

The disparity of two groups (g, h) is a sum over pairs of predictions a > b,
``D[a, b] = p[g at a, h at b] - p[h at a, g at b]``, and over pairs of true labels. Three views of
the same number, each adding up to it:

* **by cut point**: a pair with predictions a > b is told apart by the a - b cuts between them,
  and each gets an equal part. That is the Shapley value of the cuts, for removing a cut merges
  the labels beside it, and a pair stays apart while one of its cuts is left;
* **by pair of true labels** (y, y'): share of the pairs times how often they are won. The
  difference of two such products splits, as Kitagawa and Oaxaca do, into *mix* (the groups hold
  other labels) and *treatment* (the same labels fare differently);
* **by stage**: what the scores had already, and what cutting them into labels added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fairordinal._render import (
    html_page,
    html_table,
    make_frame,
    name_of,
    names_of,
    number,
    paragraphs,
    text_table,
)
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import PairwiseCriterion

Columns = Mapping[str, Sequence[Any]]

MOST_ROWS = 8  # pairs of labels that are printed


@dataclass(frozen=True)
class Attribution:
    """A disparity taken apart: `by_cut`, `by_labels` and `by_stage`, columns that add up to it.

    Attributes
    ----------
    notion : str
        The criterion, and its part if it has several.
    group, other : str
        The groups; the disparity is positive if `group` is favoured.
    disparity : float
        The number that each view adds up to.
    by_cut : mapping of columns, or None
        For each cut between two labels: its `contribution`, and `without_cut`, what the
        disparity would be if the two labels were one. None if predictions are scores.
    by_labels : mapping of columns
        For each pair of true labels that counts: its `contribution`, of which `mix` and
        `treatment`.
    by_stage : mapping of columns, or None
        The `contribution` of the scores and of the thresholds; None without scores.
    """

    notion: str
    group: str
    other: str
    disparity: float
    by_cut: Columns | None
    by_labels: Columns
    by_stage: Columns | None
    library: str | None = None

    def frame(self, view: str = "by_cut") -> Any:
        """One of the views ``"by_cut"``, ``"by_labels"``, ``"by_stage"`` as a frame."""
        columns = {"by_cut": self.by_cut, "by_labels": self.by_labels, "by_stage": self.by_stage}
        if columns.get(view) is None:
            available = [name for name, found in columns.items() if found is not None]
            raise ValueError(f"view must be one of {available} here, got {view!r}.")
        return make_frame(columns[view] or {}, self.library)

    def _title(self) -> str:
        return (
            f"Where {self.notion} comes from: {self.group!r} over {self.other!r}, "
            f"disparity {number(self.disparity)}"
        )

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        views = [view for view in (self.by_stage, self.by_cut) if view is not None]
        return [_as_text(view) for view in (*views, _largest(self.by_labels))]

    def _closing(self) -> list[str]:
        mix, treatment = sum(self.by_labels["mix"]), sum(self.by_labels["treatment"])
        hidden = len(self.by_labels["label"]) - MOST_ROWS
        lines = [
            f"Rows above: pairs with the label in {self.group!r} and the other label in "
            f"{self.other!r}, their share and how often the first is above; 'turned' has the "
            "groups exchanged.",
            f"{number(mix)} is mix (the groups hold other labels), {number(treatment)} treatment "
            "(the same labels fare differently).",
        ]
        return [*lines, f"{hidden} smaller rows: .frame('by_labels')."] if hidden > 0 else lines

    def __str__(self) -> str:
        tables = [text_table(*table) for table in self._tables()]
        return "\n\n".join([paragraphs([self._title()]), *tables, paragraphs(self._closing())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = [html_table(*table) for table in self._tables()]
        return html_page(self._title(), *tables, *self._closing())


def _largest(columns: Columns) -> Columns:
    """The rows with the greatest contributions, greatest first."""
    order = np.argsort(-np.abs(columns["contribution"]), kind="stable")[:MOST_ROWS]
    return {name: [column[i] for i in order] for name, column in columns.items()}


def _as_text(columns: Columns) -> tuple[list[str], list[list[str]]]:
    header = [name.replace("_", " ") for name in columns]
    rows = [
        [number(cell) if isinstance(cell, float) else name_of(cell) for cell in row]
        for row in zip(*columns.values(), strict=True)
    ]
    return header, rows


def attribute(
    criterion: PairwiseCriterion,
    table: ScoreTable,
    place: tuple[int, int, int],
    *,
    score_table: ScoreTable | None,
    library: str | None,
) -> Attribution:
    """Take apart the disparity at a (part, group, group)."""
    part, g, h = place
    names = names_of(table.groups.tolist())
    part_name = criterion.parts(table)[part]
    return Attribution(
        notion=criterion.title + (f" ({part_name!r})" if part_name else ""),
        group=names[g],
        other=names[h],
        disparity=float(criterion.disparities(table)[place]),
        by_cut=_by_cut(criterion, table, place) if table.predicts_labels else None,
        by_labels=_by_labels(criterion, table, place),
        by_stage=None if score_table is None else _by_stage(criterion, table, score_table, place),
        library=library,
    )


def _by_cut(
    criterion: PairwiseCriterion, table: ScoreTable, place: tuple[int, int, int]
) -> Columns:
    _, g, h = place
    counts = table.cube
    signed = counts[g].T @ criterion.weights(table, place) @ counts[h]
    signed -= counts[h].T @ criterion.weights(table, turned(place)) @ counts[g]
    n_labels, names = len(table.labels), table.labels.tolist()
    # cut c tells a pair of predictions a > b apart if b <= c < a: sums over corners of a table
    higher, lower = np.tril_indices(n_labels, -1)
    each = np.zeros((n_labels, n_labels))
    each[higher, lower] = signed[higher, lower] / (higher - lower)
    corner = each[::-1].cumsum(axis=0)[::-1].cumsum(axis=1)
    # labels beside a cut that are one tie
    without = criterion.disparities(table)[place] - np.diagonal(signed, -1)
    return {
        "cut": [f"{name_of(a)} | {name_of(b)}" for a, b in pairwise(names)],
        "contribution": np.diagonal(corner, -1).tolist(),
        "without_cut": without.tolist(),
    }


def turned(place: tuple[int, int, int]) -> tuple[int, int, int]:
    """The place with the groups exchanged."""
    part, g, h = place
    return part, h, g


def _by_labels(
    criterion: PairwiseCriterion, table: ScoreTable, place: tuple[int, int, int]
) -> Columns:
    _, g, h = place
    share, rate = _shares_and_rates(criterion.weights(table, place), table, g, h)
    weights = criterion.weights(table, turned(place))
    other_share, other_rate = _shares_and_rates(weights, table, h, g)
    # where one side has no such pairs its rate is unknown, and all is mix
    mine = np.where(share > 0, rate, other_rate)
    theirs = np.where(other_share > 0, other_rate, rate)
    mix = (share - other_share) * (mine + theirs) / 2
    treatment = (mine - theirs) * (share + other_share) / 2
    y, z = np.nonzero((share > 0) | (other_share > 0))
    names = table.labels.tolist()
    return {
        "label": [names[i] for i in y],
        "other_label": [names[j] for j in z],
        "share": share[y, z].tolist(),
        "rate": rate[y, z].tolist(),
        "turned_share": other_share[y, z].tolist(),
        "turned_rate": other_rate[y, z].tolist(),
        "contribution": (mix + treatment)[y, z].tolist(),
        "mix": mix[y, z].tolist(),
        "treatment": treatment[y, z].tolist(),
    }


def _shares_and_rates(weights: Array, table: ScoreTable, g: int, h: int) -> tuple[Array, Array]:
    """Of the pairs (g, h): the share with each pair of true labels, and how often g is above."""
    n_groups, n_labels, _ = table.shape
    wins = table.wins.reshape(n_groups, n_labels, n_groups, n_labels)[g, :, h]
    pairs = np.outer(table.totals[g], table.totals[h])
    rate = np.divide(wins, pairs, out=np.full_like(wins, np.nan), where=pairs > 0)
    return weights * pairs, rate


def _by_stage(
    criterion: PairwiseCriterion,
    table: ScoreTable,
    score_table: ScoreTable,
    place: tuple[int, int, int],
) -> Columns:
    final = float(criterion.disparities(table)[place])
    scores = float(criterion.disparities(score_table)[place])
    return {"stage": ["scores", "thresholds"], "contribution": [scores, final - scores]}

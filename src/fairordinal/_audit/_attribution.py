r"""Attribution: decompositions of a pairwise disparity.

The disparity of two groups (g, h) is a sum over pairs of predictions a > b, of
``D[a, b] = p[g at a, h at b] - p[h at a, g at b]``, and also a sum over pairs of true labels. Three
decompositions add up to the disparity:

* **by cut point**: a pair with predictions a > b is separated by the a - b cut points between
  them, and each gets an equal share. This is the Shapley value of the cut points: removing one
  merges the two labels beside it, and a pair is separated as long as one of its cut points
  remains.
* **by pair of true labels** (y, y'): the share of such pairs times their win rate. The difference
  of two such products is split, like the decompositions of Kitagawa and of Oaxaca, into *mix*
  (the groups have different labels) and *treatment* (equal labels have different win rates).
* **by stage**: the disparity of the scores, and what cutting them into labels adds.
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

MOST_ROWS = 8  # pairs of true labels that are printed


@dataclass(frozen=True)
class Attribution:
    """Decompositions of a disparity by cut point, by true labels and by stage.

    Attributes
    ----------
    criterion : str
        Title of the criterion, with the name of its part if it has several.
    group : str
        The first group; the disparity is positive if it is placed higher.
    other : str
        The second group.
    disparity : float
        The sum of the contributions of each decomposition.
    by_cut : mapping of str to list, or None
        Columns with a row for each cut point between two labels: `cut`, its `contribution`, and
        `without_cut`, the disparity if the two labels were merged. None if predictions are scores.
    by_labels : mapping of str to list
        Columns with a row for each pair of true labels that counts: `label` in the first group and
        `other_label` in the second, `share` of the pairs and win `rate`, both also with the groups
        swapped (`turned_share`, `turned_rate`), and the `contribution`, the sum of `mix` and
        `treatment`.
    by_stage : mapping of str to list, or None
        Columns `stage` and `contribution`, for the scores and for the thresholds. None if the
        audit has no scores.
    library : str or None
        The library of frames; None takes the first of pandas, polars and pyarrow that is installed.
    """

    criterion: str
    group: str
    other: str
    disparity: float
    by_cut: Columns | None
    by_labels: Columns
    by_stage: Columns | None
    library: str | None = None

    def frame(self, view: str = "by_cut") -> Any:
        """Return one decomposition as a frame.

        Parameters
        ----------
        view : {"by_cut", "by_labels", "by_stage"}, default="by_cut"
            The decomposition.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            With the columns that are listed under Attributes.
        """
        columns = {"by_cut": self.by_cut, "by_labels": self.by_labels, "by_stage": self.by_stage}
        if columns.get(view) is None:
            available = [name for name, found in columns.items() if found is not None]
            raise ValueError(f"view must be one of {available} here, got {view!r}.")
        return make_frame(columns[view] or {}, self.library)

    def _title(self) -> str:
        return (
            f"Attribution of {self.criterion}: {self.group!r} over {self.other!r}, "
            f"disparity {number(self.disparity)}"
        )

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        views = [view for view in (self.by_stage, self.by_cut) if view is not None]
        return [_as_text(view) for view in (*views, _largest(self.by_labels))]

    def _closing(self) -> list[str]:
        mix, treatment = sum(self.by_labels["mix"]), sum(self.by_labels["treatment"])
        hidden = len(self.by_labels["label"]) - MOST_ROWS
        lines = [
            f"Rows of the last table: pairs with the label in {self.group!r} and the other label "
            f"in {self.other!r}, their share, and the rate at which the first is predicted above "
            "the second. 'Swapped' columns: share and rate with the groups swapped.",
            f"{number(mix)} is due to mix (the groups have different labels), {number(treatment)} "
            "to treatment (equal labels have different rates).",
        ]
        more = f"{hidden} rows with smaller contributions are not shown: see .frame('by_labels')."
        return [*lines, more] if hidden > 0 else lines

    def __str__(self) -> str:
        tables = [text_table(*table) for table in self._tables()]
        return "\n\n".join([paragraphs([self._title()]), *tables, paragraphs(self._closing())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = [html_table(*table) for table in self._tables()]
        return html_page(self._title(), *tables, *self._closing())


def _largest(columns: Columns) -> Columns:
    """Return the rows with the largest absolute contributions, largest first."""
    order = np.argsort(-np.abs(columns["contribution"]), kind="stable")[:MOST_ROWS]
    return {name: [column[i] for i in order] for name, column in columns.items()}


def _as_text(columns: Columns) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a printed table."""
    header = [name.replace("turned", "swapped").replace("_", " ") for name in columns]
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
    """Decompose the disparity at `place`, a tuple (part, g, h)."""
    part, g, h = place
    names = names_of(table.groups.tolist())
    part_name = criterion.parts(table)[part]
    return Attribution(
        criterion=criterion.title + (f" ({part_name!r})" if part_name else ""),
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
    """Contribution of each cut point between two labels."""
    _, g, h = place
    counts = table.cube
    # signed[a, b] is D[a, b]: weighted pairs with g at a and h at b, minus those with h at a and g
    # at b.
    signed = counts[g].T @ criterion.weights(table, place) @ counts[h]
    signed -= counts[h].T @ criterion.weights(table, _exchanged(place)) @ counts[g]
    n_labels, names = len(table.labels), table.labels.tolist()
    # Cut point c separates predictions a > b if b <= c < a. Its contribution is the sum of
    # D[a, b] / (a - b) over a > c and b <= c: entry (c + 1, c) of the sums over lower left corners.
    higher, lower = np.tril_indices(n_labels, -1)
    each = np.zeros((n_labels, n_labels))
    each[higher, lower] = signed[higher, lower] / (higher - lower)
    corner = each[::-1].cumsum(axis=0)[::-1].cumsum(axis=1)
    # Merging the labels c and c + 1 turns their pairs into ties, which removes D[c + 1, c].
    without = criterion.disparities(table)[place] - np.diagonal(signed, -1)
    return {
        "cut": [f"{name_of(a)} | {name_of(b)}" for a, b in pairwise(names)],
        "contribution": np.diagonal(corner, -1).tolist(),
        "without_cut": without.tolist(),
    }


def _exchanged(place: tuple[int, int, int]) -> tuple[int, int, int]:
    """Exchange the groups of a tuple (part, g, h)."""
    part, g, h = place
    return part, h, g


def _by_labels(
    criterion: PairwiseCriterion, table: ScoreTable, place: tuple[int, int, int]
) -> Columns:
    """Contribution of each pair of true labels, split into mix and treatment.

    With shares s, s' and rates r, r' of the two directions::

        s r - s' r' = (s - s') (r + r') / 2  +  (r - r') (s + s') / 2
                            mix                       treatment
    """
    _, g, h = place
    share, rate = _shares_and_rates(criterion.weights(table, place), table, g, h)
    weights = criterion.weights(table, _exchanged(place))
    other_share, other_rate = _shares_and_rates(weights, table, h, g)
    # If one direction has no such pairs, its rate is unknown. The rate of the other direction in
    # its place makes the whole contribution mix.
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
    """Return share and win rate of g over h for each pair of true labels, (n_labels, n_labels)."""
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
    """Disparity of the scores, and its change by the thresholds."""
    final = float(criterion.disparities(table)[place])
    scores = float(criterion.disparities(score_table)[place])
    return {"stage": ["scores", "thresholds"], "contribution": [scores, final - scores]}

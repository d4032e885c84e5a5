"""From rows to pairs of cells: what rankers learn from."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.model_selection import check_cv

from fairordinal._pairloss import Kernel
from fairordinal._table import ScoreTable
from fairordinal._threads import one_thread
from fairordinal._validation import Array, check_whole
from fairordinal.criteria import Criterion, PairwiseCriterion
from fairordinal.ranker._features import Features
from fairordinal.ranker._objective import PairData, Training
from fairordinal.ranker._paths import accuracy_of, plain

ALPHAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
ROUGH = 1e-4  # tolerance of fits that only choose among them


class Rows(NamedTuple):
    """Rows with codes of groups and labels."""

    features: Features
    groups: Array  # codes
    labels: Array  # codes
    weight: Array
    n_groups: int
    n_labels: int
    numbers: Array | None = None  # among the rows given, where some of those have no weight

    def take(self, at: Array) -> Rows:
        return self._replace(
            features=self.features.take(at),
            groups=self.groups[at],
            labels=self.labels[at],
            weight=self.weight[at],
            numbers=None if self.numbers is None else self.numbers[at],
        )

    def table(self, scores: Array, names: Array, levels: Array) -> ScoreTable:
        """Counts by group, label and score."""
        axis, places = np.unique(scores, return_inverse=True)
        shape = (self.n_groups * self.n_labels, len(axis))
        counts = sparse.csc_array((self.weight, (self.cells, places)), shape=shape)
        return ScoreTable(counts, names, levels, axis, predicts_labels=False)

    @property
    def cells(self) -> Array:
        return self.groups * self.n_labels + self.labels


def check_two_of_each(groups: Array, labels: Array) -> None:
    """Refuse rows whose weights leave one group or one label."""
    for codes, name in ((groups, "sensitive_features"), (labels, "y")):
        if np.count_nonzero(np.bincount(codes)) < 2:
            raise ValueError(
                f"rows with weight have one value of {name}; pairs of rows need two. Check "
                "sample_weight."
            )


def require_pairwise(criterion: Criterion) -> PairwiseCriterion:
    """Refuse criteria about single samples: rankers learn from pairs."""
    if not isinstance(criterion, PairwiseCriterion):
        raise ValueError(
            f"{type(criterion).__name__} speaks of single samples; a ranker learns from pairs. "
            "Use FairThresholdClassifier for it, or a pairwise criterion here."
        )
    return criterion


def pair_data(rows: Rows, criterion: PairwiseCriterion, loss: Kernel) -> PairData:
    """Weights of pairs: unequal labels in order, and the criterion's contrasts."""
    names, levels = np.arange(rows.n_groups), np.arange(rows.n_labels)
    totals = np.bincount(rows.cells, rows.weight, rows.n_groups * rows.n_labels)
    counts = sparse.csc_array(totals[:, None])
    table = ScoreTable(counts, names, levels, np.zeros(1), predicts_labels=False)
    label = np.tile(levels, rows.n_groups)
    order = (label[:, None] > label[None, :]).astype(np.float64)
    pairs = float(totals @ order @ totals)
    contrasts = criterion.contrasts(table)
    order = order / pairs if pairs else order
    return PairData(rows.features, rows.cells, rows.weight, order, contrasts, loss)


Folds = list[tuple[Array, Array]]


def folds_of(rows: Rows, cv: Any) -> Folds:
    """Rows to learn from and rows held out; rows of a pair never lie on both sides.

    Folds by number are alike in labels; splits that are listed speak of the rows given.
    """
    counted = isinstance(cv, numbers.Number) or cv is None
    if counted:
        _check_folds(check_whole(cv, "cv", least=2), rows.labels)
    splitter = check_cv(cv, rows.labels, classifier=True)
    splits = splitter.split(np.zeros(len(rows.labels)), rows.labels)
    if counted or hasattr(cv, "split"):
        return [*splits]
    return [(_places(rows, train), _places(rows, test)) for train, test in splits]


def _check_folds(n_folds: int, labels: Array) -> None:
    most = int(np.bincount(labels).max())
    if n_folds > most:
        raise ValueError(
            f"cv={n_folds} folds need a label of at least {n_folds} rows; the most frequent one "
            f"has {most}. Lower cv, or collect more rows."
        )


def _places(rows: Rows, given: Any) -> Array:
    """Where rows are, given their numbers or a mask; those without weight are nowhere."""
    given = np.asarray(given)
    given = np.flatnonzero(given) if given.dtype == bool else given
    if rows.numbers is None:
        return given
    return np.searchsorted(rows.numbers, given[np.isin(given, rows.numbers)])


@one_thread
def choose_alpha(
    rows: Rows, criterion: PairwiseCriterion, loss: Kernel, folds: Folds, max_iter: int
) -> float:
    """The strength of the penalty with the most held-out pairs in order."""
    reached = np.zeros(len(ALPHAS))
    for train, test in folds:
        data = pair_data(rows.take(train), criterion, loss)
        held_out = pair_data(rows.take(test), criterion, loss)
        coef = np.zeros(rows.features.n_features)
        for i, alpha in enumerate(ALPHAS):
            coef = plain(data, Training(alpha, ROUGH, max_iter), coef).coef
            reached[i] += accuracy_of(held_out, coef)  # 0 of a fold without pairs
    return ALPHAS[int(reached.argmax())]

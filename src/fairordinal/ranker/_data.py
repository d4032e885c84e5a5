"""From rows to pairs of cells: what rankers learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed

from fairordinal._pairloss import Kernel
from fairordinal._rows import Folds, Rows, on_site
from fairordinal._table import ScoreTable
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion, pair_tables
from fairordinal.ranker._objective import PairData, Training
from fairordinal.ranker._paths import accuracy_of, plain

MOST_CHOOSING = 1 << 17  # rows by which models are chosen; the chosen one learns from all
ALPHAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
ROUGH = 1e-4  # tolerance of fits that only choose among them


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
    counts = sparse.csc_array(rows.totals[:, None])
    table = ScoreTable(counts, names, levels, np.zeros(1), predicts_labels=False)
    label = np.tile(levels, rows.n_groups)
    order = (label[:, None] > label[None, :]).astype(np.float64)
    pairs = float(rows.totals @ order @ rows.totals)
    contrasts = pair_tables(criterion.contrasts(table))
    order = order / pairs if pairs else order
    return PairData(rows, rows.totals, order, contrasts, loss)


def is_small(rows: Rows) -> bool:
    """Whether models are chosen by all rows."""
    return rows.n_rows <= MOST_CHOOSING


def sample_of(rows: Rows) -> Rows:
    """Rows to choose among models by."""
    return rows.sample(MOST_CHOOSING)


def require_sorting(rows: Rows, loss: Kernel) -> None:
    """Refuse losses that sort all rows where these are not in memory."""
    if loss.kinked:
        rows.whole()


def accuracies_in_folds(
    rows: Rows, folds: Folds, accuracies: Callable[..., list[float]], *arguments: Any
) -> Array:
    """Shares of held-out pairs in order, for each fold and each strength of the penalty.

    ``accuracies(train, held_out, *arguments)`` has the shares of a fold.
    """
    return np.array(
        Parallel(**rows.workers(None))(
            delayed(on_site)(accuracies, fold, *arguments) for fold in folds
        )
    )


@one_thread
def accuracies_by_alpha(
    data: PairData, held_out: PairData, alphas: Sequence[float], max_iter: int
) -> list[float]:
    """Shares of held-out pairs in order by the plain ranker, for each strength of the penalty.

    0 if there are no such pairs. Each fit starts from the one before.
    """
    coef, reached = np.zeros(data.rows.n_features), []
    for alpha in alphas:
        coef = plain(data, Training(alpha, ROUGH, max_iter), coef).coef
        reached.append(accuracy_of(held_out, coef))
    return reached

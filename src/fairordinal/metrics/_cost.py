"""How wrong predictions are: mean cost and margin loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import mean_costs
from fairordinal._table import count_codes
from fairordinal._validation import (
    Array,
    check_same_length,
    is_number,
    order_labels,
    read_column,
    read_scores,
    read_weight,
    row_blocks,
    warn_misaligned,
)


def mean_cost(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = "absolute",
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    r"""Mean cost of the errors of a predictor.

    0 is best. With ``"absolute"`` and numeric labels this is the mean absolute error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        ``C[i, j]``, the price of predicting label j where label i is true. By name |i-j|,
        1{i≠j}, (i-j)² or |i-j|·(1 + 1{j>i}); numeric labels are as far apart as the numbers,
        names one step. A matrix has a row and a column per label, in ascending order, and must
        be V-shaped: 0 on the diagonal and never falling away from it.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice. Rows are matched by position; an index is ignored.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order, and for a matrix
        whose labels do not all occur.

    Returns
    -------
    cost : float
        At least 0.

    Notes
    -----
    :math:`\sum_i w_i C_{y_i, \hat y_i} / \sum_i w_i`. Cost: one count of the rows.
    Section 2 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.metrics import mean_cost
    >>> mean_cost([1, 2, 3, 3], [1, 2, 1, 2])      # (0 + 0 + 2 + 1) / 4
    0.75
    >>> mean_cost(["low", "high"], ["high", "high"], labels=["low", "mid", "high"])
    1.0
    """
    warn_misaligned({"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight})
    true, predicted = read_column(y_true, "y_true"), read_column(y_pred, "y_pred")
    check_same_length(true, predicted)
    truth, positions, predicts_labels = order_labels(true, predicted, labels, least=1)
    if not predicts_labels:
        raise ValueError(
            f"mean_cost needs predicted labels in y_pred, got scores such as "
            f"{positions.levels[0].item()!r}. Cut them into labels, or pass labels=."
        )
    cost = as_cost_matrix(cost_matrix, truth.levels)
    weight = read_weight(sample_weight, len(truth.values))
    counts = count_codes((truth, positions), None if weight is None else weight.values)
    return float(mean_costs(counts.reshape(cost.shape), cost))


def margin_loss(
    y_true: Any,
    scores: Any,
    thresholds: Any,
    *,
    margin: float = 0.0,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    r"""Empirical margin loss of a threshold model.

    0 is best, the number of thresholds the worst. How many thresholds lie, on average, on the
    wrong side of a score or nearer to it than the margin?

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    scores : array-like of shape (n_samples,)
        Scores of a threshold model.
    thresholds : array-like of shape (n_labels - 1,)
        Cut points in ascending order; may be infinite.
    margin : float, default=0.0
        The margin :math:`\gamma`, at least 0.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice. Rows are matched by position; an index is ignored.
    labels : sequence, default=None
        All labels in ascending order, one more than thresholds. Needed for names without an
        order and where a label does not occur.

    Returns
    -------
    loss : float
        In [0, n_labels - 1].

    Notes
    -----
    The mean of :math:`\sum_{j=1}^{k-1} 1\{y^j (s - \theta_j) \le \gamma\}` with
    :math:`y^j = +1` for j < y and -1 otherwise. At margin 0 it bounds the mean absolute error of
    the model, and equals it unless a score lies on a threshold. Cost: O(n·k).
    Appendix A.7 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.metrics import margin_loss
    >>> margin_loss([1, 2, 3], [0.5, 1.4, 1.8], [1.0, 2.0])     # the last is cut one too low
    0.333...
    >>> margin_loss([1, 2, 3], [0.5, 1.4, 1.8], [1.0, 2.0], margin=0.45)
    0.666...
    """
    warn_misaligned({"y_true": y_true, "scores": scores, "sample_weight": sample_weight})
    true, scored = read_column(y_true, "y_true"), read_scores(scores)
    check_same_length(true, scored)
    truth, _, _ = order_labels(true, true, labels)
    cuts = _checked_thresholds(thresholds, truth.levels)
    if not is_number(margin) or not margin >= 0:
        raise ValueError(f"margin must be a number of at least 0, got {margin!r}.")
    read = read_weight(sample_weight, len(truth.values))
    weight = np.ones(len(truth.values)) if read is None else read.values
    total = 0.0
    for rows in row_blocks(len(truth.values)):
        side = np.where(np.arange(len(cuts)) < truth.codes(rows)[:, None], 1.0, -1.0)
        wrong = side * (scored.values[rows][:, None] - cuts) <= margin
        total += float(weight[rows] @ wrong.sum(axis=1))
    return total / float(weight.sum())


def _checked_thresholds(thresholds: Any, labels: Array) -> Array:
    try:
        cuts = np.asarray(thresholds, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"thresholds must hold numbers, got {thresholds!r}.") from None
    if cuts.shape != (len(labels) - 1,):
        raise ValueError(
            f"thresholds has shape {cuts.shape} but {len(labels)} labels {labels.tolist()} need "
            f"{len(labels) - 1}. labels=[...] names labels that do not occur."
        )
    if np.isnan(cuts).any() or not (cuts[:-1] <= cuts[1:]).all():
        raise ValueError(f"thresholds must be in ascending order, got {cuts.tolist()}.")
    return cuts

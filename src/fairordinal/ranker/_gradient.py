"""The loss of all pairs by each score, for any gradient learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fairordinal._pairloss import LOSSES, STEP
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_same_length,
    order_labels,
    read_column,
    read_groups,
    read_scores,
    read_weight,
)
from fairordinal.criteria import as_criterion
from fairordinal.ranker._data import (
    Rows,
    check_two_of_each,
    pair_data,
    require_pairwise,
)
from fairordinal.ranker._features import Features
from fairordinal.ranker._objective import priced_loss, sharpness_for


class PairwiseGradient(NamedTuple):
    """The objective, and its first and second derivatives by each score."""

    loss: float
    gradient: Array
    curvature: Array


def pairwise_gradient(
    scores: Any,
    y: Any,
    *,
    sensitive_features: Any,
    criterion: Any = "demographic_parity",
    price: float = 0.0,
    max_violation: float = 0.0,
    loss: str = "logistic",
    sample_weight: Any = None,
    labels: Any = None,
) -> PairwiseGradient:
    r"""Loss of all pairs of rows by their scores, with a price on unfairness.

    What a gradient-boosting library or a neural network needs to learn a fair ranking.

    Parameters
    ----------
    scores, y : array-like of shape (n_samples,)
        Scores of the model so far, and true ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample.
    criterion : str or PairwiseCriterion, default="demographic_parity"
        Which disparities have a price.
    price, max_violation : float, default=0.0
        Half of `price` times the squared excess of each disparity over `max_violation` is added.
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        The price of a pair's margin.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order.

    Returns
    -------
    result : PairwiseGradient
        `loss`, and per row `gradient` and `curvature` (of the loss without the penalty, never
        negative). They are of a mean over pairs: multiply by n for learners that add up rows.

    Notes
    -----
    The mean of ℓ(s_i - s_j) over all pairs with y_i > y_j, and disparities with a smooth step in
    place of a win. Cost: O(n + m·B·log B) with m cells and B bins, O(n·log n + n·m)
    for the squared hinge; no pair is formed.

    Examples
    --------
    >>> from fairordinal.ranker import pairwise_gradient
    >>> found = pairwise_gradient([0.0, 0.0], [1, 2], sensitive_features=["a", "b"])
    >>> round(found.loss, 4), found.gradient.round(4).tolist()      # log 2; the second should rise
    (0.6931, [0.5, -0.5])
    """
    kernel = LOSSES[check_choice(loss, "loss", tuple(LOSSES))]
    price, limit = check_number(price, "price"), check_number(max_violation, "max_violation")
    scored, column = read_scores(scores), read_column(y, "y")
    groups = read_groups(sensitive_features)
    check_same_length(column, scored, groups)
    values = scored.values.astype(np.float64)
    truth, _, _ = order_labels(column, column, labels)
    weight = read_weight(sample_weight, len(values), rows_of="y")
    weight = np.ones(len(values)) if weight is None else weight
    rows = Rows(
        Features.of(values[:, None]),
        groups.codes(slice(None)),
        truth.codes(slice(None)),
        weight,
        len(groups.levels),
        len(truth.levels),
    )
    check_two_of_each(rows.groups[weight > 0], rows.labels[weight > 0])
    data = pair_data(rows, require_pairwise(as_criterion(criterion)), kernel)
    step = STEP.sharper(sharpness_for(values))
    pairs = data.pairs(values, step.detail if price else np.inf)
    total, slopes = priced_loss(data, pairs, data.accuracy, step, price, limit)
    return PairwiseGradient(total, slopes, np.maximum(pairs.curvatures(data.accuracy), 0.0))

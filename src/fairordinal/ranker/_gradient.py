"""The loss of all pairs by each score, for any gradient learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fairordinal._pairloss import LOSSES, STEP, Kernel, PairLoss, measure
from fairordinal._rows import Block, Features
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
    warn_misaligned,
)
from fairordinal.criteria import as_criterion
from fairordinal.ranker._data import check_two_of_each, pair_data, require_pairwise
from fairordinal.ranker._objective import SHARPNESS, PairData, penalty
from fairordinal.ranker._surface import MOST_STEPS


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

    What a gradient-boosting library or a neural network needs to learn a fair ranking. Train it
    without a price first, and go on from its scores with one: while scores are nearly equal, a
    price leaves little room to learn. For trees, ``FairOrdinalClassifier(basis="trees")`` is
    quicker and more accurate.

    Parameters
    ----------
    scores, y : array-like of shape (n_samples,)
        Scores of the model so far, and true ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample. Rows are matched by position; an index is ignored.
    criterion : str or PairwiseCriterion, default="demographic_parity"
        Which disparities have a price.
    price, max_violation : float, default=0.0
        Half of `price` times the squared excess of each disparity over `max_violation` is added;
        prices from 1 to 100 lead from accurate to fair.
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        The price of a pair's margin.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order.

    Returns
    -------
    result : PairwiseGradient
        `loss`, and per row `gradient` and `curvature` (the diagonal of the loss's Hessian and a
        bound on the penalty's: never negative). They are of a mean over pairs: multiply both by n
        for learners that add up rows.

    Notes
    -----
    The mean of ℓ(s_i - s_j) over all pairs with y_i > y_j, and disparities with the smooth step
    1 / (1 + exp(max(1, 4/σ) (s_j - s_i))) in place of a win, where σ is the standard deviation of
    the scores. Disparities do not depend on the unit of the scores if σ < 4, so that a price on
    them does not make the scores shrink. Cost: O(n + m·B·log B) with m cells and B bins, for
    each pair of groups with a price, and O(n·log n + n·m) for the squared hinge; no pair is formed.
    Names are read again at each call: a learner of many rounds should pass groups as integers.

    Examples
    --------
    >>> from fairordinal.ranker import pairwise_gradient
    >>> found = pairwise_gradient([0.0, 0.0], [1, 2], sensitive_features=["a", "b"])
    >>> round(found.loss, 4), found.gradient.round(4).tolist()      # log 2; the second should rise
    (0.6931, [0.5, -0.5])
    """
    kernel = LOSSES[check_choice(loss, "loss", tuple(LOSSES))]
    price, limit = check_number(price, "price"), check_number(max_violation, "max_violation")
    features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
    warn_misaligned({"scores": scores, "y": y} | features)
    scored, column = read_scores(scores), read_column(y, "y")
    groups = read_groups(sensitive_features)
    check_same_length(column, scored, groups)
    values = scored.values.astype(np.float64)
    truth, _, _ = order_labels(column, column, labels)
    weight = read_weight(sample_weight, len(values), rows_of="y")
    rows = Block.of(
        Features.plain(values[:, None]),
        groups.codes(slice(None)),
        truth.codes(slice(None)),
        len(groups.levels),
        len(truth.levels),
        weight=None if weight is None else weight.values,
    )
    check_two_of_each(rows.groups[rows.weight > 0], rows.labels[rows.weight > 0])
    data = pair_data(rows, require_pairwise(as_criterion(criterion)), kernel)
    scale = _scale_of(values, rows.weight)
    step = STEP.sharper(SHARPNESS / scale.spread if scale.follows else 1.0)
    detail = max(step.detail, float(np.ptp(values)) / MOST_STEPS) if price else np.inf
    pairs = measure(kernel, values, rows.cells, rows.n_cells, rows.weight, detail=detail)
    total, slopes = pairs.loss(data.accuracy)
    curvature = np.maximum(pairs.curvatures(data.accuracy), 0.0)
    plain = PairwiseGradient(total, slopes, curvature)
    return _fined(plain, data, pairs, step, scale, price, limit) if price else plain


class _Scale(NamedTuple):
    """Standard deviation of scores, and how far each is from the mean."""

    spread: float
    apart: Array
    slopes: Array  # of the standard deviation by each score

    @property
    def follows(self) -> bool:
        """Whether the smooth step follows the spread: it is never wider than the unit."""
        return 0.0 < self.spread < SHARPNESS


def _scale_of(values: Array, weight: Array) -> _Scale:
    apart = values - np.average(values, weights=weight)
    spread = float(np.sqrt(np.average(apart**2, weights=weight)))
    if spread <= np.finfo(np.float64).eps * len(values) * np.abs(values).max(initial=0.0):
        spread = 0.0  # all scores are equal, but for rounding of their mean
    return _Scale(spread, apart, weight * apart / (weight.sum() * (spread or 1.0)))


def _fined(
    plain: PairwiseGradient,
    data: PairData,
    pairs: PairLoss,
    step: Kernel,
    scale: _Scale,
    price: float,
    limit: float,
) -> PairwiseGradient:
    """With the penalty on disparities v, whose curvature is that of ``price/2 · v²`` or more.

    A diagonal has to bound ``price · v'v'ᵀ`` with v' the slopes of v by the scores: they have one
    sign in a group, so that a step of all its rows at once would overshoot otherwise. It is at
    most ``price · |v'|₁ · diag|v'|``.

    The step follows the spread of the scores, so that disparities do not depend on their unit: what
    a common factor would change is taken off the slopes.
    """
    histogram = pairs.histogram
    fine, multipliers = penalty(data, histogram, step, price, limit)
    gradient, curvature = plain.gradient, plain.curvature
    for e in np.flatnonzero(multipliers):
        contrast = data.mixed(np.arange(len(multipliers)) == e)
        slopes = -pairs.slopes_of(histogram.potential(step, contrast))
        if scale.follows:
            slopes = slopes - float(slopes @ scale.apart) / scale.spread * scale.slopes
        gradient = gradient + multipliers[e] * slopes
        curvature = curvature + price * np.abs(slopes).sum() * np.abs(slopes)
    return PairwiseGradient(plain.loss + fine, gradient, curvature)

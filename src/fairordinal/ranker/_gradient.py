"""The objective of a ranker and its derivatives by each score, for any gradient learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fairordinal._pairloss import LOSSES, STEP, Kernel, PairLoss, make_pair_loss
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
from fairordinal.ranker._inputs import check_two_of_each
from fairordinal.ranker._objective import MOST_STEPS, SHARPNESS, disparity_penalty
from fairordinal.ranker._pairs import PairData, pair_data, require_pairwise


class PairwiseGradient(NamedTuple):
    """The objective of a ranker, and its first and second derivatives by each score.

    Attributes
    ----------
    loss : float
        Mean loss over all pairs of unequal labels, plus the penalty on disparities.
    gradient : ndarray of shape (n_samples,)
        Derivative of `loss` by each score.
    curvature : ndarray of shape (n_samples,)
        Second derivative of the mean loss by each score, plus an upper bound of that of the
        penalty; never negative.

    See Also
    --------
    pairwise_gradient : The function that computes it.
    """

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
    r"""Compute the loss of all pairs of rows by their scores, with a penalty on disparities.

    A gradient-boosting library or a neural network can minimise it to learn a fair ranking. Train
    without a penalty first, and continue from the scores with one: while scores are nearly equal, a
    penalty slows learning down. For trees, ``FairOrdinalClassifier(basis="trees")`` is faster and
    more accurate.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Current scores of the model.
    y : array-like of shape (n_samples,)
        True ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample. Rows are matched by position; an index is ignored.
    criterion : str or PairwiseCriterion, default="demographic_parity"
        The criterion of fairness whose disparities are penalised.
    price : float, default=0.0
        Strength of the penalty: half of `price` times the squared excess of each absolute disparity
        over `max_violation` is added to the loss. Values from 1 to 100 lead from accurate to fair.
    max_violation : float, default=0.0
        Absolute disparities up to this limit are not penalised.
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        Loss of a pair's margin x, the score of the row with the higher label less that of the
        other: log(1 + exp(-x)), the mean of max(1 - x + Z, 0) over a standard normal Z, or max(1 -
        x, 0)².
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order. None sorts the labels of `y`.

    Returns
    -------
    result : PairwiseGradient
        Named tuple of `loss`, `gradient` and `curvature`. The latter two have one entry per row:
        the first derivative, and the second derivative or an upper bound of it, which is never
        negative. All are of a mean over pairs: multiply them by n for learners that sum over rows.

    See Also
    --------
    FairLinearRanker : A linear ranker that is fitted with this objective.

    Notes
    -----
    The objective is the mean of ℓ(s_i - s_j) over all pairs with y_i > y_j, plus the penalty. Its
    disparities have a smooth step 1 / (1 + exp(max(1, 4/σ) (s_j - s_i))) in place of a win, where σ
    is the standard deviation of the scores. If σ < 4, they do not depend on the unit of the scores,
    so that a penalty does not make the scores shrink.

    No pair is formed. The cost is O(n + m·B·log B) with m cells and B bins, for each penalised pair
    of groups, and O(n·log n + n·m) for the squared hinge. Names of groups are coded at each call:
    pass groups as integers if there are many calls.

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
    step = STEP.sharper(SHARPNESS / scale.spread if scale.depends_on_spread else 1.0)
    detail = max(step.detail, float(np.ptp(values)) / MOST_STEPS) if price else np.inf
    pairs = make_pair_loss(kernel, values, rows.cells, rows.n_cells, rows.weight, detail=detail)
    total, slopes = pairs.loss(data.pair_weights)
    curvature = np.maximum(pairs.curvatures(data.pair_weights), 0.0)
    plain = PairwiseGradient(total, slopes, curvature)
    return _penalised(plain, data, pairs, step, scale, price, limit) if price else plain


class _Scale(NamedTuple):
    """Standard deviation σ of scores, and its derivatives."""

    spread: float  # σ
    centred: Array  # s_i less the mean
    slopes: Array  # dσ/ds_i = w_i (s_i - mean) / (σ Σ w)

    @property
    def depends_on_spread(self) -> bool:
        """Whether the sharpness 4/σ of the smooth step depends on σ; it is never below 1."""
        return 0.0 < self.spread < SHARPNESS


def _scale_of(values: Array, weight: Array) -> _Scale:
    centred = values - np.average(values, weights=weight)
    spread = float(np.sqrt(np.average(centred**2, weights=weight)))
    if spread <= np.finfo(np.float64).eps * len(values) * np.abs(values).max(initial=0.0):
        spread = 0.0  # all scores are equal, up to rounding of their mean
    return _Scale(spread, centred, weight * centred / (weight.sum() * (spread or 1.0)))


def _penalised(
    plain: PairwiseGradient,
    data: PairData,
    pairs: PairLoss,
    step: Kernel,
    scale: _Scale,
    price: float,
    limit: float,
) -> PairwiseGradient:
    """Add the penalty on smooth disparities v_e to the objective and its derivatives.

    Gradient: Σ_e τ_e v_e', where v_e' are the derivatives of v_e by the scores. They are minus
    those of the pairwise loss `step` with weights Q_e. The sharpness 4/σ depends on the scores,
    too. Since v_e is then a function of s/σ, a common factor of the scores must not change it: v_e'
    becomes v_e' - (v_e'·(s - mean)/σ) σ'.

    Curvature: a diagonal matrix that bounds price · v_e' v_e'ᵀ is price · |v_e'|₁ · diag|v_e'|. The
    diagonal of price · v_e' v_e'ᵀ itself is not enough: v_e' has one sign in a group, so that a
    step of all rows of the group at once would overshoot.
    """
    histogram = pairs.histogram
    penalty, multipliers = disparity_penalty(data, histogram, step, price, limit)
    gradient, curvature = plain.gradient, plain.curvature
    for e in np.flatnonzero(multipliers):
        contrast = data.mix_contrasts(np.arange(len(multipliers)) == e)
        slopes = -pairs.slopes_of(histogram.potential(step, contrast))
        if scale.depends_on_spread:
            slopes = slopes - float(slopes @ scale.centred) / scale.spread * scale.slopes
        gradient = gradient + multipliers[e] * slopes
        curvature = curvature + price * np.abs(slopes).sum() * np.abs(slopes)
    return PairwiseGradient(plain.loss + penalty, gradient, curvature)

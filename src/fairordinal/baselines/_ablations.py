"""The paper's ablations: one of the two steps of its method without the other."""

from __future__ import annotations

from typing import Any

from fairordinal.baselines._proportional_odds import ProportionalOddsClassifier
from fairordinal.estimators import FairThresholdClassifier
from fairordinal.ranker import FairLinearRanker


def fair_ranker_only(
    criterion: Any = "demographic_parity",
    *,
    violation_weight: float = 0.5,
    alpha: float | None = None,
    cost_matrix: Any = "absolute",
    cv: Any = None,
    labels: Any = None,
) -> FairThresholdClassifier:
    """Return a classifier with step 1 only: a fair ranker, with thresholds of least cost.

    Parameters
    ----------
    criterion : str or PairwiseCriterion, default="demographic_parity"
        Fairness criterion of the ranker.
    violation_weight : float in [0, 1], default=0.5
        The paper's μ: 0 for the most accurate ranker, 1 for the fairest; see `FairLinearRanker`.
    alpha : float, default=None
        Strength of the ranker's penalty; None chooses it by cross-validation.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        What errors cost: a name, or an array of shape (n_labels, n_labels) with the cost of
        predicting label j for a row with label i.
    cv : int, float, splitter or iterable, default=None
        Splits for the out-of-fold scores that thresholds are chosen on. The paper uses in-sample
        scores: to get them, list one split with all rows as training and as test rows.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Returns
    -------
    model : FairThresholdClassifier
        Not fitted.

    See Also
    --------
    fair_thresholds_only : Step 2 without step 1.

    Notes
    -----
    The method with λ'=0 in section 5.2 of [1]_.

    References
    ----------
    .. [1] Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.baselines import fair_ranker_only
    >>> fair_ranker_only(violation_weight=0.3).estimator
    FairLinearRanker(ranker='grid', violation_weight=0.3)
    """
    ranker = FairLinearRanker(
        criterion, violation_weight=violation_weight, ranker="grid", alpha=alpha
    )
    return FairThresholdClassifier(
        ranker,
        criterion=criterion,
        trade_off=0.0,
        cost_matrix=cost_matrix,
        cv=cv,
        labels=labels,
    )


def fair_thresholds_only(
    criterion: Any = "demographic_parity",
    *,
    trade_off: float | None = None,
    max_violation: float | None = None,
    cost_matrix: Any = "absolute",
    group_aware: bool = False,
    cv: Any = None,
    labels: Any = None,
) -> FairThresholdClassifier:
    """Return a classifier with step 2 only: fair thresholds for scores of proportional odds.

    Parameters
    ----------
    criterion : str or Criterion, default="demographic_parity"
        Fairness criterion of the predicted labels.
    trade_off : float in [0, 1), default=None
        The paper's λ', the weight of the violation against the cost: 0 ignores fairness. Not
        together with `max_violation`.
    max_violation : float, default=None
        The largest violation allowed on new rows, as estimated by cross-validation; 0.05 if
        `trade_off` is not given either.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        What errors cost: a name, or an array of shape (n_labels, n_labels) with the cost of
        predicting label j for a row with label i.
    group_aware : bool, default=False
        Whether each group has its own thresholds, as in most post-processing methods. `predict`
        then needs the group. Treating people differently by their group may be unlawful.
    cv : int, float, splitter or iterable, default=None
        Splits for the out-of-fold scores that thresholds are chosen on. The paper uses in-sample
        scores: to get them, list one split with all rows as training and as test rows.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Returns
    -------
    model : FairThresholdClassifier
        Not fitted.

    See Also
    --------
    fair_ranker_only : Step 1 without step 2.

    Notes
    -----
    Predictors (v) in section 5.1 of [1]_.

    References
    ----------
    .. [1] Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.baselines import fair_thresholds_only
    >>> fair_thresholds_only(trade_off=0.3).estimator
    ProportionalOddsClassifier()
    """
    return FairThresholdClassifier(
        ProportionalOddsClassifier(),
        criterion=criterion,
        trade_off=trade_off,
        max_violation=max_violation,
        cost_matrix=cost_matrix,
        group_aware=group_aware,
        cv=cv,
        labels=labels,
    )

"""One step of the method without the other: what each is good for."""

from __future__ import annotations

from typing import Any

from fairordinal.baselines._proportional_odds import ProportionalOddsClassifier
from fairordinal.estimators import FairThresholdClassifier
from fairordinal.ranker import FairLinearRanker


def fair_ranker_only(
    criterion: Any = "demographic_parity",
    *,
    trade_off: float = 0.5,
    alpha: float | None = None,
    cost_matrix: Any = "absolute",
    cv: Any = None,
    categories: Any = None,
) -> FairThresholdClassifier:
    """Step 1 alone: a fair ranker, cut at the thresholds of least cost.

    Parameters
    ----------
    criterion : str or PairwiseCriterion, default="demographic_parity"
        What is fair.
    trade_off : float in [0, 1], default=0.5
        The paper's μ, of the ranker.
    alpha : float, default=None
        Strength of the ranker's penalty; None chooses it by cross-validation.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    cv : int, float, splitter or iterable, default=None
        How scores for the thresholds are held out. The paper cuts the scores of the rows that the
        ranker was fitted to: list one split with all rows on both sides.
    categories : sequence, default=None
        All labels in ascending order.

    Returns
    -------
    model : FairThresholdClassifier
        Not fitted.

    Notes
    -----
    The method with λ'=0, in section 5.2 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.baselines import fair_ranker_only
    >>> fair_ranker_only(trade_off=0.3).estimator
    FairLinearRanker(ranker='grid', trade_off=0.3)
    """
    ranker = FairLinearRanker(criterion, trade_off=trade_off, ranker="grid", alpha=alpha)
    return FairThresholdClassifier(
        ranker,
        criterion=criterion,
        trade_off=0.0,
        cost_matrix=cost_matrix,
        cv=cv,
        categories=categories,
    )


def fair_thresholds_only(
    criterion: Any = "demographic_parity",
    *,
    trade_off: float | None = None,
    max_violation: float | None = None,
    cost_matrix: Any = "absolute",
    group_aware: bool = False,
    cv: Any = None,
    categories: Any = None,
) -> FairThresholdClassifier:
    """Step 2 alone: fair thresholds for the scores of proportional odds.

    Parameters
    ----------
    criterion : str or Criterion, default="demographic_parity"
        What is fair.
    trade_off, max_violation : float, default=None
        As in :class:`~fairordinal.FairThresholdClassifier`.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    group_aware : bool, default=False
        A set of thresholds for each group: a competitor that `predict` must tell the group, as
        post-processing of decisions mostly does. It may be unlawful.
    cv : int, float, splitter or iterable, default=None
        How scores for the thresholds are held out; see `fair_ranker_only`.
    categories : sequence, default=None
        All labels in ascending order.

    Returns
    -------
    model : FairThresholdClassifier
        Not fitted.

    Notes
    -----
    Predictors (v) in section 5.1 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

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
        categories=categories,
    )

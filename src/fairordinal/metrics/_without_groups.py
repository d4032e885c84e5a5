"""Metrics that need no sensitive groups: mean cost, margin loss and consistency.

Mean cost and margin loss measure errors; `make_cost_scorer` makes a scorer of scikit-learn from the
mean cost. Consistency measures individual fairness: whether similar samples get similar
predictions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.neighbors import KDTree
from sklearn.utils import check_array

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import label_places, mean_costs
from fairordinal._table import count_codes
from fairordinal._validation import (
    Array,
    check_complete,
    check_same_length,
    check_whole,
    encode,
    is_number,
    order_labels,
    read_column,
    read_scores,
    read_weight,
    row_blocks,
    warn_misaligned,
)

BLOCK_QUERIES = 1 << 10  # samples whose neighbours are looked up at a time


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
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors ``C[i, j]`` for true label i and predicted label j: ``|i-j|``, ``1{i≠j}``,
        ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a matrix. The distance of numeric labels is
        the difference of the numbers; neighbouring names have distance 1. A matrix has one row
        and one column per label, in ascending order, and must be V-shaped: 0 on the diagonal and
        not decreasing away from it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice. Rows are
        matched by position; an index is ignored.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order, or if
        `cost_matrix` is a matrix with labels that do not occur.

    Returns
    -------
    cost : float
        At least 0.

    See Also
    --------
    make_cost_scorer : The same as a scorer, for searches and cross-validation.
    margin_loss : Errors of scores with thresholds, with a margin.
    harm_parity_difference : Compares the mean harm of groups.

    Notes
    -----
    The value is :math:`\sum_i w_i C_{y_i, \hat y_i} / \sum_i w_i`. Cost: one pass over the rows.

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. Section
    2.

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
    truth, positions, _ = order_labels(true, predicted, labels, predictions="labels", least=1)
    cost = as_cost_matrix(cost_matrix, truth.levels)
    weight = read_weight(sample_weight, len(truth.values))
    counts = count_codes((truth, positions), None if weight is None else weight.values)
    return float(mean_costs(counts.reshape(cost.shape), cost))


def make_cost_scorer(cost_matrix: Any = "absolute", *, labels: Any = None) -> Any:
    r"""Make a scorer of scikit-learn from the mean cost, for searches and cross-validation.

    The `score` of a classifier is accuracy, which counts all errors alike. With this scorer,
    searches choose the parameters of least mean cost.

    Parameters
    ----------
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors, as in :func:`mean_cost`. An array needs `labels`, because a fold may not
        hold all of them.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` is the mean cost of ``estimator.predict(X)``, with the sign
        changed: greater is better, and 0 is best. With metadata routing, ask for weights by
        ``scorer.set_score_request(sample_weight=True)``.

    See Also
    --------
    mean_cost : The mean cost of predicted labels.
    sklearn.metrics.make_scorer : Makes scorers from other metrics.

    Notes
    -----
    Least cost alone is not fair: compare models of one limit (`max_violation`), as below. Models
    whose `predict` needs groups cannot be scored.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV
    >>> from fairordinal import FairThresholdClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> from fairordinal.metrics import make_cost_scorer
    >>> data = load_diabetes()
    >>> model = FairThresholdClassifier(Ridge(), max_violation=0.3)
    >>> grid = {"estimator__alpha": [0.1, 100.0]}
    >>> search = GridSearchCV(model, grid, scoring=make_cost_scorer("squared"), cv=2)
    >>> search = search.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> search.best_params_
    {'estimator__alpha': 0.1}
    >>> bool(search.best_score_ < 0)                               # the mean cost, negative
    True
    """
    if labels is None and not isinstance(cost_matrix, str):
        raise ValueError(
            "cost_matrix as an array needs labels=[...], all labels in ascending order: a fold may "
            "not hold all of them."
        )
    known = [0, 1] if labels is None else labels
    mean_cost(known, known, cost_matrix=cost_matrix, labels=labels)  # errors, before a search
    return make_scorer(mean_cost, greater_is_better=False, cost_matrix=cost_matrix, labels=labels)


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

    The mean number of thresholds that lie on the wrong side of a score, or within the margin of
    it. 0 is best, the number of thresholds is the worst.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    scores : array-like of shape (n_samples,)
        Scores of a threshold model.
    thresholds : array-like of shape (n_labels - 1,)
        Thresholds in ascending order; they may be infinite.
    margin : float, default=0.0
        The margin :math:`\gamma`, at least 0.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice. Rows are
        matched by position; an index is ignored.
    labels : sequence, default=None
        All labels in ascending order, one more than there are thresholds. Required if labels are
        names without an order, or if a label does not occur.

    Returns
    -------
    loss : float
        In [0, n_labels - 1].

    See Also
    --------
    mean_cost : Mean cost of predicted labels.

    Notes
    -----
    The value is the mean of :math:`\sum_{j=1}^{k-1} 1\{y^j (s - \theta_j) \le \gamma\}` with
    :math:`y^j = +1` for j < y and -1 otherwise. With margin 0 it is an upper bound of the mean
    absolute error of the model, and equal to it unless a score lies on a threshold. Cost: O(n·k).

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. Appendix
    A.7.

    Examples
    --------
    >>> from fairordinal.metrics import margin_loss
    >>> margin_loss([1, 2, 3], [0.5, 1.4, 1.8], [1.0, 2.0])     # the last one gets label 2
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
    weight = _weight_or_ones(sample_weight, len(truth.values))
    total = 0.0
    for rows in row_blocks(len(truth.values)):
        side = np.where(np.arange(len(cuts)) < truth.codes(rows)[:, None], 1.0, -1.0)
        wrong = side * (scored.values[rows][:, None] - cuts) <= margin
        total += float(weight[rows] @ wrong.sum(axis=1))
    return total / float(weight.sum())


def _checked_thresholds(thresholds: Any, labels: Array) -> Array:
    """Return thresholds as an array; raise ValueError unless they are valid for the labels."""
    try:
        cuts = np.asarray(thresholds, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"thresholds must hold numbers, got {thresholds!r}.") from None
    if cuts.shape != (len(labels) - 1,):
        raise ValueError(
            f"thresholds has shape {cuts.shape} but {len(labels)} labels {labels.tolist()} need "
            f"{len(labels) - 1}. Pass labels=[...] if some labels do not occur."
        )
    if np.isnan(cuts).any() or not (cuts[:-1] <= cuts[1:]).all():
        raise ValueError(f"thresholds must be in ascending order, got {cuts.tolist()}.")
    return cuts


def consistency_score(
    X: Any,
    y_pred: Any,
    *,
    n_neighbors: int = 5,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    r"""Consistency of predictions among nearest neighbours.

    1 is best: each sample has the same prediction as its neighbours. 0 is the worst: the
    predictions of a sample and of its neighbours are at opposite ends of the scale.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features that define similarity, by Euclidean distance. Scale them first, and omit
        sensitive features.
    y_pred : array-like of shape (n_samples,)
        Predicted labels or scores.
    n_neighbors : int, default=5
        Number of neighbours. All samples that are as near as the `n_neighbors`-th nearest one are
        neighbours too, so that the order of the rows has no effect.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples, and of their neighbours. Rows are matched by position; an index is
        ignored.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.

    Returns
    -------
    score : float
        In [0, 1].

    See Also
    --------
    pairwise_demographic_parity_difference : Fairness between groups.
    mean_cost : Mean cost of the predictions.

    Notes
    -----
    The value is :math:`1 - \frac1n \sum_i \frac{1}{|N(i)|} \sum_{j \in N(i)} |\hat y_i - \hat y_j|
    / r`, with the neighbours N(i) of sample i, and the range r of the labels (or scores). It is the
    ordinal form of the consistency of Zemel et al. Cost: O(n log n) in few dimensions, O(n²) in
    many.

    References
    ----------
    R. Zemel, Y. Wu, K. Swersky, T. Pitassi and C. Dwork, "Learning Fair Representations", ICML
    2013. M. Kleindessner et al., "Pairwise Fairness for Ordinal Regression", AISTATS 2022,
    arXiv:2105.03153. Section 6.

    Examples
    --------
    >>> from fairordinal.metrics import consistency_score
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> consistency_score(X, [1, 1, 3, 3], n_neighbors=1)
    1.0
    >>> consistency_score(X, [1, 3, 3, 3], n_neighbors=1)
    0.5
    """
    warn_misaligned({"X": X, "y_pred": y_pred, "sample_weight": sample_weight})
    X = check_array(X)
    at = _on_unit_range(y_pred, labels)
    if len(at) != len(X):
        raise ValueError(f"y_pred has {len(at)} rows but X has {len(X)}.")
    weight = _weight_or_ones(sample_weight, len(X))
    X, at, weight = X[weight > 0], at[weight > 0], weight[weight > 0]
    check_whole(n_neighbors, "n_neighbors", least=1, most=len(X) - 1)
    differences = _neighbour_differences(X, at, weight, n_neighbors)
    return float(1 - np.average(differences, weights=weight))


def _neighbour_differences(X: Array, at: Array, weight: Array, n_neighbors: int) -> Array:
    """Mean absolute difference between the prediction of each sample and of its neighbours."""
    tree = KDTree(X)
    differences = np.empty(len(X))
    for rows in row_blocks(len(X), BLOCK_QUERIES):
        # The nearest sample is the sample itself. A radius query then includes all ties.
        radius = tree.query(X[rows], k=n_neighbors + 1)[0][:, -1]
        near = tree.query_radius(X[rows], radius * (1 + 1e-12))
        for i, neighbours in zip(range(rows.start, rows.stop), near, strict=True):
            others = neighbours[neighbours != i]
            differences[i] = np.average(np.abs(at[others] - at[i]), weights=weight[others])
    return differences


def _on_unit_range(y_pred: Any, labels: Any) -> Array:
    """Return predictions divided by the range of the labels or scores."""
    column = read_column(y_pred, "y_pred")
    check_complete(column)
    if labels is None and column.names is None:
        coded = encode(column)
        at = coded.levels.astype(np.float64)
    else:
        coded, _, _ = order_labels(column, column, labels)
        at = label_places(coded.levels)
    span = abs(at[-1] - at[0]) or 1.0
    return (at / span)[coded.codes(slice(None))]


def _weight_or_ones(sample_weight: Any, n_rows: int) -> Array:
    """Return the checked weights of the rows; ones if there are none."""
    weight = read_weight(sample_weight, n_rows)
    return np.ones(n_rows) if weight is None else weight.values

"""Comparison of models on the same rows: cost, violation, and intervals of their differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import cost_unit
from fairordinal._render import frame_library, make_frame
from fairordinal._table import ScoreTable, tabulate
from fairordinal._validation import (
    Array,
    Coded,
    Samples,
    check_fraction,
    predictions_of,
    read_samples,
    shared_labels,
    warn_misaligned,
)
from fairordinal.criteria import Criterion, as_criterion
from fairordinal.frontier import _comparison_text
from fairordinal.frontier._paired_intervals import (
    Effects,
    PairedRows,
    effects_of,
    mean_difference,
    paired_rows,
    violation_difference,
)
from fairordinal.plotting import FrontierDisplay
from fairordinal.thresholds import Evaluation, Measured, measured


@dataclass(frozen=True, eq=False)
class Compared:
    """The predictions of a model: counts, and the influence of each row on cost and violation."""

    name: str
    table: ScoreTable
    values: Measured
    costs: Array  # of each row
    effects: Effects  # of each row on the disparities


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """What :func:`compare` found; printing it shows a table.

    Attributes
    ----------
    models : tuple of Compared
        In the order given; differences are to the first.
    criterion : Criterion
        The criterion of fairness.
    confidence : float
        The level of the intervals.
    sample : PairedRows
        Groups and weights of the rows.

    See Also
    --------
    compare : Makes a comparison.
    """

    models: tuple[Compared, ...]
    criterion: Criterion
    confidence: float
    sample: PairedRows
    library: str | None = None

    def frame(self) -> Any:
        """Cost and violation of each model and their differences to the first, with intervals.

        Returns
        -------
        frame : DataFrame
            A row for each model; differences of the first one are 0. Of the library that the input
            came from, otherwise pandas.
        """
        columns = {key: [row[key] for row in self.rows] for key in self.rows[0]}
        return make_frame(columns, self.library)

    def plot(self, *, ax: Any = None) -> FrontierDisplay:
        """Draw cost and violation of each model with intervals; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            With `ax_`, `figure_` and `frame`.
        """
        return FrontierDisplay.from_comparison(self, ax=ax)

    @property
    def baselines(self) -> dict[str, Measured]:
        """Cost and violation of each model with intervals, by name, as pictures take them."""
        return {model.name: model.values for model in self.models}

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of `frame`."""
        return [self._row(model) for model in self.models]

    def _row(self, model: Compared) -> dict[str, Any]:
        first, values = self.models[0], model.values
        cost = self._cost_difference(model)
        apart = values.violation - first.values.violation
        violation = self._violation_difference(model)
        return {
            "model": model.name,
            "cost": values.cost,
            "cost_lower": values.cost_interval[0],
            "cost_upper": values.cost_interval[1],
            "violation": values.violation,
            "violation_lower": values.violation_interval[0],
            "violation_upper": values.violation_interval[1],
            "cost_difference": values.cost - first.values.cost,
            "cost_difference_lower": cost[0],
            "cost_difference_upper": cost[1],
            "violation_difference": apart,
            "violation_difference_lower": violation[0],
            "violation_difference_upper": violation[1],
        }

    def _cost_difference(self, model: Compared) -> tuple[float, float]:
        """Interval of the difference of mean costs to the first model: rows are paired."""
        unit = cost_unit(np.maximum(model.costs, self.models[0].costs))
        rows = model.costs / unit - self.models[0].costs / unit
        low, high = mean_difference(rows, self.sample, self.confidence)
        return unit * low, unit * high

    def _violation_difference(self, model: Compared) -> tuple[float, float]:
        """Interval of the difference of violations to the first model: rows are paired."""
        first = self.models[0]
        if model is first:
            return 0.0, 0.0
        return violation_difference(model.effects, first.effects, self.sample, self.confidence)

    def __str__(self) -> str:
        return _comparison_text.as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _comparison_text.as_html(self)


def compare(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    criterion: Any = "demographic_parity",
    cost_matrix: Any = "absolute",
    confidence: float = 0.95,
    labels: Any = None,
    sample_weight: Any = None,
    weights: str = "frequency",
) -> ModelComparison:
    r"""Compare fitted models on the same rows, with paired intervals of their differences.

    Parameters
    ----------
    models : mapping of str to fitted estimator or array-like
        By name; an array is taken as predictions. Models whose `predict` takes
        `sensitive_features`, such as group-aware thresholds, get them. A regressor predicts scores:
        wrap it in :class:`~fairordinal.FairThresholdClassifier`, or pass its rounded predictions.
    X : array-like of shape (n_samples, n_features)
        Rows that no model was fitted to.
    y : array-like of shape (n_samples,)
        True ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample. Rows are matched by position; an index is ignored.
    criterion : str or Criterion, default="demographic_parity"
        The criterion of fairness. By name: ``"demographic_parity"``, ``"equal_opportunity"``,
        ``"equalized_odds"``, ``"conditional_demographic_parity"``, ``"harm_parity"``,
        ``"conditional_harm_parity"``, ``"standard_demographic_parity"``,
        ``"standard_equal_opportunity"`` or ``"standard_equalized_odds"``.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The cost of errors: ``|i-j|``, ``1{i≠j}``, ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped
        matrix ``C[i, j]`` for the true label i and the predicted label j.
    confidence : float, default=0.95
        The level of the intervals.
    labels : sequence, default=None
        All labels in ascending order; None takes the order of numbers, of categoricals, or of
        models that were fitted with `labels`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; see `weights`.
    weights : {"frequency", "survey"}, default="frequency"
        A frequency weight of 2 is a row repeated twice. A survey weight of 2 is one row that
        represents two people: intervals are then those of the rows in the sample.

    Returns
    -------
    comparison : ModelComparison
        Print it, `plot()` it, take its `frame()`, or draw it beside a frontier:
        ``frontier.plot(baselines=comparison)``.

    See Also
    --------
    FairOrdinalFrontier : Models from accurate to fair, on cross-validated rows.

    Notes
    -----
    The influence of a row on a mean cost is its cost, and on a disparity its derivative by one more
    row. The variance of a difference is that of the differences of the rows (the delta method). A
    violation is the largest absolute disparity; neither its sign nor its pair of groups is taken as
    known, so that many groups make its interval wider. Cost: O(n) for each model.

    Examples
    --------
    >>> from fairordinal import compare
    >>> y, a = [1, 2, 3, 1, 2, 3], list("fffmmm")
    >>> models = {"plain": [1, 2, 3, 2, 2, 3], "fair": [1, 2, 3, 1, 2, 3]}
    >>> found = compare(models, None, y, sensitive_features=a)
    >>> found.frame()["cost"].round(3).tolist()
    [0.167, 0.0]
    """
    check_fraction(confidence, "confidence")
    if not isinstance(models, Mapping) or not models:
        raise ValueError(
            "models must be a mapping of names to fitted estimators or predictions, got "
            f"{models!r}."
        )
    warn_misaligned({"X": X, "y": y, "sensitive_features": sensitive_features})
    fairness, labels = as_criterion(criterion, cost_matrix), shared_labels(models, labels)
    found = []
    for name, model in models.items():
        predicted = _predicted(name, model, X, sensitive_features)
        samples = read_samples(
            *(y, predicted, sensitive_features),
            labels=labels,
            sample_weight=sample_weight,
            weights=weights,
            name="y",
            predicted_name=f"models[{name!r}]",
        )
        found.append(_compared(str(name), samples, fairness, cost_matrix, confidence))
    groups = _places(samples.groups, found[0].table.groups)
    sample = paired_rows(groups, samples.weight)
    return ModelComparison(
        tuple(found), fairness, confidence, sample, frame_library(X, y, sensitive_features)
    )


def _predicted(name: str, model: Any, X: Any, sensitive_features: Any) -> Any:
    """The predictions of a model, or predictions as they are given."""
    if not hasattr(model, "predict"):
        return model
    try:
        return predictions_of(model, X, sensitive_features)
    except NotFittedError as error:
        raise NotFittedError(
            f"models[{name!r}] is not fitted: {error} Models are compared on rows that they were "
            "not fitted to."
        ) from error


def _compared(
    name: str, samples: Samples, criterion: Criterion, cost_matrix: Any, confidence: float
) -> Compared:
    """Count the predictions of a model, and compute the influence of each row."""
    if not samples.predicts_labels:
        raise ValueError(_how_to_label(name, samples))
    table = tabulate(samples)
    cost = as_cost_matrix(cost_matrix, table.labels)
    truth, predicted = (
        _places(column, table.labels) for column in (samples.truth, samples.positions)
    )
    group = _places(samples.groups, table.groups)
    cells = np.ravel_multi_index((group, truth, predicted), table.shape)
    return Compared(
        name,
        table,
        measured(Evaluation(criterion, cost, table.groups, table.labels), table, confidence),
        cost[truth, predicted],
        effects_of(criterion, table, cells),
    )


def _places(column: Coded, levels: Array) -> Array:
    """Places of rows among the levels of a table; 0 in rows without weight whose level it lacks."""
    place = {level: i for i, level in enumerate(levels.tolist())}
    places = np.array([place.get(level, 0) for level in column.levels.tolist()])
    return places[column.codes(slice(None))]


def _how_to_label(name: str, samples: Samples) -> str:
    """What to do with a model that predicts scores: fair thresholds, or rounding if that works."""
    labels, scores = samples.truth.levels, samples.positions.levels
    score = next(score for score in scores.tolist() if score not in labels.tolist())
    message = (
        f"models[{name!r}] must predict labels, got scores such as {score:g}. Cut them at "
        "thresholds, FairThresholdClassifier(model, cv='prefit').fit(…) with rows that the model "
        "was not fitted to"
    )
    if labels.dtype.kind not in "iuf" or not np.isin(np.diff(labels), 1).all():
        return f"{message}, and pass that classifier."
    low, high = labels[0].item(), labels[-1].item()
    return (
        f"{message}, and pass that classifier; or pass scores rounded to labels: "
        f"np.rint(scores).clip({low:g}, {high:g})."
    )

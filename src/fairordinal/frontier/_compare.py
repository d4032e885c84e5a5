"""Several models on the same rows: what each costs, and how sure the differences are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtri

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._render import (
    frame_library,
    html_page,
    html_table,
    make_frame,
    number,
    text_table,
)
from fairordinal._table import ScoreTable, tabulate
from fairordinal._validation import Array, check_fraction, read_samples
from fairordinal.criteria import Criterion, as_criterion
from fairordinal.frontier._point import Measured, measured
from fairordinal.plotting import FrontierDisplay


@dataclass(frozen=True, eq=False)
class Compared:
    """A model's predictions: counts, and what each row adds to cost and violation."""

    name: str
    table: ScoreTable
    values: Measured
    costs: Array  # of each row
    effects: Array  # of each row on the violation

    @property
    def signs(self) -> tuple[float, ...]:
        """Signs that the greatest disparity, turned to be positive, may have in truth."""
        return (1.0,) if self.values.violation_interval[0] > 0 else (1.0, -1.0)


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """What :func:`compare` found; printing it shows a table.

    Attributes
    ----------
    models : tuple of Compared
        In the order given; differences are to the first.
    criterion : Criterion
        What is fair.
    confidence : float
        Of the intervals.
    """

    models: tuple[Compared, ...]
    criterion: Criterion
    confidence: float
    groups: Array  # code of each row
    library: str | None = None

    def frame(self) -> Any:
        """Each model as a row: cost, violation and their differences to the first, intervals.

        Differences of a model to itself are 0. A frame of the library the input came from, else
        pandas.
        """
        columns = {key: [row[key] for row in self._rows] for key in self._rows[0]}
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
        drawn = {
            model.name: (
                model.values.cost,
                model.values.cost_interval,
                model.values.violation,
                model.values.violation_interval,
            )
            for model in self.models
        }
        return FrontierDisplay.from_points([], [], baselines=drawn, ax=ax)

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
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
        """Interval of the difference of mean costs: rows are paired."""
        rows = model.costs - self.models[0].costs
        centre, reach = float(rows.mean()), self._reach(rows.var(ddof=1) / len(rows))
        return centre - reach, centre + reach

    def _violation_difference(self, model: Compared) -> tuple[float, float]:
        """Interval of the difference of violations, whichever signs the disparities have.

        A violation is an absolute value. Where the sign of its disparity is not clear, both are
        possible, and the interval holds the intervals of both.
        """
        first = self.models[0]
        if model is first:
            return 0.0, 0.0
        signs = product(model.signs, first.signs)
        lows, highs = zip(*(self._signed_difference(model, *pair) for pair in signs), strict=True)
        return min(lows), max(highs)

    def _signed_difference(
        self, model: Compared, sign: float, first_sign: float
    ) -> tuple[float, float]:
        first, sizes = self.models[0], np.bincount(self.groups)
        rows = sign * model.effects - first_sign * first.effects
        centre = sign * model.values.violation - first_sign * first.values.violation
        correction = (sizes / np.maximum(sizes - 1, 1))[self.groups]
        reach = self._reach((rows**2 * correction).sum())
        return centre - reach, centre + reach

    def _reach(self, variance: float) -> float:
        return float(ndtri(0.5 + 0.5 * self.confidence) * np.sqrt(variance))

    def __str__(self) -> str:
        return "\n".join([self._title, "", text_table(*self._cells)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_page(self._title, html_table(*self._cells))

    @property
    def _title(self) -> str:
        return (
            f"{len(self.models)} models on {len(self.groups):,} rows: {self.criterion.title} "
            f"({100 * self.confidence:g} % intervals; differences to the first, rows paired)"
        )

    @property
    def _cells(self) -> tuple[list[str], list[list[str]]]:
        header = ["model", "cost", "difference", "violation", "difference"]
        rows = []
        for i, row in enumerate(self._rows):
            apart = [
                ""
                if i == 0
                else f"{row[key]:+.3f} ({row[f'{key}_lower']:+.3f} … {row[f'{key}_upper']:+.3f})"
                for key in ("cost_difference", "violation_difference")
            ]
            rows.append(
                [row["model"], number(row["cost"]), apart[0], number(row["violation"]), apart[1]]
            )
        return header, rows


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
) -> ModelComparison:
    r"""Compare fitted models on the same rows, with paired intervals of their differences.

    Parameters
    ----------
    models : mapping of str to fitted estimator or array-like
        By name; an array is taken as predictions.
    X : array-like of shape (n_samples, n_features)
        Rows that no model was fitted to.
    y : array-like of shape (n_samples,)
        True ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample.
    criterion : str or Criterion, default="demographic_parity"
        What is fair.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    confidence : float, default=0.95
        Of the intervals.
    labels : sequence, default=None
        All labels in ascending order.

    Returns
    -------
    comparison : ModelComparison
        Print it, or take its `frame()`.

    Notes
    -----
    A row adds to a mean cost its cost, and to a violation its influence on the greatest disparity;
    the variance of a difference is that of the rows' differences (the delta method). Disparities
    whose sign is not clear make the interval wider. Cost: O(n) for each model.

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
    notion = as_criterion(criterion, cost_matrix)
    found = []
    for name, model in models.items():
        predicted = model.predict(X) if hasattr(model, "predict") else model
        samples = read_samples(y, predicted, sensitive_features, labels=labels, name="y")
        if not samples.predicts_labels:
            raise ValueError(f"models[{name!r}] predicts scores; labels are needed to compare.")
        cost = as_cost_matrix(cost_matrix, samples.truth.levels)
        table, whole = tabulate(samples), slice(None)
        at = tuple(c.codes(whole) for c in (samples.groups, samples.truth, samples.positions))
        found.append(
            Compared(
                str(name),
                table,
                measured(notion, cost, table, confidence),
                cost[at[1], at[2]],
                _effects(notion, table)[at],
            )
        )
    groups = samples.groups.codes(slice(None))
    return ModelComparison(
        tuple(found), notion, confidence, groups, frame_library(X, y, sensitive_features)
    )


def _effects(criterion: Criterion, table: ScoreTable) -> Array:
    """How one more row of a group, label and prediction moves the violation."""
    effects = np.zeros(table.shape)
    worst = criterion.worst(table)
    if worst is None:
        return effects
    part, g, h = worst
    for block in table.blocks():
        influence = criterion.influence(table, block)
        for group, other, sign in ((g, h, 1.0), (h, g, -1.0)):
            entry = np.flatnonzero(block.group == group)
            at = (group, block.label[entry], block.position[entry])
            effects[at] = sign * influence[part, entry, other]
    return effects

"""The methods that are compared in the paper's figures.

Each is a frozen dataclass. Its class name and fields name the files of stored results, and must
not change. Its rows have a `kind` of predictor, a criterion, a parameter, cost and violation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array
from fairordinal.baselines import (
    ORCA_GRIDS,
    PAPER_PROBABILITIES,
    ConstantClassifier,
    ProportionalOddsClassifier,
    make_orca,
    mix_tables,
)
from fairordinal.criteria import as_criterion
from fairordinal.experiments._cells import DataSplit, Row, SplitPart
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.metrics import mean_cost
from fairordinal.ranker import FairLinearRanker
from fairordinal.thresholds import optimize_thresholds

DP, EO = "demographic_parity", "equal_opportunity"
CRITERIA = (DP, EO)
ORCA_PROBABILITIES = tuple(j / 10 for j in range(1, 10))
N_FOLDS = 5


# Evaluation on the test rows of a split


def evaluate(
    split: DataSplit, predicted: Array, cost: str, *, kind: str, criterion: str, parameter: float
) -> Row:
    """Return the row of results for predictions of the test rows."""
    return {
        "kind": kind,
        "criterion": criterion,
        "parameter": parameter,
        "cost": mean_cost(split.test.y, predicted, cost_matrix=cost, labels=split.labels),
        "violation": as_criterion(criterion).violation(_test_table(split, predicted)),
    }


def evaluate_mixtures(
    split: DataSplit,
    predicted: Array,
    cost: str,
    *,
    kind: str,
    criterion: str,
    probabilities: tuple[float, ...],
) -> list[Row]:
    """Return a row for each random mixture of predictions and the best constant label.

    Costs and violations are expectations over the coins.
    """
    constant = np.full_like(predicted, best_constant(split.train, cost, split.labels))
    ends = (predicted, constant)
    costs = [
        mean_cost(split.test.y, labels, cost_matrix=cost, labels=split.labels) for labels in ends
    ]
    model_table, constant_table = (_test_table(split, labels) for labels in ends)
    return [
        {
            "kind": kind,
            "criterion": criterion,
            "parameter": p,
            "cost": (1 - p) * costs[0] + p * costs[1],
            "violation": as_criterion(criterion).violation(
                mix_tables(model_table, constant_table, p)
            ),
        }
        for p in probabilities
    ]


def evaluate_thresholds(
    method: Recipe | Odds,
    split: DataSplit,
    scores: tuple[Array, Array],
    *,
    kind: str,
    criterion: str,
    parameter: float,
    trade_off: float,
) -> Row:
    """Optimise thresholds for the training scores, and return their row for the test scores.

    The row also has the gap, the distance of the objective from its proved lower bound.
    """
    train_scores, test_scores = scores
    result = optimize_thresholds(
        train_scores,
        split.train.y,
        sensitive_features=split.train.groups,
        criterion=criterion,
        trade_off=trade_off,
        cost_matrix=method.cost,
        labels=split.labels,
        max_time=method.max_time,
    )
    if result.stopped_by == "interrupt":  # the user wants to stop the experiment
        raise KeyboardInterrupt
    predicted = result.predict(test_scores)
    row = evaluate(
        split, predicted, method.cost, kind=kind, criterion=criterion, parameter=parameter
    )
    return row | {"gap": result.gap}


def best_constant(rows: SplitPart, cost: str, labels: list[int]) -> int:
    """Return the label with the least mean cost; the median for absolute costs."""
    model = ConstantClassifier(cost_matrix=cost, labels=labels)
    return int(model.fit(rows.X, rows.y).constant_)


def is_defined(criterion: str, rows: SplitPart) -> bool:
    """Check that some pair of groups can be compared in these rows."""
    table = read_table(rows.y, rows.y, rows.groups)
    return not np.isnan(as_criterion(criterion).violation(table))


def _test_table(split: DataSplit, predicted: Array) -> ScoreTable:
    """Count the test rows by group, true label and predicted label."""
    return read_table(split.test.y, predicted, split.test.groups, labels=split.labels)


# Methods


@dataclass(frozen=True)
class Recipe:
    """The paper's method: predictors (i) of section 5.1, and the ablation of section 5.2.

    One path of rankers gives both: kind ``"ours"`` has thresholds for λ' = μ, and kind
    ``"ranker only"`` for λ' = 0. All pairs are used, where the paper samples 6·10⁵, and thresholds
    are certified, where the paper uses a local search.
    """

    criterion: str
    trade_offs: tuple[float, ...]
    cost: str = "absolute"
    max_time: float = 3.0

    def points(self, split: DataSplit) -> list[Row]:
        if not is_defined(self.criterion, split.train):
            return []
        X, y, groups = split.train
        path = FairLinearRanker(self.criterion, ranker="grid", labels=split.labels)
        path.fit(X, y, sensitive_features=groups)
        return [row for mu in self.trade_offs for row in self._points_at(mu, split, path.at(mu))]

    def _points_at(self, mu: float, split: DataSplit, ranker: Any) -> list[Row]:
        """Evaluate the ranker for μ with thresholds for λ' = μ and for λ' = 0."""
        scores = ranker.decision_function(split.train.X), ranker.decision_function(split.test.X)
        return [
            evaluate_thresholds(
                self,
                split,
                scores,
                kind=kind,
                criterion=self.criterion,
                parameter=mu,
                trade_off=lambda_,
            )
            for kind, lambda_ in (("ours", mu), ("ranker only", 0.0))
        ]


@dataclass(frozen=True)
class Limits:
    """Beyond the paper: models that this library's frontier selects for limits of the violation."""

    criterion: str
    limits: tuple[float, ...]
    cost: str = "absolute"

    def points(self, split: DataSplit) -> list[Row]:
        if not is_defined(self.criterion, split.train):
            return []
        X, y, groups = split.train
        frontier = FairOrdinalFrontier(self.criterion, cost_matrix=self.cost, labels=split.labels)
        frontier.fit(X, y, sensitive_features=groups)
        return [
            evaluate(
                split,
                frontier.select(max_violation=limit).predict(split.test.X),
                self.cost,
                kind="frontier",
                criterion=self.criterion,
                parameter=limit,
            )
            for limit in self.limits
        ]


@dataclass(frozen=True)
class Constant:
    """The best constant label: the one with the least mean cost on the training rows."""

    cost: str = "absolute"

    def points(self, split: DataSplit) -> list[Row]:
        label = best_constant(split.train, self.cost, split.labels)
        predicted = np.full(len(split.test.y), label)
        return [
            evaluate(
                split, predicted, self.cost, kind="constant", criterion=criterion, parameter=0.0
            )
            for criterion in CRITERIA
        ]


@dataclass(frozen=True)
class Odds:
    """Predictors (ii), (iv) and (v) of section 5.1, from one fit of proportional odds.

    Kinds are ``"POM"`` for the model, ``"mixture"`` for random mixtures with the best constant
    label, and ``"POM thresholds"`` for fair thresholds on its scores.
    """

    trade_offs: tuple[float, ...]
    cost: str = "absolute"
    max_time: float = 3.0

    def points(self, split: DataSplit) -> list[Row]:
        model = ProportionalOddsClassifier().fit(split.train.X, split.train.y)
        predicted = model.predict(split.test.X)
        scores = model.decision_function(split.train.X), model.decision_function(split.test.X)
        rows = []
        for criterion in CRITERIA:
            plain = evaluate(
                split, predicted, self.cost, kind="POM", criterion=criterion, parameter=0.0
            )
            mixed = evaluate_mixtures(
                split,
                predicted,
                self.cost,
                kind="mixture",
                criterion=criterion,
                probabilities=PAPER_PROBABILITIES,
            )
            rows += [plain, *mixed, *self._with_fair_thresholds(split, scores, criterion)]
        return rows

    def _with_fair_thresholds(
        self, split: DataSplit, scores: tuple[Array, Array], criterion: str
    ) -> list[Row]:
        return [
            evaluate_thresholds(
                self,
                split,
                scores,
                kind="POM thresholds",
                criterion=criterion,
                parameter=trade_off,
                trade_off=trade_off,
            )
            for trade_off in self.trade_offs
        ]


@dataclass(frozen=True)
class Orca:
    """One of the 17 methods of ORCA, tuned by five folds and the mean absolute error.

    Kinds are the name of the method, and ``"<name> mixture"`` for random mixtures with the best
    constant label.
    """

    name: str
    quick: bool = False  # use every other value of the grid
    seed: int = 0  # of the folds

    def points(self, split: DataSplit) -> list[Row]:
        predicted = self._search().fit(split.train.X, split.train.y).predict(split.test.X)
        rows = []
        for criterion in CRITERIA:
            plain = evaluate(
                split, predicted, "absolute", kind=self.name, criterion=criterion, parameter=0.0
            )
            mixed = evaluate_mixtures(
                split,
                predicted,
                "absolute",
                kind=f"{self.name} mixture",
                criterion=criterion,
                probabilities=ORCA_PROBABILITIES,
            )
            rows += [plain, *mixed]
        return rows

    def _search(self) -> Any:
        grid = ORCA_GRIDS[self.name]
        return GridSearchCV(
            make_orca(self.name),
            thin_grid(grid) if self.quick else grid,
            scoring="neg_mean_absolute_error",
            cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=self.seed),
        )


def thin_grid(grid: Any) -> Any:
    """Keep every other value of each parameter of a grid, starting with the second."""
    if isinstance(grid, list):  # a list of points, each a grid with one value per parameter
        kept = {name: thin(sorted({each[name][0] for each in grid})) for name in grid[0]}
        return [each for each in grid if all(each[name][0] in kept[name] for name in each)]
    return {name: thin(values) for name, values in grid.items()}


def thin(values: list[Any]) -> list[Any]:
    """Keep every other value, starting with the second; a single value is kept."""
    return values[1::2] if len(values) > 1 else values

"""Beyond the paper: the frontier of this library, asked for limits of the violation."""

from __future__ import annotations

from dataclasses import dataclass

from fairordinal.experiments._cell import Row
from fairordinal.experiments._split import Split
from fairordinal.experiments.methods.judge import is_defined, judge
from fairordinal.frontier import FairOrdinalFrontier


@dataclass(frozen=True)
class Limits:
    """Models that a frontier selects for each limit, by cross-validated estimates."""

    criterion: str
    limits: tuple[float, ...]
    cost: str = "absolute"

    def points(self, split: Split) -> list[Row]:
        if not is_defined(self.criterion, split.train):
            return []
        X, y, groups = split.train
        frontier = FairOrdinalFrontier(
            self.criterion, cost_matrix=self.cost, categories=split.labels
        )
        frontier.fit(X, y, sensitive_features=groups)
        return [
            judge(
                split,
                frontier.select(max_violation=limit).predict(split.test.X),
                self.cost,
                kind="frontier",
                criterion=self.criterion,
                parameter=limit,
            )
            for limit in self.limits
        ]

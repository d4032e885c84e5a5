"""The paper's method: a ranker by the rule for μ, and thresholds for λ'=μ or λ'=0."""

from __future__ import annotations

from dataclasses import dataclass

from fairordinal.experiments._cell import Row
from fairordinal.experiments._split import Split
from fairordinal.experiments.methods.judge import is_defined, judge
from fairordinal.ranker import FairLinearRanker
from fairordinal.thresholds import optimize_thresholds


@dataclass(frozen=True)
class Recipe:
    """Predictors (i) of section 5.1, and the ablation of section 5.2, from one path of rankers.

    All pairs take part, where the paper samples 6·10⁵, and thresholds are certified, where the
    paper searches locally.
    """

    criterion: str
    trade_offs: tuple[float, ...]
    cost: str = "absolute"
    max_time: float = 3.0

    def points(self, split: Split) -> list[Row]:
        if not is_defined(self.criterion, split.train):
            return []
        X, y, groups = split.train
        path = FairLinearRanker(self.criterion, ranker="grid", categories=split.labels)
        path.fit(X, y, sensitive_features=groups)
        return [
            self._point(split, path, trade_off, price, kind)
            for trade_off in self.trade_offs
            for kind, price in (("ours", trade_off), ("ranker only", 0.0))
        ]

    def _point(
        self, split: Split, path: FairLinearRanker, trade_off: float, price: float, kind: str
    ) -> Row:
        ranker = path.at(trade_off)
        result = optimize_thresholds(
            ranker.decision_function(split.train.X),
            split.train.y,
            sensitive_features=split.train.groups,
            criterion=self.criterion,
            trade_off=price,
            cost_matrix=self.cost,
            labels=split.labels,
            max_time=self.max_time,
        )
        predicted = result.predict(ranker.decision_function(split.test.X))
        row = judge(
            split,
            predicted,
            self.cost,
            kind=kind,
            criterion=self.criterion,
            parameter=trade_off,
        )
        return row | {"gap": result.gap}

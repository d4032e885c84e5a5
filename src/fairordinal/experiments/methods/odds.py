"""Proportional odds: as it is, mixed with the constant by a coin, and with fair thresholds."""

from __future__ import annotations

from dataclasses import dataclass

from fairordinal.baselines import PAPER_PROBABILITIES, ProportionalOddsClassifier
from fairordinal.experiments._cell import Row
from fairordinal.experiments._split import Split
from fairordinal.experiments.methods.judge import CRITERIA, judge, mixtures
from fairordinal.thresholds import optimize_thresholds


@dataclass(frozen=True)
class Odds:
    """Predictors (ii), (iv) and (v) of section 5.1, all of one fit."""

    trade_offs: tuple[float, ...]
    cost: str = "absolute"
    max_time: float = 3.0

    def points(self, split: Split) -> list[Row]:
        model = ProportionalOddsClassifier().fit(split.train.X, split.train.y)
        return [row for criterion in CRITERIA for row in self._aimed(split, model, criterion)]

    def _aimed(self, split: Split, model: ProportionalOddsClassifier, criterion: str) -> list[Row]:
        predicted = model.predict(split.test.X)
        plain = judge(split, predicted, self.cost, kind="POM", criterion=criterion, parameter=0.0)
        mixed = mixtures(
            split,
            predicted,
            self.cost,
            kind="mixture",
            criterion=criterion,
            probabilities=PAPER_PROBABILITIES,
        )
        return [plain, *mixed, *self._cut(split, model, criterion)]

    def _cut(self, split: Split, model: ProportionalOddsClassifier, criterion: str) -> list[Row]:
        """Fair thresholds for the scores of the model, by price."""
        known, new = (model.decision_function(rows.X) for rows in (split.train, split.test))
        rows = []
        for trade_off in self.trade_offs:
            result = optimize_thresholds(
                known,
                split.train.y,
                sensitive_features=split.train.groups,
                criterion=criterion,
                trade_off=trade_off,
                cost_matrix=self.cost,
                labels=split.labels,
                max_time=self.max_time,
            )
            row = judge(
                split,
                result.predict(new),
                self.cost,
                kind="POM thresholds",
                criterion=criterion,
                parameter=trade_off,
            )
            rows.append(row | {"gap": result.gap})
        return rows

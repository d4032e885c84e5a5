"""The best constant predictor: the fairest and simplest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairordinal.experiments._cell import Row
from fairordinal.experiments._split import Split
from fairordinal.experiments.methods.judge import CRITERIA, best_constant, judge


@dataclass(frozen=True)
class Constant:
    """The label of least cost in the training rows; the median for absolute errors."""

    cost: str = "absolute"

    def points(self, split: Split) -> list[Row]:
        label = best_constant(split.train, self.cost, split.labels)
        predicted = np.full(len(split.test.y), label)
        return [
            judge(split, predicted, self.cost, kind="constant", criterion=criterion, parameter=0.0)
            for criterion in CRITERIA
        ]

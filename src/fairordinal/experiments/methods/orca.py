"""The methods of ORCA, tuned as in its survey, and mixed with the best constant by a coin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.model_selection import GridSearchCV, StratifiedKFold

from fairordinal.baselines import ORCA_GRIDS, make_orca
from fairordinal.experiments._cell import Row
from fairordinal.experiments._split import Split
from fairordinal.experiments.methods.judge import CRITERIA, judge, mixtures

PROBABILITIES = tuple(j / 10 for j in range(1, 10))
N_FOLDS = 5


@dataclass(frozen=True)
class Orca:
    """One of the 17 methods: five folds over its grid, least mean absolute error."""

    name: str
    quick: bool = False  # every other value of the grid
    seed: int = 0  # of the folds

    def points(self, split: Split) -> list[Row]:
        predicted = self._search().fit(split.train.X, split.train.y).predict(split.test.X)
        rows = []
        for criterion in CRITERIA:
            plain = judge(
                split, predicted, "absolute", kind=self.name, criterion=criterion, parameter=0.0
            )
            mixed = mixtures(
                split,
                predicted,
                "absolute",
                kind=f"{self.name} mixture",
                criterion=criterion,
                probabilities=PROBABILITIES,
            )
            rows += [plain, *mixed]
        return rows

    def _search(self) -> Any:
        grid = ORCA_GRIDS[self.name]
        return GridSearchCV(
            make_orca(self.name),
            thinned(grid) if self.quick else grid,
            scoring="neg_mean_absolute_error",
            cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=self.seed),
        )


def thinned(grid: Any) -> Any:
    """Every other value of each parameter, from the second on."""
    if isinstance(grid, list):
        kept = {name: thin(sorted({each[name][0] for each in grid})) for name in grid[0]}
        return [each for each in grid if all(each[name][0] in kept[name] for name in each)]
    return {name: thin(values) for name, values in grid.items()}


def thin(values: list[Any]) -> list[Any]:
    """Every other value, if there are several."""
    return values[1::2] if len(values) > 1 else values

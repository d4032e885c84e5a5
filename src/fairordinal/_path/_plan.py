"""How rankers are learned from rows: a path from accurate to fair, and fits to other rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairordinal._pairloss import Kernel
from fairordinal._rows import Rows, on_site
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.ranker import (
    Aim,
    Fit,
    PairData,
    Training,
    fit_path,
    pair_data,
    require_pairwise,
    warn_unconverged,
)
from fairordinal.thresholds import Evaluation

MOST_STEEP = 1 << 16  # rows from which the Hessian is estimated
ROUGHER = 100.0  # tolerance of fits to folds, relative to that of the path


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything about a path of rankers but the rows."""

    evaluation: Evaluation  # its criterion is pairwise
    loss: Kernel
    ways: tuple[str, ...]
    training: Training

    def path(self, rows: Rows) -> list[Fit]:
        """Rankers from accurate to fair."""
        return on_site(_path, [rows], self)

    def refit(self, rows: Rows, path: list[Fit]) -> list[Fit]:
        """Rankers with the aims of a path, fitted to a part of its rows."""
        max_iter = min(self.training.max_iter, self.evaluation.effort.max_iter)
        rough = replace(self.training, tol=ROUGHER * self.training.tol, max_iter=max_iter)
        return rough.fit_again(self.pairs(rows), path)

    @one_thread
    def extend(self, rows: Rows, fit: Fit, sample: Rows) -> Fit:
        """A ranker that was fitted to a sample, fitted to all rows.

        The Hessian on the sample preconditions the fit, so that it takes fewer steps.
        """
        if fit.aim is None:
            return fit
        steepness = on_site(_steepness, [sample], self, fit.aim, fit.coef)
        extended = self.training.fit(self.pairs(rows), fit.aim, fit.coef, steepness)
        warn_unconverged([extended], self.training.max_iter)
        return extended

    def pairs(self, rows: Rows) -> PairData:
        """Pairs of rows to learn from."""
        return pair_data(rows, require_pairwise(self.evaluation.criterion), self.loss)


def _path(rows: Rows, plan: Plan) -> list[Fit]:
    return fit_path(plan.pairs(rows), plan.ways, plan.training)


def _steepness(rows: Rows, plan: Plan, aim: Aim, coef: Array) -> Array | None:
    return plan.training.steepness(plan.pairs(rows.sample(MOST_STEEP)), aim, coef)

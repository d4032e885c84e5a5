"""How rankers are learned from rows: a path from accurate to fair, and fits to other rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairordinal._basis import Basis
from fairordinal._pairloss import Kernel
from fairordinal._rows import Block, Folds, Rows, on_site
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.ranker import (
    ALPHAS,
    Aim,
    Fit,
    PairData,
    Training,
    accuracies_by_alpha,
    accuracies_in_folds,
    fit_path,
    pair_data,
    require_pairwise,
    warn_unconverged,
)
from fairordinal.thresholds import Evaluation

MOST_STEEP = 1 << 16  # rows from which the Hessian is estimated
MOST_GROWN = 3 << 14  # rows from which ramps, trees and their ranker are learned
MOST_TESTED = 1 << 15  # held-out rows by which the strength of the penalty is chosen
ROUGHER = 100.0  # tolerance of fits to folds, relative to that of the path
TREE_ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything about a path of rankers but the rows."""

    evaluation: Evaluation  # its criterion is pairwise
    loss: Kernel
    ways: tuple[str, ...]
    training: Training
    basis: Basis

    def path(self, rows: Rows) -> list[Fit]:
        """Rankers from accurate to fair."""
        return on_site(_path, [rows], self)

    def grown(self, rows: Rows) -> Plan:
        """The plan with the basis that some rows lead to."""
        return replace(self, basis=self.basis.again(rows))

    def accuracies(self, rows: Rows, folds: Folds) -> Array:
        """Shares of held-out pairs in order by the plain ranker, for each fold and strength."""
        known = held_out_together(rows, folds)  # the basis was made of these rows
        return accuracies_in_folds(rows, folds, _accuracies, self, known)

    def with_alpha(self, accuracies: Array) -> Plan:
        """The plan with the strength of the penalty that has the most held-out pairs in order."""
        alpha = self.alphas[int(accuracies.mean(axis=0).argmax())]
        return replace(self, training=replace(self.training, alpha=alpha))

    @property
    def alphas(self) -> tuple[float, ...]:
        return TREE_ALPHAS if self.basis.has_leaves else ALPHAS

    def refit(self, rows: Rows, path: list[Fit]) -> list[Fit]:
        """Rankers with the aims of a path, fitted to a part of its rows."""
        max_iter = min(self.training.max_iter, self.evaluation.effort.max_iter)
        rough = replace(self.training, tol=ROUGHER * self.training.tol, max_iter=max_iter)
        again = rough.fit_in_turn if self.basis.has_leaves else rough.fit_again
        return again(self.pairs(rows), path)

    @one_thread
    def extend(self, rows: Rows, fit: Fit, sample: Rows) -> tuple[Plan, Fit]:
        """A ranker that was fitted to a small sample, fitted to more rows; and its plan.

        A linear one is fitted to all rows. The Hessian on the sample preconditions the fit, so that
        it takes fewer steps. Ramps and trees are learned from a larger sample, with their ranker.
        """
        if fit.aim is None:
            return self, fit
        if not self.basis.is_fixed:
            more = rows.sample(MOST_GROWN)
            plan = self.grown(more)
            return plan, on_site(_fit_cold, [more], plan, fit)
        steepness = on_site(_steepness, [sample], self, fit.aim, fit.coef)
        extended = self.training.fit(self.pairs(rows), fit.aim, fit.coef, steepness)
        warn_unconverged([extended], self.training.max_iter)
        return self, extended

    def pairs(self, rows: Rows) -> PairData:
        """Pairs of rows to learn from."""
        return pair_data(rows, require_pairwise(self.evaluation.criterion), self.loss)


def held_out_together(rows: Rows, folds: Folds) -> bool:
    """Whether rankers learn from all of the rows, and all others are held out."""
    return len(folds) == 1 and folds[0][0] is rows


def _path(rows: Rows, plan: Plan) -> list[Fit]:
    return fit_path(plan.pairs(plan.basis.mapped(rows)), plan.ways, plan.training)


def _fit_cold(rows: Rows, plan: Plan, fit: Fit) -> Fit:
    return plan.training.fit_in_turn(plan.pairs(plan.basis.mapped(rows)), [fit])[0]


def _accuracies(train: Block, held_out: Block, plan: Plan, known: bool) -> list[float]:
    """Shares of held-out pairs in order by the plain ranker, for each strength of the penalty."""
    again, some = plan.basis if known else plan.basis.again(train), held_out.sample(MOST_TESTED)
    learned, tested = (plan.pairs(again.mapped(rows)) for rows in (train, some))
    return accuracies_by_alpha(learned, tested, plan.alphas, plan.training.max_iter)


def _steepness(rows: Rows, plan: Plan, aim: Aim, coef: Array) -> Array | None:
    return plan.training.steepness(plan.pairs(rows.sample(MOST_STEEP)), aim, coef)

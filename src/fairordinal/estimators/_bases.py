"""The bases that rankers get, and the paths of rankers, one for each basis.

``"auto"`` has ramps and plug-in rules if there are enough rows. Plug-in rules with trees are added
if trees help: if the accurate rule with trees costs less on held-out rows than the one without.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fairordinal._basis import LeafRamps, Piecewise, Trees
from fairordinal._path import Plan, held_out_together
from fairordinal._rows import Folds, Rows
from fairordinal._support import optional, part, warn
from fairordinal.ranker import (
    Fit,
    PlugIn,
    PlugInTrees,
    costs_of_rules,
    measured_in_folds,
    methods_of,
    require_pairwise,
)
from fairordinal.thresholds import Evaluation

BASES = ("auto", "linear", "piecewise", "plug-in", "trees")
LEAST_RAMP_ROWS, LEAST_TREE_ROWS = 250, 500  # with which "auto" has ramps, and tries trees
MOST_FEATURES = 1000  # with which "auto" has either
FIRST_FOLDS, FIRST_GAIN = 2, -0.02  # folds in which trees are tried first; two of them are noisy
LEAST_GAIN = 0.03  # share of the held-out cost that trees have to save
MOST_TREE_ROWS = 1 << 14  # from which trees learn, if one set of rows is held out

Path = tuple[Plan, list[Fit]]


def learn_paths(
    linear: Plan, rows: Rows, folds: Folds, alpha: float | None, basis: str
) -> list[Path]:
    """Paths of rankers, one for each basis that is asked for or worth trying."""
    found, wants_trees = [], basis == "trees" or (basis == "auto" and _may_have_trees(rows))
    wants_rules = _may_have_rules(linear, rows)
    share_without_trees = _share_without_trees(linear.evaluation) if wants_trees else 1.0
    if basis not in ("trees", "plug-in"):
        with part(0.9 * share_without_trees):
            found.append(_rankers(_with_ramps(linear, rows, basis), rows, folds, alpha))
    if basis == "plug-in" or (basis == "auto" and wants_rules):
        with part(0.1 * share_without_trees, "plug-in rules"):
            found.append(_rules(linear, rows, PlugIn, Piecewise.unfitted(rows)))
    if wants_trees:
        found += _with_trees(linear, *_few(rows, folds), alpha, basis, wants_rules=wants_rules)
    return found


def learning_share(evaluation: Evaluation, choosing: float) -> float:
    """Share of the time of a fit that paths of rankers take, about."""
    learning = evaluation.effort.training
    return learning / (learning + choosing * (1.0 - learning))


def _share_without_trees(evaluation: Evaluation) -> float:
    """Share of the time of all paths that rankers and rules without trees take, about."""
    training = evaluation.effort.training
    return 0.3 * (1.0 - training) + training


def _has_ramps(rows: Rows, basis: str) -> bool:
    """Whether rankers without trees have ramps; "auto" needs enough rows, and few features."""
    few = rows.n_rows < LEAST_RAMP_ROWS or rows.n_features > MOST_FEATURES
    return basis == "piecewise" or (basis == "auto" and not few)


def _with_ramps(linear: Plan, rows: Rows, basis: str) -> Plan:
    """The plan of rankers without trees."""
    if not _has_ramps(rows, basis):
        return linear
    return replace(linear, basis=Piecewise.unfitted(rows))


def _may_have_rules(plan: Plan, rows: Rows) -> bool:
    """Whether there may be plug-in rules beside rankers: `ranker` is "auto", and enough rows."""
    return plan.methods == methods_of("auto") and _has_ramps(rows, "auto")


def _rankers(plan: Plan, rows: Rows, folds: Folds, alpha: float | None) -> Path:
    """The path of rankers of a plan, with the best strength of the penalty."""
    together = alpha is None and held_out_together(rows, folds)
    plan = plan.grown(rows) if together else plan
    if alpha is None:
        with part(0.3):
            plan = plan.with_alpha(plan.accuracies(rows, folds))
    plan = plan if together else plan.grown(rows)
    return plan, plan.path(rows)


def _rules(
    plan: Plan, rows: Rows, kind: type[PlugIn], probabilities: Piecewise | LeafRamps
) -> Path:
    """Plug-in rules, as rankers of a plan."""
    criterion, cost = require_pairwise(plan.evaluation.criterion), plan.evaluation.cost
    basis = kind(probabilities, criterion, cost).refit(rows)
    return replace(plan, basis=basis), basis.fits


# Trees ---------------------------------------------------------------------------------------


def _few(rows: Rows, folds: Folds) -> tuple[Rows, Folds]:
    """Rows from which trees learn, and folds: a sample, if one set of rows is held out."""
    if not held_out_together(rows, folds):
        return rows, folds
    some = rows.sample(MOST_TREE_ROWS)
    return some, [(some, folds[0][1])]


def _with_trees(
    plan: Plan, rows: Rows, folds: Folds, alpha: float | None, basis: str, *, wants_rules: bool
) -> list[Path]:
    """Paths with trees; none for "auto" if trees do not help.

    "auto" has plug-in rules with trees, or rankers if it has no rules. "trees" has both.
    """
    found = []
    if basis == "auto":
        with part(0.7, "trying trees"):
            if not _do_trees_help(plan, rows, folds):
                return []
    if basis == "trees" or not wants_rules:
        with part(0.7):
            forest = replace(plan, basis=Trees.unfitted(Piecewise.unfitted(rows)))
            plan_of_forest, path = _rankers(forest, rows, folds, alpha)
        _warn_without_trees(plan_of_forest.basis)
        found.append((plan_of_forest, path))
    if wants_rules:
        with part(text="plug-in rules with trees"):
            rules = _rules(plan, rows, PlugInTrees, LeafRamps.unfitted(rows))
        found += [rules] if _has_trees(rules) else []
    return found


def _has_trees(rules: Path) -> bool:
    """Whether trees could be grown for plug-in rules."""
    basis = rules[0].basis
    return isinstance(basis, PlugIn) and basis.base.ramps.forest is not None


def _may_have_trees(rows: Rows) -> bool:
    """Whether "auto" tries trees: enough rows, not too many features, LightGBM installed."""
    return rows.n_rows >= LEAST_TREE_ROWS and rows.n_features <= MOST_FEATURES and _has_lightgbm()


def _has_lightgbm() -> bool:
    try:
        optional("lightgbm", "basis='trees'", "trees")
    except ImportError:
        return False
    return True


def _do_trees_help(plan: Plan, rows: Rows, folds: Folds) -> bool:
    """Whether trees save a share of the cost of the accurate plug-in rule on held-out rows.

    If the rule clearly costs more with trees in the first folds, the others are not tried.
    """
    bases, cost = [Piecewise.unfitted(rows), LeafRamps.unfitted(rows)], plan.evaluation.cost
    costs = np.zeros((0, 2))
    for some, least in ((folds[:FIRST_FOLDS], FIRST_GAIN), (folds[FIRST_FOLDS:], LEAST_GAIN)):
        with part(len(some) / len(folds)):
            text = "trying trees, fold"
            found = measured_in_folds(rows, some, costs_of_rules, bases, cost, text=text)
        costs = np.concatenate([costs, found.reshape(-1, 2)])
        without, with_trees = costs.mean(axis=0)
        if with_trees >= (1.0 - least) * without:
            return False
    return True


def _warn_without_trees(basis: object) -> None:
    if isinstance(basis, Trees) and not basis.forest.trees:
        warn(
            "No tree could be grown: a leaf needs at least 20 rows, and features must not be "
            "constant. The model has no trees.",
        )

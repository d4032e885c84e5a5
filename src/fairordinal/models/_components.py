"""The components of a model file, and how each is taken from a fitted classifier.

Each dataclass is an object of the file, and each of its fields is one of that object, in this
order. A component checks itself when it is made, so that a damaged or hostile file is refused while
it is loaded. Class methods `of` read the component off a fitted `FairOrdinalClassifier` or its
thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairordinal._forest import MOST_SPLITS, Forest
from fairordinal._label_costs import LabelCosts
from fairordinal._validation import Array

if TYPE_CHECKING:  # a process that only predicts does not import estimators
    from fairordinal.estimators import FairOrdinalClassifier
    from fairordinal.thresholds import ThresholdResult

Label = int | float | str
Scalar = bool | int | float | str

KINDS: dict[str, type] = {"int": int, "float": float, "str": str}
LARGEST = 2**63  # numeric labels are smaller
LONGEST = 1000  # characters of a label: a NumPy array reserves the longest for every row


@dataclass(frozen=True)
class Classes:
    """Labels in ascending order, and their type: "int", "float" or "str"."""

    kind: str
    values: tuple[Label, ...]

    def __post_init__(self) -> None:
        texts = [value for value in self.values if isinstance(value, str)]
        numbers = [value for value in self.values if not isinstance(value, str)]
        if not all(-LARGEST <= value < LARGEST for value in numbers):
            raise self._error("finite and fit into 64 bits")
        if max(map(len, texts), default=0) > LONGEST:
            raise self._error(f"texts of at most {LONGEST} characters")
        if self.kind == "float":  # some programs write 1.0 as 1
            as_floats = tuple(float(v) if type(v) is int else v for v in self.values)
            object.__setattr__(self, "values", as_floats)
        expected = KINDS.get(self.kind)
        if expected is None or not all(type(value) is expected for value in self.values):
            raise self._error(f"of one kind of {list(KINDS)}")
        # NumPy drops trailing zero characters, so that such labels would become equal
        distinct = {*numbers, *(text.rstrip("\0") for text in texts)}
        if len(self.values) < 2 or len(distinct) < len(self.values):
            raise self._error("at least two distinct labels")

    def _error(self, expected: str) -> ValueError:
        return ValueError(
            f"classes must be {expected}, got kind {self.kind!r:.60} and "
            f"{list(self.values)!r:.100}."
        )

    @classmethod
    def of(cls, labels: Array) -> Classes:
        """Return the classes of an array of labels."""
        values = labels.tolist()
        kinds = [kind for kind, type_ in KINDS.items() if all(type(v) is type_ for v in values)]
        if not kinds:
            raise ValueError(
                "labels must all be whole numbers, all numbers or all text to be kept in a file, "
                f"got {values!r:.100}."
            )
        return cls(kinds[0], tuple(values))

    def array(self) -> Array:
        """Return the labels as an array."""
        dtype = {"int": np.int64, "float": np.float64, "str": np.str_}[self.kind]
        return np.array(self.values, dtype=dtype)


@dataclass(frozen=True)
class Coefficient:
    """The coefficient of one input."""

    input: str
    value: float


@dataclass(frozen=True)
class Ramp:
    """Adds ``coefficient * clip(inputs @ weights + offset, -1, 1)`` to the score.

    In a model with a rule, trees may add to what is clipped.
    """

    coefficient: float
    offset: float
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not np.isfinite((self.coefficient, self.offset, *self.weights)).all():
            raise ValueError(f"a ramp must have finite numbers, got {self!r:.100}.")

    @classmethod
    def all_of(cls, classifier: FairOrdinalClassifier) -> tuple[Ramp, ...]:
        """Return the ramps of a classifier.

        The classifier subtracts `origin_` from its inputs; here the offset absorbs it.
        """
        if classifier.ramps_ is None:
            return ()
        weights = classifier.ramps_.weights
        offsets = classifier.ramps_.offsets - classifier.origin_ @ weights
        columns = zip(classifier.ramp_coef_, offsets, weights.T, strict=True)
        return tuple(cls(float(coef), float(b), tuple(w.tolist())) for coef, b, w in columns)


@dataclass(frozen=True)
class PlugInRule:
    """Adds the score of a plug-in rule, by costs of labels for each group and true label.

    The first ramps estimate probabilities of labels above `boundaries`, the others those of groups.
    ``costs[a][y][l]`` is the cost of label l for group a and true label y; `edge` is that of labels
    beyond the lowest and the highest one.
    """

    boundaries: tuple[int, ...]
    edge: float
    costs: tuple[tuple[tuple[float, ...], ...], ...]

    def __post_init__(self) -> None:
        n_labels = len(self.costs[0]) if self.costs else 0
        rows = [row for matrix in self.costs for row in matrix]
        sizes = {len(matrix) for matrix in self.costs} | {len(row) for row in rows}
        if len(self.costs) < 2 or sizes != {n_labels}:
            raise self._error("square cost matrices of one size, for at least two groups")
        if not np.isfinite([self.edge, *(cost for row in rows for cost in row)]).all():
            raise self._error("finite costs")
        ascending = sorted({*self.boundaries} & {*range(n_labels - 1)})
        if not ascending or list(self.boundaries) != ascending:
            raise self._error(f"ascending boundaries between 0 and {n_labels - 2}")

    def _error(self, expected: str) -> ValueError:
        return ValueError(f"a plug-in rule must have {expected}, got {self!r:.100}.")

    @property
    def n_ramps(self) -> int:
        """Number of ramps that the rule needs."""
        n_groups = len(self.costs)
        return len(self.boundaries) + (n_groups if n_groups > 2 else 1)

    def label_costs(self) -> LabelCosts:
        """Return the rule with arrays, which computes scores."""
        return LabelCosts(np.array(self.costs), np.array(self.boundaries), self.edge)

    @classmethod
    def of(cls, classifier: FairOrdinalClassifier) -> PlugInRule | None:
        """Return the rule of a classifier; None if it is not a plug-in model."""
        rule = classifier.rule_
        if rule is None:
            return None
        costs = tuple(tuple(map(tuple, matrix)) for matrix in rule.costs.tolist())
        return cls(tuple(rule.boundaries.tolist()), float(rule.edge), costs)


@dataclass(frozen=True)
class TreeSplit:
    """Rows with ``input <= threshold`` go left; a child is a split, or -1 - l for leaf l.

    `input` is its index among the coefficients; a name would not do, as two inputs may share one.
    """

    input: int
    threshold: float
    left: int
    right: int


@dataclass(frozen=True)
class DecisionTree:
    """Splits, the first of which is the root, and the values of the leaves.

    `leaves` has the values of all leaves for each sum that the tree is part of: one sum, which is
    added to the score, or with a rule one for each ramp, which is added to it before it is clipped.
    """

    splits: tuple[TreeSplit, ...]
    leaves: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        n_splits = len(self.splits)
        children = [child for split in self.splits for child in (split.left, split.right)]
        once = sorted(children) == [*range(-n_splits - 1, 0), *range(1, n_splits)]
        # a child comes after its parent, so that there is no cycle
        later = all(c < 0 or c > at for at, s in enumerate(self.splits) for c in (s.left, s.right))
        sizes = {len(values) for values in self.leaves}
        if not (1 <= n_splits <= MOST_SPLITS and sizes == {n_splits + 1}):
            raise self._error(f"1 to {MOST_SPLITS} splits and one leaf more")
        if not (once and later):
            raise self._error("each split but the first, and each leaf, once as a child")
        thresholds = [split.threshold for split in self.splits]
        if not (np.isfinite(self.leaves).all() and np.isfinite(thresholds).all()):
            raise self._error("finite thresholds and leaves")

    def _error(self, expected: str) -> ValueError:
        return ValueError(f"a tree of the forest must have {expected}, got {self!r:.100}.")

    @classmethod
    def all_of(cls, classifier: FairOrdinalClassifier) -> tuple[DecisionTree, ...]:
        """Return the trees of a classifier.

        The classifier subtracts `origin_` from its inputs; here the thresholds absorb it.
        """
        origin, found = classifier.origin_, _forest_of(classifier)
        if found is None:
            return ()
        forest, values = found
        values_by_tree = np.split(values, forest.first_leaves[1:-1])
        return tuple(
            cls(
                tuple(
                    TreeSplit(
                        int(feature), float(threshold + origin[feature]), int(left), int(right)
                    )
                    for feature, threshold, left, right in zip(*tree, strict=True)
                ),
                tuple(map(tuple, leaves.T.tolist())),
            )
            for tree, leaves in zip(forest.trees, values_by_tree, strict=True)
        )


def _forest_of(classifier: FairOrdinalClassifier) -> tuple[Forest, Array] | None:
    """Return the trees of a classifier, or of its ramps, and leaf values, (n_leaves, n_sums)."""
    if classifier.forest_ is not None:
        return classifier.forest_, classifier.leaf_values_[:, None]
    ramps = classifier.ramps_
    return None if ramps is None or ramps.forest is None else (ramps.forest, ramps.leaf_values)


@dataclass(frozen=True)
class ModelSettings:
    """The parameters of the fit: a limit `max_violation` or a `trade_off`, and the rest."""

    criterion: str
    max_violation: float | None
    trade_off: float | None
    confidence: float | None
    cost_matrix: tuple[tuple[float, ...], ...]
    basis: str
    ranker: str
    loss: str
    alpha: float

    @classmethod
    def of(cls, classifier: FairOrdinalClassifier) -> ModelSettings:
        """Return the settings of a fitted classifier."""
        from fairordinal.estimators import DEFAULT_LIMIT
        from fairordinal.thresholds import read_goal

        goal = read_goal(
            classifier.trade_off, classifier.max_violation, "certified", default_limit=DEFAULT_LIMIT
        )
        return cls(
            criterion=classifier.criterion_.name,
            max_violation=goal.limit if goal.hard else None,
            trade_off=None if goal.hard else _as_float(classifier.trade_off),
            confidence=_as_float(classifier.confidence),
            cost_matrix=tuple(map(tuple, classifier.result_.cost_matrix.astype(float).tolist())),
            basis=classifier.basis_,
            ranker=classifier.ranker,
            loss=classifier.loss,
            alpha=float(classifier.alpha_),
        )


def _as_float(value: Any) -> float | None:
    return None if value is None else float(value)


@dataclass(frozen=True)
class Certificate:
    """Cost and violation of the training rows, and a lower bound of the objective.

    No thresholds have an objective below `lower_bound`. `limit` or `penalty` is what the
    search for thresholds was given, often stricter than the parameters in `ModelSettings`. A
    `surcharge` on all labels but the best constant one is part of the objective.
    """

    objective: float
    lower_bound: float
    gap: float
    cost: float
    violation: float
    limit: float | None
    penalty: float | None
    surcharge: float
    stopped_by: str

    @classmethod
    def of(cls, result: ThresholdResult) -> Certificate:
        """Return the certificate of thresholds."""
        return cls(
            objective=float(result.objective),
            lower_bound=float(result.lower_bound),
            gap=float(result.gap),
            cost=float(result.cost),
            violation=float(result.violation),
            limit=float(result.goal.limit) if result.goal.hard else None,
            penalty=None if result.goal.hard else float(result.goal.penalty),
            surcharge=float(result.goal.surcharge),
            stopped_by=result.stopped_by,
        )


@dataclass(frozen=True)
class Expected:
    """Cost and violation in new rows, estimated by cross-validation, with intervals."""

    cost: float
    cost_interval: tuple[float, float]
    violation: float
    violation_interval: tuple[float, float]
    confidence: float

    @classmethod
    def of(cls, classifier: FairOrdinalClassifier) -> Expected:
        """Return the estimates of a fitted classifier."""
        cost_low, cost_high = classifier.expected_cost_interval_
        low, high = classifier.expected_violation_interval_
        return cls(
            cost=float(classifier.expected_cost_),
            cost_interval=(float(cost_low), float(cost_high)),
            violation=float(classifier.expected_violation_),
            violation_interval=(float(low), float(high)),
            confidence=float(classifier.confidence_),
        )


@dataclass(frozen=True)
class BasisResult:
    """Expected cost and violation of the best model of one basis within the limit."""

    basis: str
    cost: float
    violation: float


@dataclass(frozen=True)
class GroupCounts:
    """A group, by its value in each group column, and its training rows by label."""

    values: tuple[Scalar, ...]
    rows: int
    rows_by_label: tuple[int, ...]

    @classmethod
    def all_of(cls, result: ThresholdResult) -> tuple[GroupCounts, ...]:
        """Return the counts of all groups of the rows that thresholds were fitted to."""
        names, totals = result.groups.tolist(), np.rint(result.score_table.totals).astype(int)
        return tuple(
            cls(_group_values(name), int(counts.sum()), tuple(counts.tolist()))
            for name, counts in zip(names, totals, strict=True)
        )


def _group_values(name: Any) -> tuple[Scalar, ...]:
    entries = name if isinstance(name, tuple) else (name,)
    return tuple(value if isinstance(value, Scalar) else str(value) for value in entries)


@dataclass(frozen=True)
class DataRecord:
    """The rows that a model was fitted to.

    `rows` is the number of rows in the table; those without a label or without a group were left
    out. `sha256` is the fingerprint of all columns named here, with rows in order; it depends
    neither on the library of the frame nor on the order of the columns.
    """

    rows: int
    rows_without_label: int
    rows_without_group: int
    label_column: str
    group_columns: tuple[str, ...]
    columns: tuple[str, ...]
    sha256: str

    @property
    def rows_used(self) -> int:
        """Number of rows with a label and a group."""
        return self.rows - self.rows_without_label - self.rows_without_group

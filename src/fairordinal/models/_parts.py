"""What a model file says, part by part; each field is a line of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairordinal._forest import MOST_SPLITS
from fairordinal._validation import Array

Label = int | float | str
Scalar = bool | int | float | str

KINDS: dict[str, type] = {"int": int, "float": float, "str": str}
LARGEST = 2**63  # labels that are numbers lie below
LONGEST = 1000  # characters of a label: an array has room for the longest in every row


@dataclass(frozen=True)
class Classes:
    """Labels in ascending order, and what they are: int, float or str."""

    kind: str
    values: tuple[Label, ...]

    def __post_init__(self) -> None:
        texts = [value for value in self.values if isinstance(value, str)]
        numbers = [value for value in self.values if not isinstance(value, str)]
        if not all(-LARGEST <= value < LARGEST for value in numbers):
            raise self._refusal("finite and fit into 64 bits")
        if max(map(len, texts), default=0) > LONGEST:
            raise self._refusal(f"texts of at most {LONGEST} characters")
        if self.kind == "float":  # some programs write 1.0 as 1
            as_floats = tuple(float(v) if type(v) is int else v for v in self.values)
            object.__setattr__(self, "values", as_floats)
        wanted = KINDS.get(self.kind)
        if wanted is None or not all(type(value) is wanted for value in self.values):
            raise self._refusal(f"of one kind of {list(KINDS)}")
        as_kept = {*numbers, *(text.rstrip("\0") for text in texts)}  # NumPy drops these zeros
        if len(self.values) < 2 or len(as_kept) < len(self.values):
            raise self._refusal("at least two distinct labels")

    def _refusal(self, expected: str) -> ValueError:
        return ValueError(
            f"classes must be {expected}, got kind {self.kind!r:.60} and "
            f"{list(self.values)!r:.100}."
        )

    @classmethod
    def of(cls, labels: Array) -> Classes:
        """Labels of a classifier."""
        values = labels.tolist()
        kinds = [kind for kind, type_ in KINDS.items() if all(type(v) is type_ for v in values)]
        if not kinds:
            raise ValueError(
                "labels must all be whole numbers, all numbers or all text to be kept in a file, "
                f"got {values!r:.100}."
            )
        return cls(kinds[0], tuple(values))

    def array(self) -> Array:
        dtype = {"int": np.int64, "float": np.float64, "str": np.str_}[self.kind]
        return np.array(self.values, dtype=dtype)


@dataclass(frozen=True)
class Coefficient:
    """Of one input."""

    input: str
    value: float


@dataclass(frozen=True)
class Ramp:
    """Adds ``coefficient * clip(inputs @ weights + offset, -1, 1)`` to the score."""

    coefficient: float
    offset: float
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not np.isfinite((self.coefficient, self.offset, *self.weights)).all():
            raise ValueError(f"a ramp must have finite numbers, got {self!r:.100}.")


@dataclass(frozen=True)
class Split:
    """Rows with ``input <= threshold`` go left; a child is a split, or -1 - l for leaf l.

    `input` is its place among the coefficients, counted from 0; two inputs may have one name.
    """

    input: int
    threshold: float
    left: int
    right: int


@dataclass(frozen=True)
class DecisionTree:
    """Splits, the first of which is the root, and the values of the leaves."""

    splits: tuple[Split, ...]
    leaves: tuple[float, ...]

    def __post_init__(self) -> None:
        n_splits = len(self.splits)
        children = [child for split in self.splits for child in (split.left, split.right)]
        known = sorted(children) == [*range(-len(self.leaves), 0), *range(1, n_splits)]
        # a child comes after its parent, so that there is no circle
        later = all(c < 0 or c > at for at, s in enumerate(self.splits) for c in (s.left, s.right))
        if not (1 <= n_splits <= MOST_SPLITS and len(self.leaves) == n_splits + 1):
            raise self._refusal(f"1 to {MOST_SPLITS} splits and one leaf more")
        if not (known and later):
            raise self._refusal("each split but the first, and each leaf, once as a child")
        numbers = (*self.leaves, *(split.threshold for split in self.splits))
        if not np.isfinite(numbers).all():
            raise self._refusal("finite thresholds and leaves")

    def _refusal(self, expected: str) -> ValueError:
        return ValueError(f"a tree of the forest must have {expected}, got {self!r:.100}.")


@dataclass(frozen=True)
class Settings:
    """What was asked for: a limit to the violation or a price on it, and how."""

    criterion: str
    max_violation: float | None
    trade_off: float | None
    confidence: float | None
    cost_matrix: tuple[tuple[float, ...], ...]
    basis: str
    ranker: str
    loss: str
    alpha: float


@dataclass(frozen=True)
class Certificate:
    """On the training rows; no thresholds have an objective below the bound.

    `limit` or `price` is what the thresholds were given, often stricter than what was asked for. A
    `surcharge` on all labels but the best constant one is part of the objective.
    """

    objective: float
    lower_bound: float
    gap: float
    cost: float
    violation: float
    limit: float | None
    price: float | None
    surcharge: float
    stopped_by: str


@dataclass(frozen=True)
class Expected:
    """In new rows, by cross-validation, with intervals at a level of confidence."""

    cost: float
    cost_interval: tuple[float, float]
    violation: float
    violation_interval: tuple[float, float]
    confidence: float


@dataclass(frozen=True)
class BasisResult:
    """Expected cost and violation of the best model of a basis within the limit."""

    basis: str
    cost: float
    violation: float


@dataclass(frozen=True)
class GroupCounts:
    """A group, by its value in each group column, and its training rows by label."""

    values: tuple[Scalar, ...]
    rows: int
    rows_by_label: tuple[int, ...]


@dataclass(frozen=True)
class DataRecord:
    """The rows that a model was fitted to.

    `rows` is how many were given; those without a label, or without a group, were left out.
    `sha256` is that of the content of all columns named here, rows in order; it does not depend
    on the library of the frame, nor on the order of columns.
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
        return self.rows - self.rows_without_label - self.rows_without_group

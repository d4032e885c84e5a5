"""Prepare the columns of a table as inputs of a model.

An input is a column of the matrix X that a model is fitted to. A column of numbers becomes one or
two inputs, a column of text one input for each category.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairordinal._validation import Array, check_whole, listed
from fairordinal.models._columns import TableColumn, check_lengths, columns_of, read_table_column

logger = logging.getLogger("fairordinal.models")

MOST_CATEGORIES = 50
MOST_LISTED = 8  # columns in a message
ROUNDING = 10 * np.finfo(np.float64).eps  # relative; a smaller standard deviation counts as 0

RULES = (
    "Missing are None, nan and the empty text. Booleans are the numbers 0 and 1.",
    "A column of numbers is (number - mean) / spread of the training rows; missing is 0, the mean.",
    "If numbers were missing in the training rows, another input is 1 where they are, else 0.",
    "A column of text is one input for each category, 1 where it is and 0 elsewhere.",
    "Categories beyond the most frequent, most_categories of them, share the input 'other'.",
    "Missing text has an input of its own if some was missing in the training rows, else none.",
    "An unknown category is 'other' if there is such an input, else as missing text.",
)


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers: one input is standardised, a second one marks missing numbers."""

    kind: ClassVar[str] = "number"

    name: str
    mean: float
    spread: float
    missing: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mean) and 0 < self.spread < np.inf):
            raise ValueError(
                f"column {self.name!r:.60} must have a finite mean and a spread above 0, got "
                f"{self.mean!r} and {self.spread!r}."
            )

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return 1 + self.missing

    def each_input(self) -> Iterator[str]:
        """Yield the names of the inputs."""
        yield self.name
        if self.missing:
            yield f"{self.name} (missing)"

    def standardise(self, column: TableColumn) -> Array:
        """Return ``(number - mean) / spread`` for each row; 0 where missing."""
        numbers = column.as_numbers()
        with np.errstate(over="ignore"):
            scaled = (numbers - self.mean) / self.spread
        infinite = np.flatnonzero(np.isinf(scaled))
        if infinite.size:
            raise column.error(
                f"has {numbers[infinite[0]]}",
                int(infinite[0]),
                f", too far from its mean {self.mean:g} to be scaled. Correct it, or leave the "
                "cell empty.",
            )
        return np.where(np.isnan(numbers), 0.0, scaled)

    def fill(self, X: Array, start: int, column: TableColumn) -> None:
        """Write the inputs into a matrix of zeros, from column `start` on."""
        X[:, start] = self.standardise(column)
        if self.missing:
            X[:, start + 1] = np.isnan(column.as_numbers())

    def scores(self, column: TableColumn, coefficients: Array) -> Array:
        """Return what the column contributes to the score of each row."""
        scores = np.multiply.outer(self.standardise(column), coefficients[0])
        if self.missing:
            scores[np.isnan(column.as_numbers())] = coefficients[1]
        return scores


@dataclass(frozen=True)
class TextColumn:
    """A column of text: one input for each category, 1 in the rows that have it (one-hot)."""

    kind: ClassVar[str] = "text"

    name: str
    categories: tuple[str, ...]
    other: bool
    missing: bool

    def __post_init__(self) -> None:
        ascending = list(self.categories) == sorted(set(self.categories))
        if not self.categories or not ascending or "" in self.categories:
            raise ValueError(
                f"column {self.name!r:.60} must have distinct categories in sorted order, none of "
                f"them empty, got {list(self.categories)!r:.100}."
            )

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.categories) + self.other + self.missing

    def each_input(self) -> Iterator[str]:
        """Yield the names of the inputs."""
        yield from (f"{self.name}={category}" for category in self.categories)
        if self.other:
            yield f"{self.name} (other)"
        if self.missing:
            yield f"{self.name} (missing)"

    @property
    def missing_index(self) -> int:
        """Index of missing text among the inputs; -1 if it has none."""
        return self.n_inputs - 1 if self.missing else -1

    @property
    def unknown_index(self) -> int:
        """Index of unknown categories among the inputs; -1 if they have none."""
        return len(self.categories) if self.other else self.missing_index

    def input_indices(self, column: TableColumn) -> Array:
        """Return the index of the input that is 1 in each row; -1 if none is."""
        column = column.as_texts()
        index = {category: i for i, category in enumerate(self.categories)}
        known = [index.get(text, self.unknown_index) for text in column.texts or ()]
        # code -1, a missing text, takes the last entry
        return np.array([*known, self.missing_index])[column.values]

    def fill(self, X: Array, start: int, column: TableColumn) -> None:
        """Write the inputs into a matrix of zeros, from column `start` on."""
        indices = self.input_indices(column)
        known = np.flatnonzero(indices >= 0)
        X[known, start + indices[known]] = 1.0

    def scores(self, column: TableColumn, coefficients: Array) -> Array:
        """Return what the column contributes to the score of each row."""
        zero = np.zeros((1, *coefficients.shape[1:]))  # for index -1
        return np.concatenate([coefficients, zero])[self.input_indices(column)]


PreparedColumn = NumberColumn | TextColumn


@dataclass(frozen=True)
class IgnoredColumn:
    """A column that is not used, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class TablePreparation:
    """How columns of a table become the inputs of a model.

    Missing are None, nan and the empty text; booleans are the numbers 0 and 1.

    * A column of numbers becomes (number - mean) / spread of the training rows; a missing one is 0,
      that is, the mean. If some were missing in the training rows, a second input is 1 where a
      number is missing, and 0 elsewhere.
    * A column of text becomes one input for each category in sorted order, 1 in the rows that
      have it. If there are more than `most_categories` categories, the most frequent ones have
      inputs and the rest share the input "other". Missing text has an input of its own if some was
      missing in the training rows; otherwise no input is 1. An unknown category is "other" if
      there is such an input, else it is treated as missing. Numbers in a column of text are
      converted to text: 12.0 is "12".
    * Columns that are empty, columns with one value, and columns of text in which no two entries
      are equal (identifiers) are left out, with a message of the logger ``fairordinal.models``.

    Made by `learn`.

    Attributes
    ----------
    columns : tuple of NumberColumn and TextColumn
        The columns that are used, in the order of the table.
    ignored : tuple of IgnoredColumn
        Columns that were left out, and why.
    most_categories : int
        Largest number of categories of a column with an input of their own.
    rules : tuple of str
        The rules above, as model files state them.

    See Also
    --------
    TrainingTable : Rows of a table with their preparation.

    Examples
    --------
    >>> from fairordinal.models import TablePreparation
    >>> table = {"age": [20, None, 40], "job": ["nurse", "clerk", "nurse"]}
    >>> preparation = TablePreparation.learn(table)
    >>> preparation.input_names
    ('age', 'age (missing)', 'job=clerk', 'job=nurse')
    >>> preparation.matrix({"age": [40, None], "job": ["baker", "clerk"]})
    array([[1., 0., 0., 0.],
           [0., 1., 1., 0.]])
    """

    columns: tuple[PreparedColumn, ...]
    ignored: tuple[IgnoredColumn, ...] = ()
    most_categories: int = MOST_CATEGORIES
    rules: tuple[str, ...] = RULES

    @classmethod
    def learn(cls, frame: Any, *, most_categories: int = MOST_CATEGORIES) -> TablePreparation:
        """Learn means, spreads and categories from training rows.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            The columns to use.
        most_categories : int, default=50
            Largest number of categories of a column with an input of their own.

        Returns
        -------
        preparation : TablePreparation
            Applicable to these and to other rows.
        """
        check_whole(most_categories, "most_categories", least=1)
        columns = [read_table_column(values, name) for name, values in columns_of(frame).items()]
        check_lengths(columns)
        found = [_learn_column(column, most_categories) for column in columns]
        ignored = tuple(column for column in found if isinstance(column, IgnoredColumn))
        for column in ignored:
            logger.warning("Column %r is left out: %s.", column.name, column.reason)
        used = tuple(column for column in found if not isinstance(column, IgnoredColumn))
        if not used:
            reasons = "; ".join(f"{column.name!r}: {column.reason}" for column in ignored)
            raise ValueError(f"frame has no column to predict from. {reasons or 'It is empty'}.")
        return cls(used, ignored, most_categories)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, such as ``age`` and ``job=nurse``."""
        return tuple(self.each_input())

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return sum(column.n_inputs for column in self.columns)

    def each_input(self) -> Iterator[str]:
        """Yield the names of the inputs.

        Returns
        -------
        names : iterator of str
            In the order of the columns of `matrix`.
        """
        return (name for column in self.columns for name in column.each_input())

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """Categories of the columns of text, by the names of the columns."""
        columns = (column for column in self.columns if isinstance(column, TextColumn))
        return {column.name: column.categories for column in columns}

    def matrix(self, frame: Any) -> Array:
        """Return the inputs of some rows.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            All columns that were learned from; others are ignored.

        Returns
        -------
        X : ndarray of shape (n_rows, n_inputs)
            Finite numbers.
        """
        pairs = list(self._pairs(frame))
        X = np.zeros((len(pairs[0][1].values), self.n_inputs))
        start = 0
        for prepared, column in pairs:
            prepared.fill(X, start, column)
            start += prepared.n_inputs
        return X

    def scores(self, frame: Any, coefficients: Array) -> Array:
        """Return inputs times coefficients, added up column by column.

        Unlike a product of BLAS, a score does not depend on the other rows or on the processor, not
        even in the last bit.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            All columns that were learned from; others are ignored.
        coefficients : ndarray of shape (n_inputs,) or (n_inputs, m)
            Coefficients of the inputs.

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, m)
            One score for each row and column of `coefficients`.
        """
        total = np.zeros(1)
        shares = self.by_column(coefficients)
        for (prepared, column), (_, share) in zip(self._pairs(frame), shares, strict=True):
            total = total + prepared.scores(column, share)
        return total

    def by_column(self, coefficients: Array) -> Iterator[tuple[PreparedColumn, Array]]:
        """Yield each column that is used with the coefficients of its inputs.

        Parameters
        ----------
        coefficients : ndarray of shape (n_inputs,)
            One for each input.

        Returns
        -------
        pairs : iterator of tuple (column, ndarray)
            In the order of the columns.
        """
        sizes = [column.n_inputs for column in self.columns]
        shares = np.split(coefficients, np.cumsum(sizes)[:-1])
        return zip(self.columns, shares, strict=True)

    def _pairs(self, frame: Any) -> Iterator[tuple[PreparedColumn, TableColumn]]:
        """Yield each column that is used with its values in a frame."""
        given = columns_of(frame)
        absent = [column.name for column in self.columns if column.name not in given]
        if absent:
            raise ValueError(
                f"frame lacks {_columns(absent)}, which the model was fitted to; it has "
                f"{_columns(list(given))}."
            )
        columns = [read_table_column(given[column.name], column.name) for column in self.columns]
        check_lengths(columns)
        return zip(self.columns, columns, strict=True)


def _columns(names: list[str]) -> str:
    return f"column{'s' * (len(names) != 1)} {listed(names, MOST_LISTED)}"


def _learn_column(column: TableColumn, most_categories: int) -> PreparedColumn | IgnoredColumn:
    if column.texts is None:
        return _learn_numbers(column)
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.texts))
    missing = bool((column.values < 0).any())
    if len(counts) > 1 and counts.max() == 1:
        return IgnoredColumn(column.name, "no two entries are equal, as in an identifier")
    if len(counts) == 1 and not missing:
        return IgnoredColumn(column.name, f"it is {column.texts[0]!r:.60} in every row")
    # the stable sort prefers the first of equally frequent categories
    frequent = np.argsort(-counts, kind="stable")[:most_categories]
    categories = tuple(column.texts[code] for code in sorted(frequent.tolist()))
    return TextColumn(column.name, categories, len(counts) > len(categories), missing)


def _learn_numbers(column: TableColumn) -> NumberColumn | IgnoredColumn:
    present = column.values[~np.isnan(column.values)]
    if not present.size:
        return IgnoredColumn(column.name, "it is empty")
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = float(present.mean()), float(present.std())
    if not np.isfinite(spread):
        raise ValueError(
            f"column {column.name!r} has numbers too large to scale, up to "
            f"{np.abs(present).max():.0e}. Clip them, or take their logarithm."
        )
    if spread <= ROUNDING * np.abs(present).max():
        rounded = "" if present.min() == present.max() else ", but for rounding"
        return IgnoredColumn(column.name, f"it is {present[0]:g} wherever it is given{rounded}")
    return NumberColumn(column.name, mean, spread, present.size < len(column.values))

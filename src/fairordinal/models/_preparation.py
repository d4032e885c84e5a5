"""From columns of a table to the inputs of a model."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairordinal._validation import Array, check_whole
from fairordinal.models._columns import Cells, check_lengths, columns_of, read_cells

logger = logging.getLogger("fairordinal.models")

MOST_CATEGORIES = 50
ROUNDING = 10 * np.finfo(np.float64).eps

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
    """A column of numbers, standardised."""

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
        return 1 + self.missing

    def each_input(self) -> Iterator[str]:
        """Names of the inputs."""
        yield self.name
        if self.missing:
            yield f"{self.name} (missing)"

    def standardise(self, cells: Cells) -> Array:
        """Numbers of about unit size; 0 where missing."""
        numbers = cells.as_numbers()
        with np.errstate(over="ignore"):
            scaled = (numbers - self.mean) / self.spread
        wild = np.flatnonzero(np.isinf(scaled))
        if wild.size:
            raise cells.error(
                f"has {numbers[wild[0]]}",
                int(wild[0]),
                f", too far from its mean {self.mean:g} to be scaled. Correct it, or leave the "
                "cell empty.",
            )
        return np.where(np.isnan(numbers), 0.0, scaled)

    def fill(self, X: Array, start: int, cells: Cells) -> None:
        """Write the inputs into a matrix of zeros, from a column of it on."""
        X[:, start] = self.standardise(cells)
        if self.missing:
            X[:, start + 1] = np.isnan(cells.as_numbers())

    def scores(self, cells: Cells, coefficients: Array) -> Array:
        """What the column adds to the score of each row."""
        scores = np.multiply.outer(self.standardise(cells), coefficients[0])
        if self.missing:
            scores[np.isnan(cells.as_numbers())] = coefficients[1]
        return scores


@dataclass(frozen=True)
class TextColumn:
    """A column of text, one input for each category."""

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
        return len(self.categories) + self.other + self.missing

    def each_input(self) -> Iterator[str]:
        """Names of the inputs."""
        yield from (f"{self.name}={category}" for category in self.categories)
        if self.other:
            yield f"{self.name} (other)"
        if self.missing:
            yield f"{self.name} (missing)"

    @property
    def place_of_missing(self) -> int:
        """Its place among the inputs; -1 if it has none."""
        return self.n_inputs - 1 if self.missing else -1

    @property
    def place_of_unknown(self) -> int:
        return len(self.categories) if self.other else self.place_of_missing

    def places(self, cells: Cells) -> Array:
        """The input that is 1 in each row; -1 where none is."""
        cells = cells.as_texts()
        place = {category: i for i, category in enumerate(self.categories)}
        known = [place.get(text, self.place_of_unknown) for text in cells.texts or ()]
        return np.array([*known, self.place_of_missing])[cells.values]

    def fill(self, X: Array, start: int, cells: Cells) -> None:
        """Write the inputs into a matrix of zeros, from a column of it on."""
        places = self.places(cells)
        known = np.flatnonzero(places >= 0)
        X[known, start + places[known]] = 1.0

    def scores(self, cells: Cells, coefficients: Array) -> Array:
        """What the column adds to the score of each row."""
        nothing = np.zeros((1, *coefficients.shape[1:]))
        return np.concatenate([coefficients, nothing])[self.places(cells)]


PreparedColumn = NumberColumn | TextColumn


@dataclass(frozen=True)
class IgnoredColumn:
    """A column that is no input, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class TablePreparation:
    """How columns of a table become the inputs of a model.

    Missing are None, nan and the empty text; booleans are the numbers 0 and 1.

    * A column of numbers becomes (number - mean) / spread of the training rows; a missing one is 0,
      that is, the mean. If some were missing in the training rows, a second input is 1 where they
      are, and 0 elsewhere.
    * A column of text becomes one input for each category in sorted order, 1 in the rows that
      have it. Of more than `most_categories` categories the most frequent have inputs and the rest
      share one, "other". Missing text has an input of its own if some was missing in the training
      rows, and no input is 1 otherwise. An unknown category is "other" if there is such an input,
      else treated as missing. Numbers in a column of text are taken as written: 12.0 is "12".
    * Left out, with a message of the logger ``fairordinal.models``: columns that are empty, columns
      with one value, and columns of text of which no two entries are equal (identifiers).

    Made by `learn`.

    Attributes
    ----------
    columns : tuple of NumberColumn and TextColumn
        The columns that are used, in the order of the table.
    ignored : tuple of IgnoredColumn
        Columns that were left out, and why.
    most_categories : int
        How many categories of a column have an input of their own.
    rules : tuple of str
        The rules above, as model files state them.

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
            How many categories of a column have an input of their own.

        Returns
        -------
        preparation : TablePreparation
            For these and for other rows.
        """
        check_whole(most_categories, "most_categories", least=1)
        cells = [read_cells(values, name) for name, values in columns_of(frame).items()]
        check_lengths(cells)
        found = [_learn_column(column, most_categories) for column in cells]
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
        """How many inputs there are."""
        return sum(column.n_inputs for column in self.columns)

    def each_input(self) -> Iterator[str]:
        """Names of the inputs, one after the other."""
        return (name for column in self.columns for name in column.each_input())

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """Categories of the columns of text, by the names of the columns."""
        columns = (column for column in self.columns if isinstance(column, TextColumn))
        return {column.name: column.categories for column in columns}

    def matrix(self, frame: Any) -> Array:
        """The inputs of some rows.

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
        for column, cells in pairs:
            column.fill(X, start, cells)
            start += column.n_inputs
        return X

    def scores(self, frame: Any, coefficients: Array) -> Array:
        """Inputs times coefficients, added up in their order.

        Coefficients of shape (n_inputs, m) give m scores for each row. A row's score is the same to
        the last bit whatever other rows there are, on any computer.
        """
        total = np.zeros(1)
        weighed = self.by_column(coefficients)
        for (column, cells), (_, its_own) in zip(self._pairs(frame), weighed, strict=True):
            total = total + column.scores(cells, its_own)
        return total

    def by_column(self, coefficients: Array) -> Iterator[tuple[PreparedColumn, Array]]:
        """Each column that is used, and the coefficients of its inputs."""
        sizes = [column.n_inputs for column in self.columns]
        shares = np.split(coefficients, np.cumsum(sizes)[:-1])
        return zip(self.columns, shares, strict=True)

    def _pairs(self, frame: Any) -> Iterator[tuple[PreparedColumn, Cells]]:
        """Each column that is used, and its cells."""
        given = columns_of(frame)
        lacking = [column.name for column in self.columns if column.name not in given]
        if lacking:
            raise ValueError(
                f"frame lacks {_listed(lacking)}, which the model was fitted to; it has "
                f"{_listed(list(given))}."
            )
        cells = [read_cells(given[column.name], column.name) for column in self.columns]
        check_lengths(cells)
        return zip(self.columns, cells, strict=True)


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"{name!r:.60}" for name in names[:8])
    return f"column{'s' * (len(names) != 1)} {shown}{', …' if len(names) > 8 else ''}"


def _learn_column(cells: Cells, most_categories: int) -> PreparedColumn | IgnoredColumn:
    if cells.texts is None:
        return _learn_numbers(cells)
    counts = np.bincount(cells.values[cells.values >= 0], minlength=len(cells.texts))
    missing = bool((cells.values < 0).any())
    if len(counts) > 1 and counts.max() == 1:
        return IgnoredColumn(cells.name, "no two entries are equal, as in an identifier")
    if len(counts) == 1 and not missing:
        return IgnoredColumn(cells.name, f"it is {cells.texts[0]!r:.60} in every row")
    frequent = np.argsort(-counts, kind="stable")[:most_categories]  # of equals the first
    categories = tuple(cells.texts[place] for place in sorted(frequent.tolist()))
    return TextColumn(cells.name, categories, len(counts) > len(categories), missing)


def _learn_numbers(cells: Cells) -> NumberColumn | IgnoredColumn:
    present = cells.values[~np.isnan(cells.values)]
    if not present.size:
        return IgnoredColumn(cells.name, "it is empty")
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = float(present.mean()), float(present.std())
    if not np.isfinite(spread):
        raise ValueError(
            f"column {cells.name!r} has numbers too large to scale, up to "
            f"{np.abs(present).max():.0e}. Clip them, or take their logarithm."
        )
    if spread <= ROUNDING * np.abs(present).max():
        rounded = "" if present.min() == present.max() else ", but for rounding"
        return IgnoredColumn(cells.name, f"it is {present[0]:g} wherever it is given{rounded}")
    return NumberColumn(cells.name, mean, spread, present.size < len(cells.values))

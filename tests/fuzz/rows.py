"""Rows full of ties, tiny groups and odd weights, in columns of odd types."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fuzz import chance, choose

TEXTS = [
    "a", "b", "B", "é", "名", "😀", "none", "NA", "null", "nan", "None", "inf", "1", "01", "1.0",
    "=1+1", "@x", "-1", "+2", "<b>", "</script>", "a,b", 'say "x"', "a;b", "a\tb", "a|b", "a b",
    "b\rPASS: fair", "\x1b[31mred", "\x1b]0;title\x07", "\u202egnitsil", "\u2066x", "two\nlines",
    "\x7f", "\x9b1m", "x" * 200, "'", "#", "\\", "True",
]  # fmt: skip
CONTROLS = frozenset(map(chr, [*range(32), *range(127, 160), *range(0x202A, 0x202F),
                               *range(0x2066, 0x206A), 0x200E, 0x200F])) - {"\n"}  # fmt: skip


class Drawn(NamedTuple):
    """Codes of rows; weights may be None."""

    y: list[int]
    s: list[Any]  # codes of labels, or scores
    a: list[int]
    w: list[float] | None
    n_labels: int
    n_groups: int

    @property
    def exact(self):
        """Weights as whole numbers, with which sums of products are exact."""
        return [int(Fraction(w) * 2**1100) for w in self.w or [1.0] * len(self.y)]


def draw_rows(generator, *, scores=False, most_rows=14, zeros=True):
    """Rows of at least two groups and two labels that count."""
    n = int(generator.integers(2, most_rows + 1))
    n_labels, n_groups = int(generator.integers(2, 6)), int(generator.integers(2, 6))
    y = generator.integers(0, n_labels, n)
    a = generator.choice(n_groups, n, p=generator.dirichlet(np.full(n_groups, 0.7)))
    s = generator.integers(0, n_labels, n)
    if scores:
        s = generator.integers(0, int(generator.integers(1, 2 * n)), n) / 8 + 0.03
    w = draw_weights(generator, n, zeros)
    y[:2], a[:2] = [0, 1], [0, 1]
    if w is not None:
        w[:2] = np.where(w[:2] == 0, np.max(w, initial=0) or 1.0, w[:2])
    order = generator.permutation(n)
    columns = [column[order].tolist() for column in (y, s, a)]
    return Drawn(*columns, w if w is None else w[order].tolist(), n_labels, n_groups)


def draw_weights(generator, n, zeros=True):
    kind = choose(generator, "none", "ones", "whole", "halves", "spread", "tiny", "huge", "scaled")
    weights = generator.integers(0 if zeros else 1, 5, n).astype(float)
    if kind in ("none", "ones"):
        return None if kind == "none" else np.ones(n)
    if kind == "halves":
        return weights / 2
    if kind == "spread":
        return weights * 10.0 ** generator.integers(-30, 31, n)
    scale = {"tiny": (-300, -100), "huge": (100, 300), "scaled": (-20, 21)}.get(kind, (0, 1))
    return weights * 10.0 ** float(generator.integers(*scale))


def draw_names(generator, number):
    """Different texts; hostile ones among them."""
    return [TEXTS[i] for i in generator.choice(len(TEXTS), number, replace=False)]


def draw_labels(generator, drawn):
    """The labels in order, and whether they have to be said."""
    if chance(generator, 0.3):
        return draw_names(generator, drawn.n_labels), True
    return list(range(drawn.n_labels)), False


def draw_groups(generator, number):
    """Names of groups of one odd type."""
    return choose(
        generator,
        list(range(number)),
        draw_names(generator, number),
        [2**53 + i for i in range(number)],
        [2**63 + i for i in range(number)],
        [-(2**63) + i for i in range(number)],
        [i + 0.5 for i in range(number)],
        [f"{i:02d}" for i in range(number)],
        [(i % 2 == 0, i) for i in range(number)],
        [np.datetime64("2020-01-01") + i for i in range(number)],
    )


def as_column(generator, values):
    """The values in a container that holds them as they are."""
    kinds = [list, as_objects]
    if all(type(value) is int for value in values):
        fits = [np.int64, np.uint64, np.int8, np.uint8, np.int16, np.int32]
        fits = [t for t in fits if np.iinfo(t).min <= min(values) <= max(values) <= np.iinfo(t).max]
        for dtype in fits:
            kinds.append(lambda values, dtype=dtype: np.array(values, dtype=dtype))
        if max(map(abs, values)) < 2**11:
            kinds += [lambda values: np.array(values, dtype=np.float16), pl.Series, pa.array]
            kinds += [lambda values: pd.Series(values, dtype="Int64")]
    if all(type(value) is float for value in values):
        kinds += [np.array, pd.Series, pl.Series, pa.array, lambda v: np.array(v)[:, None].ravel()]
    if all(type(value) is str for value in values):
        kinds += [np.array, pd.Series, pl.Series, pa.array, pd.Categorical]
        kinds += [lambda values: pd.Series(values, dtype="string")]
        kinds += [lambda values: pl.Series(values, dtype=pl.Categorical)]
    return choose(generator, *kinds)(values)


def as_objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column

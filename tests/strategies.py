"""Small data sets full of ties, tiny groups and weights."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from fairordinal._forest import Tree
from fairordinal._table import ScoreTable


class Rows(NamedTuple):
    y: list
    s: list
    a: list
    w: list


@st.composite
def rows(draw, max_rows=14, max_groups=4, max_label=4, scores=False, weights=True):
    """2 to `max_rows` rows of at least two groups and two true labels; zero weights included."""
    n = draw(st.integers(2, max_rows))
    column = lambda elements: draw(st.lists(elements, min_size=n, max_size=n))  # noqa: E731
    label = st.integers(0, max_label)
    y = column(label)
    s = column(st.sampled_from([-1.5, 0.0, 0.25, 0.5, 7.25]) if scores else label)
    a = column(st.integers(0, max_groups - 1))
    w = column(st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 3.0])) if weights else [1.0] * n
    first, second = draw(st.permutations(range(n)))[:2]
    a[first], a[second] = 0, 1
    w[first], w[second] = max(w[first], 1.0), max(w[second], 1.0)
    y[first], y[second] = 0, draw(st.integers(1, max_label))
    return Rows(y, s, a, w)


def table_of_cube(cube, labels):
    """A table from counts (group, label, predicted label)."""
    counts = sparse.csc_array(cube.reshape(-1, len(labels)).astype(float))
    return ScoreTable(counts, np.arange(len(cube)), labels, labels, predicts_labels=True)


def as_arrays(data):
    return Rows(*(np.array(column) for column in data))


class Scored(NamedTuple):
    y: list  # labels 0 .. n_labels - 1
    s: list
    a: list
    w: list
    n_labels: int


@st.composite
def scored_rows(draw, max_rows=12, max_labels=5, max_groups=4, weights=True):
    """Rows with scores, few enough to try all thresholds; any number of ties."""
    n = draw(st.integers(2, max_rows))
    n_labels = draw(st.integers(2, max_labels))
    column = lambda elements: draw(st.lists(elements, min_size=n, max_size=n))  # noqa: E731
    y = column(st.integers(0, n_labels - 1))
    s = column(st.integers(0, draw(st.integers(0, 2 * n))))
    a = column(st.integers(0, draw(st.integers(1, max_groups - 1))))
    w = column(st.sampled_from([0.5, 1.0, 1.0, 2.0, 3.0])) if weights else [1.0] * n
    a[0], a[-1] = 0, 1
    return Scored(y, s, a, w, n_labels)


@st.composite
def trees(draw, n_columns, most_splits=6):
    """Trees made by splitting leaves one after the other; thresholds among small numbers."""
    n_splits = draw(st.integers(1, most_splits))
    left, right = np.zeros((2, n_splits), dtype=int)
    open_ = [None]  # where the next split goes
    for split in range(n_splits):
        place = open_.pop(draw(st.integers(0, len(open_) - 1)))
        if place is not None:
            (left if place[1] else right)[place[0]] = split
        open_ += [(split, True), (split, False)]
    for leaf, (split, goes_left) in enumerate(draw(st.permutations(open_))):
        (left if goes_left else right)[split] = -1 - leaf
    feature = draw(st.lists(st.integers(0, n_columns - 1), min_size=n_splits, max_size=n_splits))
    threshold = draw(st.lists(st.integers(0, 3), min_size=n_splits, max_size=n_splits))
    return Tree(np.array(feature), np.array(threshold) + 0.5 * (n_splits % 2), left, right)

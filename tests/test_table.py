import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairordinal import _table
from fairordinal._table import read_table
from fairordinal.criteria import DemographicParity
from strategies import rows


def wins_by_enumeration(table, data):
    labels, groups = table.labels.tolist(), table.groups.tolist()
    wins = np.zeros_like(table.wins)
    for y1, s1, a1, w1 in zip(*data, strict=True):
        for y2, s2, a2, w2 in zip(*data, strict=True):
            if s1 > s2 and w1 * w2:
                u = groups.index(a1) * len(labels) + labels.index(y1)
                v = groups.index(a2) * len(labels) + labels.index(y2)
                wins[u, v] += w1 * w2
    return wins


@given(data=rows(scores=True), most=st.sampled_from([1, 10, 1 << 20]))
def test_wins_are_those_of_all_pairs_whatever_the_blocks(data, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_table.ScoreTable.blocks, "__defaults__", (most,))
        table = read_table(data.y, data.s, data.a, sample_weight=data.w)
        np.testing.assert_allclose(table.wins, wins_by_enumeration(table, data), atol=1e-12)


@given(data=rows())
def test_the_sparse_count_is_the_dense_one(data):
    dense = read_table(data.y, data.s, data.a, sample_weight=data.w).counts.toarray()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_table, "DENSE_ENTRIES", 0)
        found = read_table(data.y, data.s, data.a, sample_weight=data.w).counts.toarray()
    np.testing.assert_allclose(found, dense, atol=1e-12)


def test_rows_beyond_a_block_are_counted():
    n = 3 * (1 << 16) + 17
    table = read_table(np.arange(n) % 5, np.arange(n) % 3, np.arange(n) % 2)
    assert table.rows.sum() == n
    assert table.cube[1, 3, 1] == sum(
        1 for i in range(n) if i % 2 == 1 and i % 5 == 3 and i % 3 == 1
    )


def test_a_group_without_weight_is_absent():
    table = read_table([1, 2, 1, 2], [1, 2, 1, 2], list("aabc"), sample_weight=[1, 1, 1, 0])
    assert table.groups.tolist() == ["a", "b"]


def test_a_label_and_a_score_without_weight_are_absent():
    y, f, w = [1, 2, 1, 9], [1, 2, 2, 8], [1, 1, 1, 0]
    table = read_table(y, f, list("abba"), sample_weight=w)
    assert table.labels.tolist() == [1, 2]
    scores = read_table(y, [0.1, 0.2, 0.3, 0.4], list("abba"), sample_weight=w)
    assert scores.axis.tolist() == [0.1, 0.2, 0.3]
    given = read_table(y, f, list("abba"), sample_weight=w, labels=[1, 2, 8, 9])
    assert given.labels.tolist() == [1, 2, 8, 9]


def test_one_group_with_weight_is_refused():
    with pytest.raises(ValueError, match=r"only group 'a' .* has rows with weight"):
        read_table([1, 2, 1], [1, 2, 1], list("aab"), sample_weight=[1, 1, 0])


def test_a_hundred_million_rows_do_not_overflow():
    # 10^8 rows by weights, 2.5e15 pairs; a is above b in 3/4 of them, below in none
    w = [25_000_000] * 4
    table = read_table([0, 1, 0, 1], [1, 2, 0, 1], list("aabb"), sample_weight=w)
    assert table.rows.tolist() == [5e7, 5e7]
    assert DemographicParity().violation(table) == 0.75


def test_labels_that_never_occur_stay_in_their_place():
    table = read_table([1, 4], [4, 4], ["a", "b"], labels=[1, 2, 3, 4])
    assert table.shape == (2, 4, 4)
    assert table.cube[0, 0, 3] == table.cube[1, 3, 3] == 1


@given(data=rows(scores=True))
def test_a_pseudo_row_adds_one_row_to_each_group(data):
    table = read_table(data.y, data.s, data.a, sample_weight=data.w)
    np.testing.assert_allclose(table.padded.rows, table.rows + 1)


def test_pseudo_rows_of_a_long_axis_stay_few():
    table = read_table([0, 1] * 500, np.arange(1000) / 7, [0, 1] * 500)
    assert table.padded.counts.nnz <= 1000 + 4 * _table.PSEUDO_POSITIONS


def test_a_score_on_a_threshold_is_below_it():
    table = read_table([0, 1, 0], [0.5, 1.5, 2.5], [0, 1, 1]).cut(np.array([1.5]))
    assert table.cube.sum(axis=(0, 1)).tolist() == [2, 1]

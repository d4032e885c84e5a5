"""The loss of all pairs: against pair-by-pair sums, for any scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, ndtr

import oracles
from fairordinal._pairloss import LOSSES, STEP, Histogram, make_pair_loss

SLOPES = {
    "logistic": lambda x: -expit(-x),
    "smooth_hinge": lambda x: -ndtr(1.0 - x),
    "squared_hinge": lambda x: -2.0 * np.maximum(1.0 - x, 0.0),
    "step": lambda x: -expit(x) * expit(-x),
}
KERNELS = LOSSES | {"step": STEP}
N, CELLS = 300, 6


def random_pairs(seed=0):
    generator = np.random.default_rng(seed)
    cells, w = generator.integers(0, CELLS, N), generator.choice([0.5, 1.0, 2.0], N)
    return cells, w, generator.normal(size=(CELLS, CELLS))


def scores_of_many_kinds():
    generator = np.random.default_rng(1)
    normal = generator.normal(size=N)
    return {
        "normal": 3 * normal,
        "heavy tails": generator.standard_cauchy(N),
        "outliers": np.concatenate([normal[:-2], [1e6, -1e6]]),
        "constant": np.full(N, 7.5),
        "few integers": generator.integers(0, 5, N).astype(float),
        "many integers": generator.permutation(N).astype(float),
        "huge": 1e8 * normal,
        "beyond all bounds": 1e200 * normal,
        "tiny": 1e-9 * normal,
        "thirds": generator.integers(0, 12, N) / 3.0,
        "far ties": np.where(np.arange(N) < 100, 0.0, 1e17),
        "two values": np.where(np.arange(N) < 100, 0.0, 1.23456),
        "wide": generator.uniform(0, 1e5, N),
    }


SCORES = scores_of_many_kinds()


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("name", LOSSES)
def test_loss_and_gradient_are_those_of_all_pairs(name, kind):
    kernel, s = KERNELS[name], SCORES[kind]
    cells, w, weights = random_pairs()
    total, slopes = make_pair_loss(kernel, s, cells, CELLS, w).loss(weights)
    table = weights[np.ix_(cells, cells)]
    margin = np.sign(table) * np.subtract.outer(s, s)
    with np.errstate(over="ignore"):  # the square of 1e200
        expected = float((np.outer(w, w) * np.abs(table) * kernel.value(margin)).sum())
    assert total == pytest.approx(expected, rel=1e-6)
    gradient, _ = oracles.pair_derivatives(s, cells, w, weights, SLOPES[name], kernel.curvature)
    size = np.abs(gradient).max()
    assert np.linalg.norm((slopes - gradient) / size) <= 1e-6 * np.linalg.norm(gradient / size)


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_few_rows_agree_with_pair_by_pair_enumeration(name, data):
    kernel = KERNELS[name]
    n = data.draw(st.integers(2, 6))
    score = st.floats(-60, 60, allow_subnormal=False)
    s = np.array(data.draw(st.lists(score, min_size=n, max_size=n)))
    cells = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    w = np.array(data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n)))
    weights = np.array([[0.0, 1.0, -2.0], [0.5, 0.0, 0.3], [-1.0, 2.0, 0.0]])
    total, slopes = make_pair_loss(kernel, s, cells, 3, w).loss(weights)
    expected = oracles.pair_loss(s, cells, w, weights, kernel.value)
    size = float(w.sum() ** 2)
    assert total == pytest.approx(expected, rel=1e-6, abs=1e-7 * size)
    gradient, _ = oracles.pair_derivatives(s, cells, w, weights, SLOPES[name], kernel.curvature)
    np.testing.assert_allclose(slopes, gradient, atol=1e-6 * size)


@pytest.mark.parametrize("kind", ["normal", "few integers", "many integers", "constant"])
@pytest.mark.parametrize("name", LOSSES)
def test_curvatures_are_the_diagonal_of_the_hessian(name, kind):
    kernel, s = KERNELS[name], SCORES[kind]
    cells, w, weights = random_pairs()
    _, hessian = oracles.pair_derivatives(s, cells, w, weights, SLOPES[name], kernel.curvature)
    pairs = make_pair_loss(kernel, s, cells, CELLS, w)
    same = np.diag(weights)[cells] * w**2 * kernel.curvature(np.zeros(1))  # pairs (i, i)
    curvature = pairs.curvatures(weights) - 2 * np.abs(same)
    np.testing.assert_allclose(curvature, np.diag(hessian), rtol=1e-5, atol=1e-5)


def test_a_margin_on_the_kink_is_flat():
    weights = np.tril(np.ones((3, 3)), -1)  # margins 1, 2, 1
    pairs = make_pair_loss(LOSSES["squared_hinge"], np.arange(3.0), np.arange(3), 3, np.ones(3))
    total, slopes = pairs.loss(weights)
    assert total == 0.0
    assert not slopes.any()
    assert not pairs.curvatures(weights).any()


@pytest.mark.parametrize("name", LOSSES)
def test_ties_far_from_other_rows_are_ties(name):
    """The score less 1 is the score itself beyond 2^53."""
    s, cells = np.array([0.0, 1e17, 1e17]), np.arange(3)
    weights = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    total, slopes = make_pair_loss(LOSSES[name], s, cells, 3, np.ones(3)).loss(weights)
    slope = float(SLOPES[name](0.0))
    assert total == pytest.approx(float(LOSSES[name].value(np.zeros(1))[0]), rel=1e-6)
    np.testing.assert_allclose(slopes, [0.0, -slope, slope], rtol=1e-6, atol=1e-12)


def test_blocks_of_sorted_rows_make_no_difference(monkeypatch):
    cells, w, weights = random_pairs()
    found = []
    for block in (1, 7, 10**4):
        monkeypatch.setattr("fairordinal._pairloss._pair_loss.BLOCK", block)
        pairs = make_pair_loss(LOSSES["squared_hinge"], SCORES["normal"], cells, CELLS, w)
        total, slopes = pairs.loss(weights)
        found.append(np.concatenate([[total], slopes, pairs.curvatures(weights)]))
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-12)


def test_pair_tables_hold_every_cell_pair():
    cells, w, _ = random_pairs()
    histogram = Histogram.of(SCORES["normal"], cells, CELLS, w)
    table = histogram.pair_table(STEP, np.arange(CELLS))
    for u, v in [(0, 1), (3, 2), (5, 5)]:
        margin = np.subtract.outer(SCORES["normal"][cells == u], SCORES["normal"][cells == v])
        expected = w[cells == u] @ STEP.value(margin) @ w[cells == v]
        assert table[u, v] == pytest.approx(expected, rel=1e-7)


def test_cells_of_a_kind_are_one_in_pair_tables():
    cells, w, _ = random_pairs()
    histogram = Histogram.of(SCORES["normal"], cells, CELLS, w)
    kinds = np.array([0, 1, 0, 2, 1, 1])
    member = kinds == np.arange(3)[:, None]
    whole = histogram.pair_table(STEP, np.arange(CELLS))
    np.testing.assert_allclose(histogram.pair_table(STEP, kinds), member @ whole @ member.T)


@pytest.mark.parametrize("name", LOSSES)
def test_cells_with_equal_weights_lose_nothing_by_being_merged(name):
    cells, w, weights = random_pairs()
    rows, columns = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    for table in (weights[rows][:, columns], weights[rows][:, rows]):
        found = make_pair_loss(LOSSES[name], SCORES["normal"], cells, CELLS, w).loss(table)[0]
        margin = np.subtract.outer(SCORES["normal"], SCORES["normal"])
        pairs = table[np.ix_(cells, cells)]
        loss = np.abs(pairs) * LOSSES[name].value(np.sign(pairs) * margin)
        assert found == pytest.approx(w @ loss @ w, rel=1e-7)


@pytest.mark.parametrize("name", LOSSES)
def test_order_shift_and_repetition_make_no_difference(name):
    def loss_of(s, cells, w, weights):
        return make_pair_loss(LOSSES[name], s, cells, CELLS, w).loss(weights)[0]

    cells, w, weights = random_pairs()
    s = SCORES["normal"]
    plain = loss_of(s, cells, w, weights)
    order = np.random.default_rng(3).permutation(N)
    assert loss_of(s[order], cells[order], w[order], weights) == pytest.approx(plain, rel=1e-12)
    assert loss_of(s + 1234.5, cells, w, weights) == pytest.approx(plain, rel=1e-9)
    times = (2 * w).astype(int)
    repeated = [np.repeat(column, times) for column in (s, cells)]
    assert loss_of(*repeated, np.full(times.sum(), 0.5), weights) == pytest.approx(plain, rel=1e-12)
    other = np.random.default_rng(4).permutation(CELLS)
    relabelled = weights[np.ix_(np.argsort(other), np.argsort(other))]
    assert loss_of(s, other[cells], w, relabelled) == pytest.approx(plain, rel=1e-12)


def test_a_sharper_step_is_nearer_to_a_win():
    cells, w, _ = random_pairs()
    s = SCORES["normal"]
    of_cell = np.eye(CELLS)[cells] * w[:, None]
    won = of_cell.T @ (np.subtract.outer(s, s) < 0) @ of_cell
    apart = ~np.eye(CELLS, dtype=bool)  # the pairs of a cell are lost as often as won
    gaps = []
    for factor in (1.0, 4.0, 16.0):
        step = STEP.sharper(factor)
        histogram = Histogram.of(s, cells, CELLS, w, detail=step.detail)
        lost = histogram.pair_table(step, np.arange(CELLS))
        gaps.append(float(np.abs(lost - won)[apart].max()))
    assert 0.2 * gaps[0] > gaps[1] > gaps[2] > 0.0

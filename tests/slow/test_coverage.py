"""Do intervals keep their promise? Monte Carlo from laws whose disparities are known."""

from dataclasses import replace

import numpy as np
import pytest

from fairordinal._inference import intervals, rows_for_power
from fairordinal._table import SurveyCounts
from fairordinal.criteria import NAMED
from strategies import table_of_cube

pytestmark = pytest.mark.slow

LABELS = np.arange(5)
SHARES = {2: [0.6, 0.4], 3: [0.5, 0.3, 0.2]}
LAWS = {"fair": 0.0, "unfair": 0.5, "very unfair": 2.0}


def law(n_groups, shift):
    """P[y, f | group]: labels differ between groups, predictions are shifted by the group."""
    cube = np.empty((n_groups, 5, 5))
    for g in range(n_groups):
        label = np.exp(-0.15 * g * LABELS)
        noise = np.exp(-0.8 * np.abs(LABELS[None, :] - LABELS[:, None] - shift * g))
        cube[g] = (label / label.sum())[:, None] * noise / noise.sum(axis=1, keepdims=True)
    return cube


def table_of(cube):
    return table_of_cube(cube, LABELS)


def draw(population, n, random):
    """A sample of n rows as a table; groups are drawn too."""
    sizes = random.multinomial(n, SHARES[len(population)])
    cells = [
        random.multinomial(size, group.ravel()).reshape(5, 5)
        for size, group in zip(sizes, population, strict=True)
    ]
    return table_of(np.stack(cells))


def coverage(name, n_groups, n, shift, *, repeats, method="delta", n_resamples=200):
    """Share of samples in which the intervals of all pairs of groups hold the truth."""
    criterion, random = NAMED[name], np.random.default_rng(0)
    population = law(n_groups, shift)
    truth = criterion.disparities(table_of(population))
    pairs = np.triu(np.ones(truth.shape[1:], dtype=bool), 1)
    held = 0
    for seed in range(repeats):
        found = intervals(
            criterion,
            draw(population, n, random),
            method=method,
            n_resamples=n_resamples,
            random_state=seed,
        )
        held += bool(((found.lower <= truth) & (truth <= found.upper))[:, pairs].all())
    return held / repeats


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity"])
def test_intervals_of_95_percent_cover_so_often(name, n_groups, n, kind, record_property):
    found = coverage(name, n_groups, n, LAWS[kind], repeats=3000)
    record_property("measured", ("coverage, delta", name, n_groups, n, kind, found))
    assert 0.93 <= found <= 0.975


SURVEY_WEIGHTS = np.array([18.0, 36.0, 90.0])


def draw_survey(population, n, random):
    """A sample in which rows with large weights are rare, with the weights that make up for it.

    The weight depends on the true label and on chance.
    """
    shares = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], *[[0.2, 0.3, 0.5]] * 3])
    sizes = random.multinomial(n, SHARES[len(population)])
    drawn = []
    for size, group in zip(sizes, population, strict=True):
        chance = group[:, :, None] * shares[:, None] / SURVEY_WEIGHTS
        drawn.append(random.multinomial(size, (chance / chance.sum()).ravel()).reshape(5, 5, 3))
    rows = np.stack(drawn).astype(float)
    tables = [table_of(rows @ SURVEY_WEIGHTS**power) for power in (0, 1, 2)]
    survey = SurveyCounts(squares=tables[2].counts, rows=tables[0].counts)
    return replace(tables[1], survey=survey)


def survey_coverage(name, n_groups, n, shift, *, repeats, as_survey=True):
    """Like `coverage`, for samples with survey weights."""
    criterion, random = NAMED[name], np.random.default_rng(0)
    population = law(n_groups, shift)
    truth = criterion.disparities(table_of(population))
    pairs = np.triu(np.ones(truth.shape[1:], dtype=bool), 1)
    held = 0
    for _ in range(repeats):
        table = draw_survey(population, n, random)
        found = intervals(criterion, table if as_survey else replace(table, survey=None))
        held += bool(((found.lower <= truth) & (truth <= found.upper))[:, pairs].all())
    return held / repeats


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("n", [400, 4000])
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity"])
def test_intervals_with_survey_weights_cover_so_often(name, n_groups, n, kind, record_property):
    found = survey_coverage(name, n_groups, n, LAWS[kind], repeats=2000)
    record_property("measured", ("coverage, survey weights", name, n_groups, n, kind, found))
    assert 0.93 <= found <= 0.975


def test_survey_weights_that_are_taken_for_numbers_of_rows_do_not_cover(record_property):
    found = survey_coverage("demographic_parity", 2, 400, 0.5, repeats=300, as_survey=False)
    case = ("survey weights as numbers of rows", "demographic_parity", 2, 400, "unfair", found)
    record_property("measured", case)
    assert found < 0.5


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity"])
def test_the_bootstrap_covers_so_often(name, n_groups, record_property):
    found = coverage(name, n_groups, 200, 0.5, repeats=1000, method="bootstrap")
    record_property("measured", ("coverage, bootstrap", name, n_groups, 200, "unfair", found))
    assert 0.93 <= found <= 0.98


@pytest.mark.parametrize("n", [60, 600])
@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity", "harm_parity"])
def test_the_distribution_free_bound_always_covers(name, n, record_property):
    found = coverage(name, 3, n, 2.0, repeats=1000, method="distribution_free")
    record_property("measured", ("coverage, distribution-free", name, 3, n, "very unfair", found))
    assert found >= 0.95


@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity"])
def test_the_rows_needed_give_the_asked_power(name, record_property):
    criterion, random = NAMED[name], np.random.default_rng(1)
    population = _law_with_violation(criterion, 0.05)
    first = draw(population, 1000, random)
    options = {"violation": 0.05, "power": 0.8, "confidence": 0.95}
    n = round(rows_for_power(criterion, first, **options))
    told = 0
    for _ in range(1000):
        found = intervals(criterion, draw(population, n, random))
        told += bool(found.lower[0, 0, 1] > 0 or found.upper[0, 0, 1] < 0)
    law_name = "violation 0.05"
    record_property("measured", ("power, aim 0.8", name, 2, n, law_name, told / 1000))
    assert 0.74 <= told / 1000 <= 0.86


def _law_with_violation(criterion, wanted):
    """Of laws with two groups, that whose violation is the wanted one, by bisection."""
    low, high = -1.0, 2.0  # a shift of the second group moves the disparity one way

    def disparity(shift):
        return criterion.disparities(table_of(law(2, shift)))[0, 1, 0]

    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if disparity(middle) < wanted else (low, middle)
    return law(2, low)

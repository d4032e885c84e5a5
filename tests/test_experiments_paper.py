"""What experiments compute: methods, means, and the figures and tables of the paper."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fairordinal import optimize_thresholds
from fairordinal._table import read_table
from fairordinal.baselines import (
    ORCA_GRIDS,
    PAPER_PROBABILITIES,
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
    orca_methods,
)
from fairordinal.datasets import orca_names
from fairordinal.experiments import EXPERIMENTS, Options, _cells, methods, reproduce
from fairordinal.experiments._cells import SplitCell, read_split
from fairordinal.experiments.figures import simulation, tables
from fairordinal.experiments.figures.figure1_claims import widest_step
from fairordinal.experiments.figures.figure2 import collection
from fairordinal.experiments.figures.lemma_examples import (
    all_cuts,
    contrast_of,
    counts_below,
    disparities,
    first_claim,
    try_all_thresholds,
)
from fairordinal.experiments.figures.simulation import Scorings, arrangements, correlation
from fairordinal.experiments.methods import (
    Constant,
    Limits,
    Odds,
    Orca,
    Recipe,
    evaluate_mixtures,
    thin,
    thin_grid,
)
from fairordinal.ranker import FairLinearRanker
from fake_cells import kinds_of, made_up_data, pretended
from oracles import costs_of_cuttings, every_cutting, fair_thresholds_by_permutation, violation
from paper_data import needs_paper_data
from strategies import scored_rows

DP, EO = "demographic_parity", "equal_opportunity"
DRAWN = ("figure1", "figure1-finer", "three-groups", "asymmetric-cost", "figure2")


@pytest.fixture
def made_up(monkeypatch):
    """Data sets of any name are made up."""
    for module in (_cells, tables):
        monkeypatch.setattr(module, "fetch", made_up_data)


@pytest.fixture
def split(made_up):
    return read_split("any", 0)


# Methods


def test_features_of_a_split_are_standardised_by_its_training_rows(split):
    np.testing.assert_allclose(split.train.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(split.train.X.std(axis=0), 1)
    assert split.test.X.std(axis=0) != pytest.approx(1, abs=1e-6)
    source = made_up_data("any")
    assert split.test.y.tolist() == source.target[source.splits[0][1]].tolist()
    assert split.labels == [1, 2, 3]


@pytest.mark.parametrize(
    "method",
    [Recipe(EO, (0.0, 0.4)), Odds((0.0, 0.4)), Constant("squared"), Orca("POM", quick=True)],
    ids=lambda method: type(method).__name__,
)
def test_methods_find_a_row_for_each_predictor(split, method):
    found = method.points(split)
    keys = [(row["kind"], row["criterion"], row["parameter"]) for row in found]
    assert sorted(keys) == sorted(kinds_of(method))
    assert all(0 <= row["violation"] <= 1 and row["cost"] >= 0 for row in found)


@pytest.mark.parametrize("criterion", [DP, EO])
def test_the_recipe_is_a_ranker_by_the_rule_and_thresholds(split, criterion):
    X, y, groups = split.train
    ranker = FairLinearRanker(criterion, ranker="grid").fit(X, y, sensitive_features=groups)
    found = Recipe(criterion, (0.3,)).points(split)
    for kind, price in (("ours", 0.3), ("ranker only", 0.0)):
        result = optimize_thresholds(
            ranker.at(0.3).decision_function(X),
            y,
            sensitive_features=groups,
            criterion=criterion,
            trade_off=price,
        )
        predicted = result.predict(ranker.at(0.3).decision_function(split.test.X))
        (row,) = [row for row in found if row["kind"] == kind]
        assert row["cost"] == pytest.approx(np.abs(predicted - split.test.y).mean(), abs=1e-12)
        assert row["violation"] == pytest.approx(
            violation(criterion, split.test.y, predicted, split.test.groups), abs=1e-12
        )
        assert row["gap"] <= 1e-3


@pytest.mark.parametrize("cost", ["absolute", "asymmetric"])
def test_mixtures_are_those_of_the_randomised_classifier(split, cost):
    plain = ProportionalOddsClassifier().fit(split.train.X, split.train.y)
    found = evaluate_mixtures(
        split, plain.predict(split.test.X), cost, kind="coin", criterion=EO,
        probabilities=PAPER_PROBABILITIES[::12],
    )  # fmt: skip
    for row in found:
        model = RandomizedMixtureClassifier(
            ProportionalOddsClassifier(), row["parameter"], cost_matrix=cost
        ).fit(split.train.X, split.train.y)
        assert row["cost"] == pytest.approx(model.expected_cost(split.test.X, split.test.y))
        expected = model.expected_violation(
            split.test.X, split.test.y, sensitive_features=split.test.groups, criterion=EO
        )
        assert row["violation"] == pytest.approx(expected, abs=1e-12)


def test_the_constant_is_the_median_and_fair(split):
    for row in Constant().points(split):
        median = np.median(split.train.y)
        assert row["cost"] == pytest.approx(np.abs(split.test.y - median).mean())
        assert row["violation"] == 0


def test_limits_are_asked_of_a_frontier(split, monkeypatch):
    asked = []

    class Frontier:
        def __init__(self, criterion, **options):
            asked.append((criterion, options))

        def fit(self, X, y, *, sensitive_features):
            return self

        def select(self, *, max_violation):
            asked.append(max_violation)
            return self

        def predict(self, X):
            return np.full(len(X), 2)

    monkeypatch.setattr(methods, "FairOrdinalFrontier", Frontier)
    found = Limits(DP, (0.1, 0.2)).points(split)
    assert asked == [(DP, {"cost_matrix": "absolute", "labels": [1, 2, 3]}), 0.1, 0.2]
    assert [row["cost"] for row in found] == [np.abs(split.test.y - 2).mean()] * 2


def test_a_criterion_that_is_undefined_in_training_rows_gives_no_rows(split):
    y = np.where(split.train.groups == 0, 3, 1)  # no row of group 1 is truly above one of group 0
    odd = _cells.DataSplit(split.train._replace(y=y), split.test, split.labels)
    assert Recipe(EO, (0.1,)).points(odd) == Limits(EO, (0.1,)).points(odd) == []


@pytest.mark.parametrize("name", orca_methods())
def test_thinned_grids_are_every_other_value(name):
    grid = ORCA_GRIDS[name]
    if isinstance(grid, dict):
        thinner = thin_grid(grid)
        assert list(thinner) == list(grid)
        for parameter, values in grid.items():
            kept = [value for i, value in enumerate(values) if i % 2 or len(values) == 1]
            assert thinner[parameter] == kept
    else:
        kept = thin_grid(grid)
        assert [each for each in grid if each in kept] == kept
        assert len(kept) == 9  # three prices and three widths of seven each
        for each in kept:  # both parts keep the same price
            assert each["method__binary__C"] == each["method__ordinal__C"]
    assert thin([5]) == [5]


# All thresholds at once, and the simulation


@given(data=scored_rows(max_rows=7, max_labels=4, max_groups=2, weights=False))
def test_all_thresholds_at_once_are_those_tried_one_by_one(data):
    assume(len(set(data.a)) == 2)
    table = read_table(data.y, data.s, data.a, labels=range(data.n_labels), as_scores=True)
    cuts = all_cuts(len(table.axis), data.n_labels)
    predicted = every_cutting(data.s, data.n_labels)
    assert len(cuts) == len(predicted)
    found = np.abs(disparities(counts_below(table.counts.toarray()), contrast_of(DP, table), cuts))
    expected = [violation(DP, data.y, f, data.a) for f in predicted.tolist()]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("criterion", "y", "a"),
    [
        (DP, (1, 1, 1, 1, 1), (0, 0, 1, 1, 1)),
        (DP, (1, 2, 3, 1, 2), (0, 0, 1, 1, 1)),
        (EO, (1, 2, 3, 1, 3), (0, 0, 0, 1, 1)),
        (EO, (1, 3, 1, 3, 3), (0, 0, 1, 1, 1)),
    ],
)
def test_the_simulation_is_that_of_all_permutations(criterion, y, a):
    found = {
        (row["violation"], row["fair_share"]): row["n_scorings"]
        for row in Scorings(criterion, a, y).rows()
    }
    assert found == fair_thresholds_by_permutation(criterion, y, a, 3)


@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_arrangements_are_all_different_orders(sizes):
    found = arrangements(sizes)
    expected = math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    assert len(np.unique(found, axis=0)) == len(found) == expected
    assert (np.sort(found, axis=1) == np.repeat(np.arange(len(sizes)), sizes)).all()


def test_a_weight_in_a_correlation_is_a_repetition():
    x, y, weight = np.array([0.0, 1.0, 3.0]), np.array([2.0, 2.5, 0.0]), np.array([1, 2, 4])
    expected = np.corrcoef(np.repeat(x, weight), np.repeat(y, weight))[0, 1]
    assert correlation(x, y, weight) == pytest.approx(expected)


def test_the_settings_of_the_simulation_have_ten_rows_and_all_scorings():
    smallest = simulation.SETTINGS[1]
    assert all(len(cell.groups) == len(cell.labels) == 10 for cell in simulation.SETTINGS)
    assert sum(row["n_scorings"] for row in smallest.rows()) == math.factorial(10)


@pytest.mark.parametrize("criterion", [DP, EO])
@pytest.mark.parametrize("feature", ["p1", "p2"])
def test_thresholds_of_the_lemmas_are_tried_with_their_costs(criterion, feature):
    example = first_claim(criterion, 2)
    tried = try_all_thresholds(example.table(feature), criterion)
    predicted = every_cutting(getattr(example, feature).tolist(), 4)
    cost = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    expected = costs_of_cuttings(example.y - 1, predicted, np.ones(len(example.y)), cost)
    np.testing.assert_allclose(tried.cost, expected)


# Experiments


@pytest.fixture
def pretend(made_up, monkeypatch):
    """Methods are not run; they say what they might have found."""
    monkeypatch.setattr(SplitCell, "rows", pretended)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_cells_of_different_names(name, made_up):
    cells = EXPERIMENTS[name].cells(Options(splits=2))
    assert cells
    keys = [str(sorted(cell.settings.items(), key=str)) for cell in cells]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", DRAWN)
def test_findings_and_pictures_work_on_two_splits(name, pretend, tmp_path, monkeypatch):
    experiment = EXPERIMENTS[name]
    few = dict([*experiment.pictures.items()][:3:2])  # of figure 2, the other eleven are like these
    monkeypatch.setitem(EXPERIMENTS, name, replace(experiment, pictures=few))
    chosen = ("POM", "SVORIM") if experiment.takes_methods else ()
    report = reproduce(name, splits=2, methods=chosen, out=tmp_path)
    assert report.failures == []
    assert len(report.findings) > 5
    assert len({finding.claim for finding in report.findings}) == len(report.findings)
    pictures = [path for path in report.files if path.suffix == ".png"]
    assert len(pictures) == len(few)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("missing", [(), (Odds, Orca), (Recipe,), (Limits, Constant)])
def test_findings_are_told_of_what_is_finished(name, missing, made_up):
    cells = EXPERIMENTS[name].cells(Options(splits=2))
    finished = [cell for cell in cells if not isinstance(cell.method, missing)]
    rows = [row for cell in finished for row in pretended(cell)]
    for finding in EXPERIMENTS[name].findings(rows):
        assert finding.agrees in (True, False, None)
        assert "nan" not in finding.here


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_nothing_is_confirmed_by_nothing(name):
    experiment = EXPERIMENTS[name]
    assert not any(finding.agrees for finding in experiment.findings([]))
    for picture in [*experiment.pictures.values()][:2]:
        picture([]).clear()


@pytest.mark.parametrize("name", ["simulation", "lemmas", "tshirts"])
def test_small_experiments_confirm_the_paper_but_for_its_misprint(name, tmp_path, monkeypatch):
    if name == "simulation":  # the settings for EO take seconds
        monkeypatch.setattr(simulation, "SETTINGS", simulation.SETTINGS[:2])
    report = reproduce(name, out=tmp_path)
    wrong = [finding for finding in report.findings if finding.agrees is False]
    assert [(each.paper, each.here[:12]) for each in wrong] == (
        [("(6+m)/(2m+5)", "(7+m)/(2m+5)")] if name == "lemmas" else []
    )
    assert (tmp_path / f"{name}.png").exists()


@needs_paper_data
def test_the_tables_are_those_of_the_paper_but_for_two_numbers(tmp_path):
    report = reproduce("tables", out=tmp_path)
    here = {finding.claim: finding for finding in report.findings}
    whole = here["tables 3 and 4, four statistics of each set"]
    assert whole.here == "31 equal in all four, 2 in three, 0 in fewer"
    wrong = [claim for claim, finding in here.items() if not finding.agrees]
    assert wrong[1:] == ["census2-5: group 0 above", "computer2-5: share of group 0"]
    assert all("the data has" in here[claim].here for claim in wrong[1:])


def test_numbers_that_are_not_as_printed_are_told_one_by_one():
    rows = [
        {"data": "toy", "statistic": "n_train", "printed": "225", "value": 225.0},
        {"data": "toy", "statistic": "difference", "printed": "0.20", "value": 0.214},
    ]
    *_, last = tables.findings(rows)
    assert last == ("toy: difference", "0.20", "0.21", False)


def test_the_widest_range_that_is_not_reached_is_between_neighbours():
    assert widest_step([0.5, 0.1, 0.2]) == (0.2, 0.5)


def test_names_of_the_benchmark_sets_have_one_collection_each():
    assert Counter(map(collection, orca_names())) == {"real": 11, "five": 11, "ten": 11}

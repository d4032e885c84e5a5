"""Models of tables: what becomes of columns, which rows count, and what is predicted."""

import datetime
import logging
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier
from fairordinal.models import TablePreparation, TrainingTable, fit_table, model_text
from made_up_models import made_up_table, models
from oracles import leaf_by_walking

pytestmark = pytest.mark.usefixtures("small_effort")

LIBRARIES = {
    "mapping": dict,
    "pandas": pd.DataFrame,
    "polars": lambda table: pl.DataFrame(table, strict=False),
    "pyarrow": pa.table,
}
NAMES = {"y": "grade", "sensitive_features": "sex"}
QUICK = {"trade_off": 0.3, "alpha": 0.01, "ranker": "reduction", "cv": 3}


@pytest.fixture(scope="module")
def table():
    return made_up_table()


@pytest.fixture(scope="module")
def model(table):
    return fit_table(table, **NAMES, **QUICK)


def learn(**columns):
    return TablePreparation.learn(columns)


# Columns


def test_numbers_are_standardised_and_missing_ones_are_the_mean():
    X = learn(x=[1.0, 3.0]).matrix({"x": [3, None, np.nan, 5]})
    assert X.ravel().tolist() == [1.0, 0.0, 0.0, 3.0]


def test_missing_numbers_have_an_input_if_some_were_missing():
    preparation = learn(x=[1.0, 3.0, None, np.nan])
    assert preparation.input_names == ("x", "x (missing)")
    X = preparation.matrix({"x": [3, None, np.nan, 5]})
    assert X.tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [3.0, 0.0]]


@pytest.mark.parametrize("values", [[True, False], [Decimal("1"), Decimal("0")], ["", 1, 0]])
def test_what_is_a_number_in_other_words_is_a_number(values):
    assert learn(x=values).columns[0].kind == "number"


def test_text_has_an_input_for_each_category_in_sorted_order():
    preparation = learn(job=["nurse", "clerk", "nurse"])
    assert preparation.input_names == ("job=clerk", "job=nurse")
    assert preparation.matrix({"job": ["clerk", "nurse"]}).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("missing", [None, "", np.nan, pd.NA])
def test_missing_text_has_an_input_if_some_was_missing(missing):
    preparation = learn(job=["nurse", "clerk", missing, "nurse"])
    assert preparation.input_names[-1] == "job (missing)"
    assert preparation.matrix({"job": [missing, "baker"]}).tolist() == [[0, 0, 1]] * 2


@pytest.mark.parametrize("value", [None, "", "baker"])
def test_missing_and_unknown_text_is_nothing_if_none_was_missing(value):
    assert learn(job=["a", "b", "b"]).matrix({"job": ["a", value]}).tolist() == [[1, 0], [0, 0]]


def test_rare_categories_share_an_input():
    table = {"job": [*"aaabbccd", None]}
    preparation = TablePreparation.learn(table, most_categories=2)
    names = ("job=a", "job=b", "job (other)", "job (missing)")
    assert preparation.input_names == names
    places = preparation.matrix({"job": ["a", "c", "d", "unknown", None]}).argmax(axis=1)
    assert places.tolist() == [0, 2, 2, 2, 3]


def test_fifty_categories_are_the_most():
    jobs = [f"{i:03}" for i in range(60)]
    column = learn(job=[*jobs, *jobs[20:], "059"]).columns[0]
    assert len(column.categories) == 50
    assert set(jobs[20:]) < set(column.categories)
    assert column.other


def test_numbers_in_a_column_of_text_are_taken_as_written():
    preparation = learn(zone=["1", "2", "1.5", "1"])
    places = preparation.matrix({"zone": [1.0, 2, 1.5]}).argmax(axis=1)
    assert [preparation.columns[0].categories[i] for i in places] == ["1", "2", "1.5"]


def test_categories_that_are_numbers_are_text():
    frame = pd.DataFrame({"zone": pd.Categorical([2, 1, 2])})
    assert TablePreparation.learn(frame).input_names == ("zone=1", "zone=2")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"p{i}" for i in range(9)], "no two entries are equal, as in an identifier"),
        ([*"abcdefgh", None], "identifier"),
        (["a"] * 9, "it is 'a' in every row"),
        ([7.0] * 8 + [None], "it is 7 wherever it is given"),
        ([0.1 + 0.2, 0.3, 0.3] * 3, "it is 0.3"),
        ([None] * 9, "it is empty"),
        ([""] * 9, "it is empty"),
    ],
)
def test_columns_that_say_nothing_are_left_out_by_name(values, reason, caplog):
    preparation = learn(odd=values, x=range(9))
    assert [column.name for column in preparation.columns] == ["x"]
    assert reason in preparation.ignored[0].reason
    assert "'odd' is left out" in caplog.text


def test_a_table_without_a_column_to_predict_from_is_refused():
    with pytest.raises(ValueError, match=r"no column to predict from\. 'x': it is 1"):
        learn(x=[1, 1])


def test_a_column_that_lacks_is_named_and_others_are_ignored():
    preparation = learn(x=[1, 2], job=["a", "a"], z=[1, 2])
    assert preparation.matrix({"z": [1], "new": [object()], "x": [1]}).shape == (1, 2)
    with pytest.raises(ValueError, match="lacks column 'z', which the model was fitted to; it has"):
        preparation.matrix({"x": [1]})


def test_text_where_numbers_were_is_refused_by_column_row_and_value():
    preparation = learn(x=[1, 2])
    with pytest.raises(ValueError, match=r"column 'x' must hold numbers.* got 'n/a' at row 2"):
        preparation.matrix({"x": ["1", "2", "n/a", "x"]})
    with pytest.raises(ValueError, match="got '1' at row 0"):
        preparation.matrix({"x": ["1", "2"]})
    with pytest.raises(ValueError, match="got 'old' at row 1"):
        preparation.matrix({"x": [3, "old", None]})


@pytest.mark.parametrize("where", ["learn", "matrix"])
def test_infinite_numbers_are_refused(where):
    act = TablePreparation.learn if where == "learn" else learn(x=[1, 2]).matrix
    with pytest.raises(ValueError, match="column 'x' must hold finite numbers, got inf at row 1"):
        act({"x": [1.0, np.inf]})


def test_numbers_too_large_to_scale_are_refused():
    with pytest.raises(ValueError, match="column 'x' has numbers too large to scale"):
        learn(x=[-1e308, 1e308, 1e308])
    with pytest.raises(ValueError, match="'x' has 1e\\+300 at row 1, too far from its mean"):
        learn(x=[1e-10, 2e-10]).matrix({"x": [0, 1e300]})


@pytest.mark.parametrize(
    "values", [[datetime.date(2020, 1, 1)] * 2, [b"a", b"b"], pl.Series([[1], [2]])]
)
def test_what_is_neither_number_nor_text_is_refused(values):
    with pytest.raises(ValueError, match=r"column 'born' must .* numbers (or text|or names), got"):
        learn(born=values, x=[1, 2])


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (np.eye(2), "must be a table with named columns.*got ndarray"),
        ([{"x": 1}], "got list"),
        (pl.LazyFrame({"x": [1]}), "collect it"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns of the same name"),
        (pd.DataFrame([[1, 2]]), "named by text, got the name 0"),
        ({"x": [1, 2], "z": [1]}, "column 'z' has 1 rows but column 'x' has 2"),
        ({"x": []}, "column 'x' is empty"),
    ],
)
def test_what_is_no_table_is_refused(frame, match):
    with pytest.raises(ValueError, match=match):
        TablePreparation.learn(frame)


cells = st.none() | st.sampled_from(["a", "b", "", "1", "nan"])


@given(st.lists(st.tuples(cells, st.none() | st.integers(-3, 3)), min_size=2, max_size=12))
def test_columns_are_the_same_in_every_library(rows):
    table = {"text": [row[0] for row in rows], "number": [row[1] for row in rows]}
    try:
        expected = TablePreparation.learn(table)
    except ValueError:
        return
    for make in LIBRARIES.values():
        frame = make(table)
        assert TablePreparation.learn(frame) == expected
        np.testing.assert_array_equal(expected.matrix(frame), expected.matrix(table))


@given(models(), st.data())
def test_scores_are_inputs_times_coefficients_whatever_the_other_rows(model, data):
    table = {}
    for column in model.preparation.columns:
        known = (
            st.sampled_from([*column.categories, "?"]) if column.kind == "text" else st.nothing()
        )
        near = st.floats(-1e3, 1e3).map(lambda x, c=column: c.mean + x * c.spread)
        cell = st.none() | (known if column.kind == "text" else near.filter(np.isfinite))
        table[column.name] = data.draw(st.lists(cell, min_size=4, max_size=4))
    with np.errstate(over="ignore", invalid="ignore"):
        scores = model.scores(table)
        alone = [model.scores({name: [c[i]] for name, c in table.items()})[0] for i in range(4)]
        np.testing.assert_array_equal(scores, alone)
        X = model.preparation.matrix(table)
        # column by column, as the model does: in another order, huge terms may overflow
        terms = [[sum(x * w for x, w in zip(row, model.coef_, strict=True)) for row in X]]
        forest, values = model._forest
        leaves = np.zeros((4, values.shape[1]))
        for number, tree in enumerate(forest.trees):
            first = forest.first_leaves[number]
            leaves += [values[first + leaf_by_walking(tree, row)] for row in X]
        if model.rule is None:
            terms.append(leaves[:, 0])
            leaves = np.zeros((4, len(model.ramps)))
        for ramp, more in zip(model.ramps, leaves.T, strict=True):
            linear = [sum(x * w for x, w in zip(row, ramp.weights, strict=True)) for row in X]
            clipped = np.clip(np.array(linear) + ramp.offset + more, -1.0, 1.0)
            terms.append(ramp.coefficient * clipped)
        if model.rule is not None:
            # the model's own ramps: with other rounding, a label of equal cost may be chosen
            linear = model.preparation.scores(table, np.array([r.weights for r in model.ramps]).T)
            ramps = np.clip(linear + [ramp.offset for ramp in model.ramps] + leaves, -1.0, 1.0)
            terms.append(model.rule.label_costs().scores(ramps))
        size = max(1.0, np.abs(terms).max(), np.abs(X * model.coef_).max())
        np.testing.assert_allclose(scores, np.sum(terms, axis=0), rtol=1e-9, atol=1e-9 * size)


# Fitting


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_model_is_the_same_from_every_library(table, model, library):
    frame = LIBRARIES[library](table)
    assert model_text(fit_table(frame, **NAMES, **QUICK)) == model_text(model)
    np.testing.assert_array_equal(model.predict(frame), model.predict(table))


def test_the_model_predicts_as_its_classifier(table, model):
    rows = TrainingTable.read(table, **NAMES)
    classifier = FairOrdinalClassifier(**QUICK)
    classifier.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)
    assert rows.model(classifier) == model
    np.testing.assert_array_equal(model.predict(table), classifier.predict(rows.X))
    np.testing.assert_allclose(model.scores(table), classifier.decision_function(rows.X))
    np.testing.assert_array_equal(model.classes_, classifier.classes_)
    np.testing.assert_array_equal(model.thresholds_, classifier.thresholds_)


def test_what_it_is_worth_is_what_the_classifier_says(table, model):
    rows = TrainingTable.read(table, **NAMES)
    fitted = FairOrdinalClassifier(**QUICK)
    fitted.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)
    assert model.certificate.objective == fitted.result_.objective
    assert model.certificate.penalty == pytest.approx(3 * 0.3 / 0.7)
    assert model.expected.violation_interval == fitted.expected_violation_interval_
    assert model.expected.confidence == fitted.confidence_ == 0.95
    assert model.settings.trade_off == 0.3
    counts = pd.crosstab(table["sex"], table["grade"]).to_numpy().tolist()
    assert [list(group.rows_by_label) for group in model.groups] == counts
    assert [group.values for group in model.groups] == [("F",), ("M",)]


def test_printing_it_says_what_to_expect(model):
    assert "expected violation" in str(model)
    assert "pairwise demographic parity between 'F' and 'M'\n" in str(model)
    assert "fitted to 400 rows" in str(model)


def test_group_columns_are_never_inputs(table):
    model = fit_table(table, y="grade", sensitive_features=["sex", "member"], **QUICK)
    assert {column.name for column in model.preparation.columns} == {"age", "job"}
    assert model.groups[0].values == ("F", False)
    with pytest.raises(ValueError, match="features has the column 'sex', which is in sensitive"):
        fit_table(table, **NAMES, features=["age", "sex"])


def test_columns_can_be_chosen_or_ignored(table):
    chosen = TrainingTable.read(table, **NAMES, features=["job", "age"])
    assert [column.name for column in chosen.preparation.columns] == ["job", "age"]
    rest = TrainingTable.read(table, **NAMES, ignore=["job"])
    assert rest.data.columns == ("age", "member")


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"y": "rank"}, "y must name columns of the frame, .*'age'.*, got 'rank'"),
        ({"sensitive_features": ["sex", "race"]}, "sensitive_features must name .* got 'race'"),
        ({"sensitive_features": []}, "sensitive_features must be the name of a column"),
        ({"y": "sex"}, "are one column, 'sex'"),
        ({"ignore": ["x"]}, "ignore must name"),
        ({"features": ["grade"]}, "'grade', which is in y too"),
        ({"features": ["age"], "ignore": ["age"]}, "'age', which is in ignore too"),
        ({"ignore": ["age", "job", "member"]}, "no column to predict from"),
    ],
)
def test_columns_that_cannot_be_are_refused(table, arguments, match):
    with pytest.raises(ValueError, match=match):
        fit_table(table, **(NAMES | arguments))


def test_rows_without_label_or_group_are_left_out_and_counted(table, caplog):
    caplog.set_level(logging.WARNING)
    holes = {name: [*column] for name, column in table.items()}
    holes["grade"][3] = holes["grade"][4] = None
    holes["sex"][4] = holes["sex"][5] = None
    model = fit_table(holes, **NAMES, **QUICK)
    whole = {name: [*column[:3], *column[6:]] for name, column in table.items()}
    assert model.coefficients == fit_table(whole, **NAMES, **QUICK).coefficients
    assert (model.data.rows, model.data.rows_used) == (400, 397)
    assert (model.data.rows_without_label, model.data.rows_without_group) == (2, 1)
    assert model.classes.kind == "int"
    assert (
        "3 of 400 rows are left out: 2 without a label (column 'grade'), 1 without" in caplog.text
    )


def test_no_row_with_label_and_group_is_refused():
    with pytest.raises(
        ValueError, match=r"no row has both a label.*1 rows lack a label, 1 a group"
    ):
        fit_table({"y": [None, 1], "g": ["a", None], "x": [1, 2]}, y="y", sensitive_features="g")


def test_labels_are_ordered_as_everywhere(table):
    words = ["low", "mid", "high"]
    named = table | {"grade": [words[label] for label in table["grade"]]}
    with pytest.raises(ValueError, match="names without an order"):
        fit_table(named, **NAMES, **QUICK)
    model = fit_table(named, **NAMES, **QUICK, labels=words)
    assert model.classes_.tolist() == words
    frame = pd.DataFrame(named)
    frame["grade"] = pd.Categorical(frame["grade"], words, ordered=True)
    assert fit_table(frame, **NAMES, **QUICK) == model


def test_labels_that_no_file_can_hold_are_refused(table):
    odd = table | {"grade": [(label, "x")[label == 2] for label in table["grade"]]}
    with pytest.raises(ValueError, match="all text to be kept in a file"):
        fit_table(odd, **NAMES, **QUICK, labels=[0, 1, "x"])


def test_the_fingerprint_knows_cells_and_rows_but_no_libraries_nor_order_of_columns(table):
    def found(frame):
        return TrainingTable.read(frame, **NAMES).data.sha256

    first = found(table)
    assert found(dict(reversed(table.items()))) == first
    assert {found(make(table)) for make in LIBRARIES.values()} == {first}
    turned = {name: column[::-1] for name, column in table.items()}
    changed = table | {"age": [41.25, *table["age"][1:]]}
    assert len({first, found(turned), found(changed)}) == 3


def test_every_point_of_a_frontier_is_a_model(table):
    rows = TrainingTable.read(table, **NAMES)
    frontier = FairOrdinalFrontier(ranker="reduction", alpha=0.01, cv=3, confidence=0.9)
    frontier.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)
    found = [rows.model(frontier.model(number)) for number in range(len(frontier.points_))]
    chosen = rows.model(frontier.select(max_violation=0.1))
    (same,) = [model for model in found if replace(chosen, expected=model.expected) == model]
    assert chosen.expected.violation == same.expected.violation
    # the best of many looks fairer than it is
    assert chosen.expected.violation_interval[1] > same.expected.violation_interval[1]
    for model, point in zip(found, frontier.points_, strict=True):
        assert model.expected.violation == point.expected.violation
        assert model.expected.confidence == 0.9
        cut = np.bincount(model.predict(table), minlength=3)
        assert cut.tolist() == point.table.cube.sum(axis=(0, 1)).tolist()
    with pytest.raises(ValueError, match="number must be a whole number in 0"):
        frontier.model(len(found))


def test_only_linear_models_of_the_same_rows_are_models_of_a_table(table):
    rows = TrainingTable.read(table, **NAMES)
    with pytest.raises(ValueError, match=r"must be a FairOrdinalClassifier.*LogisticRegression"):
        rows.model(LogisticRegression())
    fewer = TrainingTable.read({name: column[:300] for name, column in table.items()}, **NAMES)
    other = FairOrdinalClassifier(**QUICK)
    other.fit(fewer.X, fewer.y, sensitive_features=fewer.sensitive_features)
    with pytest.raises(ValueError, match=r"fitted to these 400 rows of 7 inputs.*to 300 of 7"):
        rows.model(other)

"""Every warning points to the line that calls the library, however deep inside it arises."""

import ast
import linecache
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict

import fairordinal
from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    audit,
    audit_counts,
    metrics,
    optimize_thresholds,
)
from fairordinal.baselines import (
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
    WassersteinFairClassifier,
)
from fairordinal.models import TrainingTable, fit_table
from fairordinal.plotting import DisparityDisplay
from fairordinal.ranker import FairLinearRanker

pytestmark = pytest.mark.usefixtures("small_effort")

PACKAGE = Path(fairordinal.__file__).parent
HELPER = PACKAGE / "_support" / "_messages.py"
FILES = sorted(PACKAGE.rglob("*.py"))

generator = np.random.default_rng(0)
a = np.arange(60) % 2
X = generator.normal(size=(60, 3)) + a[:, None]
y = np.digitize(X[:, 0] + 0.5 * generator.normal(size=60), [0.0, 1.0])
scores = X[:, 0]
GROUPS = {"sensitive_features": a}

# A label of one row, which some folds lack. A group of one row, which is never above another.
rare = np.where(np.arange(60) == 0, 3, y)
lone = np.where(np.arange(60) == np.flatnonzero(y == 0)[0], 2, a)
LONE = {"sensitive_features": lone}
UPWARDS = {"criterion": "equal_opportunity"}

few = np.where(np.arange(60) < 4, 2, a)
FEW = {"sensitive_features": few}

reversed_groups = {"sensitive_features": pd.Series(a).iloc[::-1]}
table = pd.DataFrame(X, columns=list("pqr")).assign(y=y, a=a)
counts = pd.DataFrame({"y_true": y, "y_pred": y, "group": lone, "count": 1})

LINEAR = {"basis": "linear", "ranker": "relaxed", "alpha": 1e-3, "cv": 2}
TREES = {"basis": "trees", "ranker": "relaxed", "alpha": 1e-3, "cv": 2, "max_violation": 0.9}
STRICT = {"max_violation": 0.0, "cv": 2}
HARM = {"criterion": "harm_parity", "max_violation": 0.0, "confidence": 0.9}
MIXTURE = RandomizedMixtureClassifier(LogisticRegression(), 0.2).fit(X, y)


def ordinal(**options):
    return FairOrdinalClassifier(**LINEAR | options)


def frontier(**options):
    return FairOrdinalFrontier(**LINEAR | {"max_time": 0.5} | options)


# Calls that warn, by a part of the message.
CASES = {
    "undefined for groups": {
        "difference": lambda: metrics.pairwise_equal_opportunity_difference(y, y, **LONE),
        "matrix": lambda: metrics.pairwise_equal_opportunity_matrix(y, y, **LONE),
        "harm": lambda: metrics.conditional_harm_parity_difference(y, y, **GROUPS),
        "harm of all": lambda: metrics.conditional_harm_parity_difference(
            y, y, method="to_overall", **GROUPS),
        "standard": lambda: metrics.standard_equalized_odds_difference(y, y, **LONE),
        "audit": lambda: audit(y, y, **LONE),
        "audit of counts": lambda: audit_counts(counts),
        "display": lambda: DisparityDisplay.from_predictions(
            y, y, criterion="equal_opportunity", **LONE),
        "thresholds": lambda: optimize_thresholds(scores, y, max_violation=0.5, **UPWARDS, **LONE),
        "mixture": lambda: MIXTURE.expected_violation(X, y, criterion="equal_opportunity", **LONE),
        "by group": lambda: FairThresholdClassifier(
            Ridge(), group_aware=True, cv=2, **UPWARDS).fit(X, y, **LONE),
    },
    "same labels in another order": {
        "audit": lambda: audit(pd.Series(y), y, **reversed_groups),
        "metric": lambda: metrics.mean_cost(pd.Series(y), pd.Series(y).iloc[::-1]),
        "thresholds": lambda: optimize_thresholds(
            pd.Series(scores), pd.Series(y).iloc[::-1], max_violation=0.5, **GROUPS),
        "ranker": lambda: FairLinearRanker(alpha=1.0).fit(X, pd.Series(y), **reversed_groups),
        "Wasserstein": lambda: WassersteinFairClassifier(LinearRegression()).fit(
            X, pd.Series(y), **reversed_groups),
    },
    "column-vector y": {
        "ranker": lambda: FairLinearRanker(alpha=1.0).fit(X, y[:, None], **GROUPS),
        "thresholds": lambda: FairThresholdClassifier(Ridge(), cv=2).fit(X, y[:, None], **GROUPS),
        "ordinal": lambda: ordinal().fit(X, y[:, None], **GROUPS),
        "odds": lambda: ProportionalOddsClassifier(1.0).fit(X, y[:, None]),
    },
    "least populated class": {
        "ranker": lambda: FairLinearRanker(cv=2).fit(X, rare, **GROUPS),
        "thresholds": lambda: FairThresholdClassifier(Ridge(), cv=2).fit(X, rare, **GROUPS),
        "ordinal": lambda: ordinal().fit(X, rare, **GROUPS),
        "frontier": lambda: frontier().fit(X, rare, **GROUPS),
    },
    "did not converge in max_iter=1 steps": {
        "ranker": lambda: FairLinearRanker(alpha=1e-4, max_iter=1).fit(X, y, **GROUPS),
        "ordinal": lambda: ordinal(max_iter=1).fit(X, y, **GROUPS),
        "frontier": lambda: frontier(max_iter=1).fit(X, y, **GROUPS),
        "odds": lambda: ProportionalOddsClassifier(max_iter=1).fit(X, y),
        "ranker in folds of joblib": lambda: FairThresholdClassifier(
            FairLinearRanker(alpha=1e-4, max_iter=1), cv=2).fit(X, y, **GROUPS),
    },
    "likelihood has no maximum": {
        "odds": lambda: ProportionalOddsClassifier().fit(X, np.digitize(X[:, 0], [0.0, 1.0])),
    },
    r"Groups of fewer than 10 rows: '2' \(4 rows\)": {
        "ordinal": lambda: ordinal().fit(X, y, **FEW),
        "frontier": lambda: frontier().fit(X, y, **FEW),
        "frontier of scores": lambda: FairOrdinalFrontier(estimator=Ridge(), cv=2).fit(X, y, **FEW),
        "classifier": lambda: FairThresholdClassifier(Ridge(), cv=2).fit(X, y, **FEW),
        "table": lambda: fit_table(
            table.assign(a=few), y="y", sensitive_features="a", **LINEAR),
    },
    "one distinct value": {
        "thresholds": lambda: optimize_thresholds(np.ones(60), y, trade_off=0.1, **GROUPS),
    },
    "stopped by max_time": {
        "thresholds": lambda: optimize_thresholds(
            scores, y, max_violation=0.0, max_time=1e-6, **UPWARDS, **GROUPS),
        "classifier": lambda: FairThresholdClassifier(
            Ridge(), cv=2, trade_off=0.1, max_time=1e-6, **UPWARDS).fit(X, y, **GROUPS),
    },
    "hardly tells people apart": {
        "thresholds": lambda: optimize_thresholds(
            scores, y, max_violation=0.01, confidence=0.9, **GROUPS),
        "classifier": lambda: FairThresholdClassifier(Ridge(), **STRICT).fit(X, y, **GROUPS),
        "ordinal": lambda: ordinal(**STRICT).fit(X, y, **GROUPS),
        "choice on a frontier": lambda: frontier().fit(X, y, **GROUPS).select(max_violation=0.0),
        "table": lambda: fit_table(
            table, y="y", sensitive_features="a", **LINEAR | {"max_violation": 0.0}),
    },
    "No candidate keeps": {
        "thresholds": lambda: optimize_thresholds(scores, y, **HARM, **GROUPS),
        "classifier": lambda: FairThresholdClassifier(Ridge(), cv=2, **HARM).fit(X, y, **GROUPS),
    },
    "looks like an identifier": {
        "table": lambda: TrainingTable.read(
            table.assign(row=np.arange(60)), y="y", sensitive_features="a"),
    },
    "No tree could be grown": {
        "ordinal": lambda: FairOrdinalClassifier(**TREES).fit(
            X[:30], y[:30], sensitive_features=a[:30]),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "call"),
    [
        pytest.param(message, call, id=f"{message}, {name}")
        for message, calls in CASES.items()
        for name, call in calls.items()
    ],
)
def test_a_warning_points_to_the_caller(message, call):
    with pytest.warns(UserWarning, match=message) as caught:
        call()
    found = {each.filename for each in caught if re.search(message, str(each.message))}
    assert found == {__file__}


class Nested(Ridge):
    """An estimator of a user, called by the library, that calls the library."""

    def fit(self, X, y, **options):
        metrics.pairwise_equal_opportunity_difference(  # here
            [1, 1, 2, 2], [1, 2, 1, 2], sensitive_features=list("aabb")
        )
        return super().fit(X, y, **options)


def test_a_warning_points_to_the_call_in_code_of_users_that_the_library_calls():
    with pytest.warns(UserWarning, match="undefined for groups 'a' and 'b'") as caught:
        FairThresholdClassifier(Nested(), cv=2, max_violation=0.9).fit(X, y, **GROUPS)
    places = {(each.filename, each.lineno) for each in caught if "undefined" in str(each.message)}
    assert len(places) == 1
    assert linecache.getline(*places.pop()).endswith("# here\n")


def test_a_fit_warns_about_groups_of_few_rows_before_it_starts():
    class Unfit(Ridge):
        def fit(self, X, y):
            raise RuntimeError("too late")

    with (
        pytest.warns(UserWarning, match="Merge such groups with others, or leave their rows out"),
        pytest.raises(RuntimeError, match="too late"),
    ):
        FairThresholdClassifier(Unfit(), cv=2).fit(X, y, **FEW)


def test_groups_without_weight_are_not_groups_of_few_rows():
    weight = np.where(few == 2, 0.0, 1.0)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Groups of fewer than")
        ordinal().fit(X, y, sample_weight=weight, **FEW)
        FairThresholdClassifier(Ridge(), cv=2).fit(X, y, sample_weight=weight, **FEW)
        ordinal().fit(X[:20], y[:20], **{"sensitive_features": a[:20]})  # 10 rows of each


def test_a_warning_in_a_loop_of_scikit_learn_points_to_the_loop():
    with pytest.warns(UserWarning, match="max_iter=1") as caught:
        cross_val_predict(ProportionalOddsClassifier(max_iter=1), X, y, cv=2)
    assert {Path(each.filename).parent.name for each in caught} == {"model_selection"}


# The functions that warn, with the message to look for among the cases above.
WARNERS = {
    "_check_usable": "one distinct value",
    "_warn_if_not_converged": "likelihood has no maximum",
    "_warn_without_trees": "No tree could be grown",
    "check_folds": "least populated class",
    "read_target": "column-vector y",
    "warn_about": "No candidate keeps",
    "warn_few_rows": r"Groups of fewer than 10 rows: '2' \(4 rows\)",
    "warn_about_columns": "looks like an identifier",
    "warn_misaligned": "same labels in another order",
    "warn_unconverged": "did not converge in max_iter=1 steps",
    "warn_undefined": "undefined for groups",
    "warn_unfinished": "stopped by max_time",
}


def functions_that_warn(tree):
    """Names of the functions that call the helper `warn`."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
            if any(isinstance(call, ast.Name) and call.id == "warn" for call in calls):
                yield function.name


def test_every_warning_has_a_case():
    trees = [ast.parse(text) for path in FILES if "warn(" in (text := path.read_text())]
    assert {name for tree in trees for name in functions_that_warn(tree)} == set(WARNERS)
    assert set(WARNERS.values()) <= set(CASES)


def warns_directly(source):
    """Whether a file uses `warnings.warn` or `warnings.warn_explicit`, by whatever name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            names = [f"{ast.unparse(node.value)}.{node.attr}"]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):  # another name for the module would hide calls
            names = [f"{alias.name}.warn" for alias in node.names if alias.asname]
        else:
            continue
        if {"warnings.warn", "warnings.warn_explicit"} & {*names}:
            return True
    return False


def test_only_the_helper_warns_directly():
    texts = {path: path.read_text() for path in FILES}
    found = [path for path, text in texts.items() if "warn" in text and warns_directly(text)]
    assert found == [HELPER], found


@pytest.mark.parametrize(
    "source",
    [
        "import warnings\ndef f():\n    warnings.warn('x', stacklevel=2)",
        "import warnings\nwarnings.warn_explicit('x', UserWarning, 'f', 1)",
        "from warnings import catch_warnings, warn",
        "import warnings as w\nw.warn('x')",
    ],
)
def test_direct_warnings_are_found(source):
    assert warns_directly(source)
    assert not warns_directly("import warnings\nwith warnings.catch_warnings():\n    warn('x')")

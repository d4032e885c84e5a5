"""Public names exist, are documented, and take explicit arguments."""

import importlib
import inspect
import types

import pytest
from numpydoc.validate import validate

PINNED = {  # what users use; a change of this list is a change for them
    "fairordinal": """
        Audit FairOrdinalClassifier FairOrdinalFrontier FairThresholdClassifier Finding
        ThresholdResult __version__ assert_pairwise_fair audit audit_counts compare
        optimize_thresholds rows_needed show_progress
    """,
    "fairordinal.baselines": """
        ConstantClassifier CumulativeClassifier HierarchicalClassifier
        LinearPostClassifier ORCA_GRIDS OrderedPartitionsClassifier PAPER_PROBABILITIES
        ProjectionEnsembleClassifier ProportionalOddsClassifier
        RandomizedMixtureClassifier WassersteinFairClassifier fair_ranker_only
        fair_thresholds_only make_orca orca_methods
    """,
    "fairordinal.cli": """
        app main
    """,
    "fairordinal.criteria": """
        ConditionalHarmParity Contrasts Criterion DemographicParity EqualOpportunity
        EqualizedOdds HarmParity PairwiseCriterion SampleCriterion
        StandardDemographicParity StandardEqualOpportunity StandardEqualizedOdds
        as_criterion
    """,
    "fairordinal.datasets": """
        fetch_communities_crime fetch_drug_consumption fetch_orca get_data_home
        load_balance_scale load_diabetes load_era load_esl load_lev load_swd
        make_biased_ordinal orca_names
    """,
    "fairordinal.estimators": """
        FairOrdinalClassifier FairThresholdClassifier
    """,
    "fairordinal.experiments": """
        ClaimCheck EXPERIMENTS Experiment Options Reproduction reproduce
    """,
    "fairordinal.frontier": """
        FairOrdinalFrontier FrontierPoint Measured ModelComparison compare
    """,
    "fairordinal.metrics": """
        PairMatrix conditional_harm_parity_difference consistency_score
        harm_parity_difference margin_loss mean_cost
        pairwise_demographic_parity_difference pairwise_demographic_parity_matrix
        pairwise_equal_opportunity_difference pairwise_equal_opportunity_matrix
        pairwise_equalized_odds_difference pairwise_equalized_odds_matrix
        standard_demographic_parity_difference standard_equal_opportunity_difference
        standard_equalized_odds_difference
    """,
    "fairordinal.models": """
        TableModel TablePreparation TrainingTable export_onnx fit_table load_model
        model_text save_model
    """,
    "fairordinal.plotting": """
        Cuts DisparityDisplay FrontierDisplay GroupConfusionDisplay ImportanceDisplay
        Points ScoreDisplay
    """,
    "fairordinal.ranker": """
        FairLinearRanker PairwiseGradient pairwise_gradient
    """,
    "fairordinal.report": """
        Report report report_compare
    """,
    "fairordinal.thresholds": """
        ThresholdResult optimize_thresholds
    """,
}
PUBLIC = [
    (module, name)
    for module in PINNED
    for name in importlib.import_module(module).__all__
    if name != "__version__"
]
FUNCTIONS = [p for p in PUBLIC if inspect.isfunction(getattr(importlib.import_module(p[0]), p[1]))]


@pytest.mark.parametrize("module", PINNED)
def test_packages_export_what_users_use(module):
    assert sorted(importlib.import_module(module).__all__) == PINNED[module].split()


def test_a_lazy_package_lists_its_public_names_only():
    models = importlib.import_module("fairordinal.models")
    assert dir(models) == sorted(models.__all__)


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_public_names_are_documented(module, name):
    assert inspect.getdoc(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_public_functions_take_explicit_arguments(module, name):
    function = getattr(importlib.import_module(module), name)
    parameters = inspect.signature(function).parameters.values()
    assert not [p for p in parameters if p.kind is p.VAR_KEYWORD]


NOT_CHECKED = {
    "ES01",  # an extended summary, if one line says all
    "EX01",  # examples and See Also: below, for functions and estimators
    "SA01",
    "RT02",  # scikit-learn names what a function returns
}


def members(module, name):
    """A public object and its public methods, by their full names."""
    found = getattr(importlib.import_module(module), name)
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        return []
    path = f"{found.__module__}.{found.__qualname__}"
    own = vars(found).items() if inspect.isclass(found) else ()
    kinds = types.FunctionType | classmethod | property
    methods = [k for k, v in own if not k.startswith("_") and isinstance(v, kinds) and v.__doc__]
    return [path, *(f"{path}.{method}" for method in methods)]


DOCUMENTED = sorted({path for place in PUBLIC for path in members(*place)})


@pytest.mark.parametrize("path", DOCUMENTED)
def test_docstrings_follow_numpydoc(path):
    found = validate(path)
    ignored = set(NOT_CHECKED)
    if "\nAttributes\n" in found["docstring"]:  # a result: users read it and do not make it
        ignored.add("PR01")
    assert not [error for error in found["errors"] if error[0] not in ignored]


METRICS = [name for module, name in FUNCTIONS if module == "fairordinal.metrics"]


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_an_example_and_points_to_others(name):
    found = validate(f"fairordinal.metrics.{name}")
    assert not {"EX01", "SA01"} & {code for code, _ in found["errors"]}


@pytest.mark.parametrize("name", [n for n in METRICS if "difference" in n or "matrix" in n])
def test_fairness_metrics_share_one_signature(name):
    function = getattr(importlib.import_module("fairordinal.metrics"), name)
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["y_true", "y_pred"]
    shared = ["sensitive_features", "sample_weight", "labels", "missing_group"]
    assert list(parameters)[2:6] == shared
    assert all(parameters[key].kind is inspect.Parameter.KEYWORD_ONLY for key in shared)

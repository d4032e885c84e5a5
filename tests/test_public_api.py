"""Public names exist, are documented, and take explicit arguments."""

import importlib
import inspect
import re

import pytest

MODULES = [
    "fairordinal",
    "fairordinal.metrics",
    "fairordinal.criteria",
    "fairordinal.baselines",
    "fairordinal.datasets",
    "fairordinal.estimators",
    "fairordinal.models",
    "fairordinal.plotting",
    "fairordinal.ranker",
    "fairordinal.report",
    "fairordinal.thresholds",
]
PUBLIC = [
    (module, name)
    for module in MODULES
    for name in importlib.import_module(module).__all__
    if name != "__version__"
]
FUNCTIONS = [p for p in PUBLIC if inspect.isfunction(getattr(importlib.import_module(p[0]), p[1]))]


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_public_names_are_documented(module, name):
    assert inspect.getdoc(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_public_functions_take_explicit_arguments(module, name):
    function = getattr(importlib.import_module(module), name)
    parameters = inspect.signature(function).parameters.values()
    assert not [p for p in parameters if p.kind is p.VAR_KEYWORD]


METRICS = [name for module, name in FUNCTIONS if module == "fairordinal.metrics"]


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_reference_of_its_parameters_and_an_example(name):
    doc = inspect.getdoc(getattr(importlib.import_module("fairordinal.metrics"), name))
    assert ">>>" in doc
    assert re.search(r"Parameters", doc)
    assert "Returns" in doc


@pytest.mark.parametrize("name", [n for n in METRICS if "difference" in n or "matrix" in n])
def test_fairness_metrics_share_one_signature(name):
    function = getattr(importlib.import_module("fairordinal.metrics"), name)
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["y_true", "y_pred"]
    shared = ["sensitive_features", "sample_weight", "labels", "missing_group"]
    assert list(parameters)[2:6] == shared
    assert all(parameters[key].kind is inspect.Parameter.KEYWORD_ONLY for key in shared)

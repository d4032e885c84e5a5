"""Public names exist, are documented, and take explicit arguments."""

import importlib
import inspect
import types

from numpydoc.validate import validate

import fairordinal
from public_names import FUNCTIONS, PINNED, PUBLIC, public


def test_packages_export_what_users_use():
    wrong = {}
    for module, text in PINNED.items():
        found, pinned = importlib.import_module(module).__all__, text.split()
        if sorted(found) != pinned:
            wrong[module] = {*found} ^ {*pinned}
    assert not wrong, wrong


def test_a_lazy_package_lists_its_public_names_only():
    models = importlib.import_module("fairordinal.models")
    assert dir(models) == sorted(models.__all__)
    names = dir(fairordinal)
    assert {"audit", "models", "report", "__version__"} <= {*names}
    assert [name for name in names if not hasattr(fairordinal, name)] == []
    assert [name for name in names if name.startswith("_")] == ["__version__"]


def test_public_names_are_documented():
    undocumented = [place for place in PUBLIC if not inspect.getdoc(public(*place))]
    assert not undocumented, undocumented


def test_public_functions_take_explicit_arguments():
    wrong = [
        (place, str(parameter))
        for place in FUNCTIONS
        for parameter in inspect.signature(public(*place)).parameters.values()
        if parameter.kind is parameter.VAR_KEYWORD
    ]
    assert not wrong, wrong


NOT_CHECKED = {
    "ES01",  # an extended summary, if one line says all
    "EX01",  # examples and See Also: below, for functions and estimators
    "SA01",
    "RT02",  # scikit-learn names what a function returns
}


def members(module, name):
    """A public object and its public methods, by their full names."""
    found = public(module, name)
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        return []
    path = f"{found.__module__}.{found.__qualname__}"
    own = vars(found).items() if inspect.isclass(found) else ()
    kinds = types.FunctionType | classmethod | property
    methods = [k for k, v in own if not k.startswith("_") and isinstance(v, kinds) and v.__doc__]
    return [path, *(f"{path}.{method}" for method in methods)]


DOCUMENTED = sorted({path for place in PUBLIC for path in members(*place)})


def errors_of(path):
    """Errors that numpydoc finds in a docstring, without those that are not checked."""
    found = validate(path)
    ignored = set(NOT_CHECKED)
    if "\nAttributes\n" in found["docstring"]:  # a result: users read it and do not make it
        ignored.add("PR01")
    return [error for error in found["errors"] if error[0] not in ignored]


def test_docstrings_follow_numpydoc():
    wrong = {path: errors for path in DOCUMENTED if (errors := errors_of(path))}
    assert not wrong, wrong


METRICS = [name for module, name in FUNCTIONS if module == "fairordinal.metrics"]


def test_every_metric_has_an_example_and_points_to_others():
    missing = [
        (name, message)
        for name in METRICS
        for code, message in validate(f"fairordinal.metrics.{name}")["errors"]
        if code in {"EX01", "SA01"}
    ]
    assert not missing, missing


def test_fairness_metrics_share_one_signature():
    shared = ["sensitive_features", "sample_weight", "labels", "missing_group"]
    expected = ["y_true", "y_pred", *(f"{name}: keyword-only" for name in shared)]
    wrong = []
    for name in METRICS:
        if "difference" in name or "matrix" in name:
            parameters = inspect.signature(public("fairordinal.metrics", name)).parameters
            first = [
                f"{each.name}: keyword-only" if each.kind is each.KEYWORD_ONLY else each.name
                for each in parameters.values()
            ][:6]
            wrong += [(name, first)] if first != expected else []
    assert not wrong, wrong

"""An import points only up this list; a row's modules do not know each other."""

import ast
from pathlib import Path

import pytest

import fairordinal

PACKAGE = Path(fairordinal.__file__).parent
LAYERS = [
    "_support",
    "_validation",
    "_lazy",
    "_table _costs _render _source",
    "criteria",
    "metrics _inference _pairloss _rows _forest",
    "_basis",
    "_audit thresholds ranker",
    "_path plotting",
    "estimators",
    "baselines frontier",
    "datasets models report",
    "experiments",
    "cli",
]
PLACE = {name: place for place, row in enumerate(LAYERS) for name in row.split()}
FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem != "__init__"
)


def module_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    """Names of the package's own modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = (
                [f"{module}.{a.name}" for a in node.names] if module == "fairordinal" else [module]
            )
        yield from (name.split(".")[1] for name in names if name.startswith("fairordinal."))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_up_the_list(path):
    module = module_of(path)
    assert module in PLACE, f"{module} has no layer"
    for target in imported(path):
        allowed = target == module or PLACE[target] < PLACE[module]
        assert allowed, f"{module} looks down at {target}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_private_modules_are_imported_in_their_own_package_only(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fairordinal."):
            _, package, *private = node.module.split(".")
            inside = package == module_of(path)
            assert inside or not any(part.startswith("_") for part in private), node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_private_of_scikit_learn_is_imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            parts = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not [part for part in parts if part.startswith("_")]


def test_every_layer_exists():
    assert {module_of(path) for path in FILES} == set(PLACE)


def test_the_guide_for_contributors_lists_the_same_layers():
    guide = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
    lines = guide.read_text().partition("    _support")[2].partition("\n\n")[0].splitlines()
    assert ["_support", *(line.strip().split("  ")[0] for line in lines[1:])] == LAYERS

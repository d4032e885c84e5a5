"""An import points only up this list; modules of one row do not import each other."""

import ast
from pathlib import Path

import fairordinal

PACKAGE = Path(fairordinal.__file__).parent
LAYERS = [
    "_support",
    "_validation",
    "_lazy",
    "_table _costs _render _source",
    "criteria _near_constant",
    "metrics _inference _pairloss _rows _forest _label_costs",
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


def imports_in(path):
    """Import statements of a file, with the place of each for messages."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


IMPORTS = [(module_of(path), *found) for path in FILES for found in imports_in(path)]


def imported_layers(node):
    """The package's own modules, by their names in `LAYERS`, that a statement imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif node.module == "fairordinal":
        names = [f"fairordinal.{alias.name}" for alias in node.names]
    else:
        names = [node.module or ""]
    return [name.split(".")[1] for name in names if name.startswith("fairordinal.")]


def test_imports_point_up_the_list():
    wrong = [
        f"{place}: {module} imports {target}"
        for module, place, node in IMPORTS
        for target in imported_layers(node)
        if target != module and PLACE.get(target, len(LAYERS)) >= PLACE.get(module, 0)
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_are_absolute():
    relative = [place for _, place, node in IMPORTS if getattr(node, "level", 0)]
    assert not relative, "\n".join(relative)


def test_private_modules_are_imported_in_their_own_package_only():
    wrong = []
    for module, place, node in IMPORTS:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fairordinal."):
            _, package, *inner = node.module.split(".")
            if package != module and any(part.startswith("_") for part in inner):
                wrong.append(f"{place}: {module} imports {node.module}")
    assert not wrong, "\n".join(wrong)


def test_nothing_private_of_scikit_learn_is_imported():
    wrong = []
    for _, place, node in IMPORTS:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            parts = [*node.module.split("."), *(alias.name for alias in node.names)]
            if any(part.startswith("_") for part in parts):
                wrong.append(f"{place}: {'.'.join(parts)}")
    assert not wrong, "\n".join(wrong)


def test_every_module_has_a_layer_and_every_layer_exists():
    assert {module_of(path) for path in FILES} == set(PLACE)


def test_the_guide_for_contributors_lists_the_same_layers():
    guide = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
    rows = guide.read_text().partition("| layer |")[2].partition("\n\n")[0].splitlines()
    assert [row.split("|")[1].replace("`", "").strip() for row in rows[2:]] == LAYERS

"""Tables and models of tables, made up."""

import math

import numpy as np
from hypothesis import strategies as st

from fairordinal.models import TableModel, TablePreparation
from fairordinal.models._components import (
    BasisResult,
    Certificate,
    Classes,
    Coefficient,
    DataRecord,
    DecisionTree,
    Expected,
    GroupCounts,
    ModelSettings,
    PlugInRule,
    Ramp,
    TreeSplit,
)
from fairordinal.models._preparation import IgnoredColumn, NumberColumn, TextColumn
from strategies import trees

HOSTILE = [
    "",
    '"',
    "\n",
    "\\",
    "</script>",
    "\u2028",
    "\ud800",
    "é",
    "名",
    "😀",
    "<!--",
    "inf",
    "\x00",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def made_up_table(n_rows=400, seed=0):
    """Numbers, booleans and text, some of it missing; groups and labels that depend on them."""
    rng = np.random.default_rng(seed)
    sex, age = rng.choice(["F", "M"], n_rows), rng.normal(40, 10, n_rows).round(1)
    job, member = rng.choice(["baker", "clerk", "nurse"], n_rows), rng.random(n_rows) < 0.5
    score = (age - 40) / 8 + (job == "nurse") + 0.5 * (sex == "M") + rng.normal(0, 0.7, n_rows)
    return {
        "age": [None if value < 25 else value for value in age.tolist()],
        "job": np.where(rng.random(n_rows) < 0.1, "", job).tolist(),
        "member": member.tolist(),
        "sex": sex.tolist(),
        "grade": np.clip(np.rint(score), 0, 2).astype(int).tolist(),
    }


def model_with(*, columns, coefficients, thresholds, classes, groups=(("a",), ("b",)), **more):
    """A model of given columns, with more parts or not; what it is worth is made up."""
    preparation = TablePreparation(tuple(columns), (IgnoredColumn("id", "it is empty"),))
    n_labels = len(classes.values)
    named = zip(preparation.input_names, coefficients, strict=True)
    costs = tuple(tuple(float(abs(i - j)) for j in range(n_labels)) for i in range(n_labels))
    return TableModel(
        ModelSettings(
            "demographic_parity", 0.05, None, None, costs, "trees", "auto", "logistic", 1e-3
        ),
        classes,
        tuple(thresholds),
        tuple(Coefficient(name, value) for name, value in named),
        tuple(more.get("ramps", ())),
        more.get("rule"),
        tuple(more.get("forest", ())),
        preparation,
        Certificate(0.5, 0.4, 0.1, 0.5, 0.01, 0.05, None, 0.0, ""),
        Expected(0.6, (0.5, 0.7), 0.02, (0.0, math.inf), 0.95),
        (BasisResult("linear", 0.7, 0.01), BasisResult("trees", 0.6, 0.02)),
        tuple(GroupCounts(name, n_labels, (1,) * n_labels) for name in groups),
        DataRecord(2 * n_labels, 0, 0, "y", ("g",), ("x",), "0" * 64),
    )


@st.composite
def prepared_columns(draw, texts=TEXTS):
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    return [draw(_column(name, texts)) for name in names]


@st.composite
def _column(draw, name, texts):
    if draw(st.booleans()):
        spread = draw(st.floats(1e-300, 1e300))
        return NumberColumn(name, draw(NUMBERS), spread, draw(st.booleans()))
    kinds = texts.filter(bool)
    categories = sorted(draw(st.lists(kinds, min_size=1, max_size=4, unique=True)))
    return TextColumn(name, tuple(categories), draw(st.booleans()), draw(st.booleans()))


@st.composite
def models(draw, texts=TEXTS, numbers=NUMBERS):
    """Models with names of all kinds."""
    columns = draw(prepared_columns(texts))
    size = sum(column.n_inputs for column in columns)
    coefficients = draw(st.lists(numbers, min_size=size, max_size=size))
    kind = draw(st.sampled_from(["int", "float", "str"]))
    labels = {
        "int": st.integers(-(2**63), 2**63 - 1),
        "float": st.floats(-1e18, 1e18),
        "str": texts.map(lambda text: text.rstrip("\x00")),  # as NumPy keeps text
    }[kind]
    values = draw(st.lists(labels, min_size=2, max_size=4, unique=True))
    cuts = st.lists(st.floats(allow_nan=False), min_size=len(values) - 1, max_size=len(values) - 1)
    rule = draw(st.none() | plug_in_rules(len(values)))
    n_ramps = st.integers(0, 3) if rule is None else st.just(rule.n_ramps)
    return model_with(
        columns=columns,
        coefficients=coefficients,
        thresholds=sorted(draw(cuts)),
        classes=Classes(kind, tuple(values)),
        groups=draw(st.lists(st.tuples(texts | st.booleans() | st.integers()), max_size=3)),
        ramps=[draw(ramps(size, numbers)) for _ in range(draw(n_ramps))],
        rule=rule,
        forest=draw(st.lists(decision_trees(size, rule.n_ramps if rule else 1), max_size=3)),
    )


@st.composite
def ramps(draw, n_inputs, numbers):
    """Ramps of model files."""
    weights = draw(st.lists(numbers, min_size=n_inputs, max_size=n_inputs))
    return Ramp(draw(numbers), draw(numbers), tuple(weights))


@st.composite
def plug_in_rules(draw, n_labels):
    """Plug-in rules of model files, with ramps at some boundaries between labels."""
    n_groups, cost = draw(st.integers(2, 4)), st.floats(-1e6, 1e6)
    boundaries = draw(st.sets(st.integers(0, n_labels - 2), min_size=1))
    costs = [
        [draw(st.tuples(*[cost] * n_labels)) for _ in range(n_labels)] for _ in range(n_groups)
    ]
    return PlugInRule(tuple(sorted(boundaries)), draw(st.floats(0.1, 10)), tuple(map(tuple, costs)))


@st.composite
def decision_trees(draw, n_inputs, n_sums):
    """Trees of model files; sums of their leaves are exact."""
    tree = draw(trees(n_inputs))
    leaf = st.integers(-99, 99).map(lambda number: number / 16)
    leaves = [draw(st.tuples(*[leaf] * tree.n_leaves)) for _ in range(n_sums)]
    splits = (TreeSplit(int(f), float(t), int(a), int(b)) for f, t, a, b in zip(*tree, strict=True))
    return DecisionTree(tuple(splits), tuple(leaves))

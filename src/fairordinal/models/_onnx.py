"""Export models as ONNX graphs, for servers that do not run Python.

The graph adds up the contributions of the columns to the score one after the other, in the order of
`TableModel.scores`, so that both give the same number to the last bit::

    number column:  Where(IsNaN(x), 0, (x + -mean) / spread) * coefficient, or the
                    coefficient of missing numbers where it is missing
    text column:    Gather([coefficients ..., 0], LabelEncoder(x))
    ramps:          number and text columns as above, with a matrix of weights that gives
                    sums of shape [N, n_ramps]; then Clip(sums + offsets, -1, 1) * coefficients,
                    whose columns are added one after the other
    plug-in rule:   products of probabilities, which are linear in the ramps, times rows of costs,
                    added one after the other; then ArgMin, and the fraction for the neighbours
    trees:          TreeEnsemble of the inputs that they split on, added last; with a rule, added
                    to the sums of the ramps; leaf values are such that their sums are exact in any
                    order
    label:          Gather(classes, number of thresholds below the score)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import fairordinal
from fairordinal._support import optional, write_whole
from fairordinal._validation import Array
from fairordinal.models._file import model_text
from fairordinal.models._model import TableModel
from fairordinal.models._onnx_rule import rule_score
from fairordinal.models._preparation import NumberColumn, PreparedColumn, TextColumn

OUTPUTS = ("label", "score")
OPSETS = {"": 17, "ai.onnx.ml": 3}
TREE_OPSETS = OPSETS | {"ai.onnx.ml": 5}  # the first with trees of doubles
SUM, IDENTITY, AT_MOST = 1, 0, 0  # enumerations of TreeEnsemble
NEARLY_ONE = 1e-6  # constants that are closer to 1 may be 1 in single precision
IR_VERSION = 8  # the version of opset 17, which runtimes since 2022 read


def export_onnx(model: TableModel, path: str | Path) -> None:
    """Write a model as an ONNX file; needs ``pip install fairordinal[onnx]``.

    Inputs are the raw columns by name, each of shape [N, 1]: numbers (and booleans, as 0 and 1) as
    double with nan for missing, text as string with "" for missing. A column called ``label`` or
    ``score`` becomes the input ``label_input`` or ``score_input``. Standardisation, categories and
    missing values are part of the graph, by the rules of :class:`TablePreparation`. Outputs are
    ``label``, of shape [N], int64, double or string as the classes are, and ``score``, double of
    shape [N]; they are equal to those of `predict` and `scores`.

    The metadata has the criterion, limit or trade-off, expected cost and violation, and as
    ``model`` the text of the model file. The graph uses opset 17, and `ai.onnx.ml` 3 for
    categories, or 5 for trees.

    Parameters
    ----------
    model : TableModel
        The model to export.
    path : str or Path
        The file, which is written as a whole or not at all.

    See Also
    --------
    save_model : Write a model that `load_model` reads.

    Examples
    --------
    >>> from fairordinal.models import export_onnx, fit_table
    >>> table = {"grade": [1, 2, 3, 1, 2, 3] * 5, "points": [3, 5, 9, 2, 6, 8] * 5,
    ...          "school": ["north"] * 15 + ["south"] * 15}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   alpha=0.01, cv=3)
    >>> export_onnx(model, "model.onnx")  # doctest: +SKIP
    """
    onnx = optional("onnx", "export_onnx", "onnx")
    text = model_text(model)
    exported = Graph(onnx).build(model)
    onnx.helper.set_model_props(exported, _metadata(model, text))
    onnx.checker.check_model(exported)
    write_whole(Path(path), exported.SerializeToString(deterministic=True))


def _metadata(model: TableModel, text: str) -> dict[str, str]:
    settings, expected = model.settings, model.expected
    found = {
        "criterion": settings.criterion,
        "max_violation": settings.max_violation,
        "trade_off": settings.trade_off,
        "expected_cost": expected.cost,
        "expected_cost_interval": list(expected.cost_interval),
        "expected_violation": expected.violation,
        "expected_violation_interval": list(expected.violation_interval),
        "confidence": expected.confidence,
        "model": text,
    }
    return {key: str(value) for key, value in found.items() if value is not None}


def _child_index(child: int, root: int, first: int) -> tuple[int, int]:
    """Return the number of a child among all splits or all leaves, and whether it is a leaf.

    `root` is the number of the first split of its tree, and `first` that of the first leaf.
    """
    return (root + child, 0) if child >= 0 else (first - 1 - child, 1)


class Prepared(NamedTuple):
    """Names of the nodes of a column, before it is multiplied by coefficients."""

    name: str  # the standardised number, or the index of the category
    missing: str = ""  # whether the number is missing


class Graph:
    """Builds an ONNX graph: nodes, constants and inputs."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.prepared: list[Prepared] = []  # one for each column
        self.taken: set[str] = set()

    def build(self, model: TableModel) -> Any:
        """Return the graph of a model."""
        columns = model.preparation.columns
        self.taken = {*OUTPUTS, *(column.name for column in columns)}
        total = self.constant(np.zeros((1, 1)))
        for column, coefficients in model.preparation.by_column(model.coef_):
            total = self.node("Add", total, self.contribution(column, coefficients))
        leaves = self._trees(model) if model.forest else ""
        if model.ramps:
            total = self._add_ramps(total, model, leaves if model.rule is not None else "")
        if model.forest and model.rule is None:
            total = self.node("Add", total, leaves)
        outputs = [self._label(model, total), self._score(total)]
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "fairordinal", self.inputs, outputs, self.constants)
        return helper.make_model(
            graph,
            opset_imports=[
                helper.make_opsetid(*opset)
                for opset in (TREE_OPSETS if model.forest else OPSETS).items()
            ],
            ir_version=IR_VERSION,
            producer_name="fairordinal",
            producer_version=fairordinal.__version__,
        )

    def contribution(self, column: PreparedColumn, coefficients: Array) -> str:
        """Add the nodes of a column's contribution to the score; return the name of the result."""
        if isinstance(column, NumberColumn):
            self.prepared.append(self._number(column))
        else:
            self.prepared.append(self._text(column))
        return self._product(column, self.prepared[-1], coefficients[:, None])

    def _product(self, column: PreparedColumn, prepared: Prepared, coefficients: Array) -> str:
        """Multiply a prepared column by coefficients of shape (n_inputs, m); returns [N, m]."""
        if isinstance(column, TextColumn):
            rows = self.constant(np.concatenate([coefficients, np.zeros_like(coefficients[:1])]))
            found = self.node("Gather", rows, prepared.name)  # [N, 1, m]
            return self.node("Squeeze", found, self.constant(np.array([1])))
        part = self.by_constant("Mul", prepared.name, coefficients[:1])
        if not column.missing:
            return part
        return self.node("Where", prepared.missing, self.constant(coefficients[1:]), part)

    def _number(self, column: NumberColumn) -> Prepared:
        given = self._input(column.name, self.onnx.TensorProto.DOUBLE)
        centred = self.node("Sum", given, self.constant(np.float64(-column.mean)))
        scaled = self.by_constant("Div", centred, np.float64(column.spread))
        missing = self.node("IsNaN", given)
        filled = self.node("Where", missing, self.constant(np.float64(0.0)), scaled)
        return Prepared(filled, missing)

    def _text(self, column: TextColumn) -> Prepared:
        no_input = column.n_inputs  # the index of the 0 after the coefficients
        missing, unknown = (
            no_input if index < 0 else index
            for index in (column.missing_index, column.unknown_index)
        )
        index = self.node(
            "LabelEncoder",
            self._input(column.name, self.onnx.TensorProto.STRING),
            domain="ai.onnx.ml",
            attributes={
                "keys_strings": [*column.categories, ""],
                "values_int64s": [*range(len(column.categories)), missing],
                "default_int64": unknown,
            },
        )
        return Prepared(index)

    def _add_ramps(self, total: str, model: TableModel, leaves: str) -> str:
        """Add the ramps to the score, one after the other; `leaves` add to what is clipped."""
        weights = np.array([ramp.weights for ramp in model.ramps]).T
        linear = self.constant(np.zeros((1, 1)))
        columns = zip(model.preparation.by_column(weights), self.prepared, strict=True)
        for (column, weights_of_column), prepared in columns:
            linear = self.node("Add", linear, self._product(column, prepared, weights_of_column))
        offsets = self.constant(np.array([[ramp.offset for ramp in model.ramps]]))
        ends = (self.constant(np.float64(-1.0)), self.constant(np.float64(1.0)))
        linear = self.node("Sum", linear, offsets)
        linear = self.node("Add", linear, leaves) if leaves else linear
        clipped = self.node("Clip", linear, *ends)
        coefficients = np.array([[ramp.coefficient for ramp in model.ramps]])
        parts = self.by_constant("Mul", clipped, coefficients)
        for number in range(len(model.ramps)):
            at = self.constant(np.array([number]))
            part = self.node("Gather", parts, at, attributes={"axis": 1})
            total = self.node("Add", total, part)
        if model.rule is not None:
            total = self.node("Add", total, rule_score(self, clipped, model.rule.label_costs()))
        return total

    def _trees(self, model: TableModel) -> str:
        """Add the sums of the leaves of all trees, [N, n_sums]; return their name.

        A leaf adds to one sum only, so that each sum has trees of its own.
        """
        used = sorted({split.input for tree in model.forest for split in tree.splits})
        columns = self._tree_inputs(model, used)
        inputs = self.node("Concat", *(columns[i] for i in used), attributes={"axis": 1})
        values = model._forest[1]
        n_sums = values.shape[1]
        splits = [split for tree in model.forest for split in tree.splits] * n_sums
        sizes = [len(tree.splits) for tree in model.forest] * n_sums
        roots = np.cumsum([0, *sizes])[:-1]
        first_leaves = np.cumsum([0, *(size + 1 for size in sizes)])[:-1]
        children = [
            _child_index(child, int(root), int(first))
            for tree, root, first in zip([*model.forest] * n_sums, roots, first_leaves, strict=True)
            for split in tree.splits
            for child in (split.left, split.right)
        ]
        tensor = self.onnx.numpy_helper.from_array
        return self.node(
            "TreeEnsemble",
            inputs,
            domain="ai.onnx.ml",
            attributes={
                "n_targets": n_sums,
                "aggregate_function": SUM,
                "post_transform": IDENTITY,
                "tree_roots": roots.tolist(),
                "nodes_featureids": [used.index(split.input) for split in splits],
                "nodes_splits": tensor(np.array([split.threshold for split in splits])),
                "nodes_modes": tensor(np.full(len(splits), AT_MOST, dtype=np.uint8)),
                "nodes_truenodeids": [index for index, _ in children[::2]],
                "nodes_trueleafs": [leaf for _, leaf in children[::2]],
                "nodes_falsenodeids": [index for index, _ in children[1::2]],
                "nodes_falseleafs": [leaf for _, leaf in children[1::2]],
                "leaf_targetids": np.repeat(np.arange(n_sums), len(values)).tolist(),
                "leaf_weights": tensor(values.T.ravel()),
            },
        )

    def _tree_inputs(self, model: TableModel, used: list[int]) -> dict[int, str]:
        """Return the names of the inputs that trees split on, by number; each is [N, 1]."""
        found, first, double = {}, 0, {"to": self.onnx.TensorProto.DOUBLE}
        for column, prepared in zip(model.preparation.columns, self.prepared, strict=True):
            for index in range(column.n_inputs):
                if first + index not in used:
                    continue
                name = prepared.name
                if isinstance(column, TextColumn):
                    name = self.node("Equal", name, self.constant(np.array(index)))
                    name = self.node("Cast", name, attributes=double)
                elif index:
                    name = self.node("Cast", prepared.missing, attributes=double)
                found[first + index] = name
            first += column.n_inputs
        return found

    def _label(self, model: TableModel, total: str) -> Any:
        above = self.node("Greater", total, self.constant(model.thresholds_[None, :]))
        counted = self.node("Cast", above, attributes={"to": self.onnx.TensorProto.INT64})
        index = self.node(
            "ReduceSum", counted, self.constant(np.array([1])), attributes={"keepdims": 0}
        )
        kind = {"int": "INT64", "float": "DOUBLE", "str": "STRING"}[model.classes.kind]
        self.node("Gather", self.constant(model.classes_), index, output="label")
        return self._vector("label", getattr(self.onnx.TensorProto, kind))

    def _score(self, total: str) -> Any:
        self.node("Squeeze", total, self.constant(np.array([1])), output="score")
        return self._vector("score", self.onnx.TensorProto.DOUBLE)

    def _vector(self, name: str, kind: int) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, kind, ["N"])

    def _input(self, column: str, kind: int) -> str:
        """Add an input for a column; return its name, which differs from those of outputs."""
        name = column
        while name in ("", *OUTPUTS) or (name != column and name in self.taken):
            name += "_input"
        self.taken.add(name)
        value = self.onnx.helper.make_tensor_value_info(name, kind, ["N", 1])
        self.inputs.append(value)
        return name

    def by_constant(self, operator: str, name: str, value: Array | np.float64) -> str:
        """Multiply by a constant, or divide by it, exactly as NumPy does.

        ONNX Runtime removes a multiplication or division by a constant that rounds to 1 in single
        precision, even if it is not 1 in double precision. For such a constant, the other operand
        is doubled and the constant halved (Mul) or doubled (Div); both are exact. Add and Sub of
        constants that round to 0 are removed, too, but Sum is not.
        """
        if np.size(value) == 1 and 0.0 < abs(float(np.ravel(value)[0]) - 1.0) < NEARLY_ONE:
            name = self.node("Mul", name, self.constant(np.float64(2.0)))
            value = value / 2.0 if operator == "Mul" else value * 2.0
        return self.node(operator, name, self.constant(value))

    def node(
        self,
        operator: str,
        *inputs: str,
        output: str = "",
        domain: str = "",
        attributes: Mapping[str, Any] | None = None,
    ) -> str:
        """Add an operation; return the name of its output."""
        output = output or self._new_name(operator.lower())
        made = self.onnx.helper.make_node(
            operator, [*inputs], [output], domain=domain, **(attributes or {})
        )
        self.nodes.append(made)
        return output

    def constant(self, value: Array | np.float64) -> str:
        """Add a constant; return its name."""
        name, array = self._new_name("constant"), np.asarray(value)
        array = array.astype(object) if array.dtype.kind == "U" else array
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def _new_name(self, stem: str) -> str:
        """Return a name that is not taken."""
        name = f"{stem}_{len(self.taken)}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

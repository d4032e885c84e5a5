"""The score of a plug-in rule as nodes of an ONNX graph, in the order of `LabelCosts.scores`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fairordinal._label_costs import UNKNOWN, LabelCosts

if TYPE_CHECKING:
    from fairordinal.models._onnx import Graph


def rule_score(graph: Graph, ramps: str, rule: LabelCosts) -> str:
    """Add the score of a rule, [N, 1], given the ramps, [N, n_ramps]; return its name."""
    half = graph.constant(np.float64(0.5))
    shares = graph.node("Sum", graph.node("Mul", ramps, half), half)
    n_known, n_groups = len(rule.boundaries), len(rule.costs)
    columns = [_column(graph, shares, i) for i in range(n_known + n_groups - (n_groups == 2))]
    labels = _labels(graph, columns[:n_known], rule)
    groups = _groups(graph, columns[n_known:])
    expected = graph.constant(np.zeros((1, rule.n_labels)))
    for group, matrix in zip(groups, rule.costs, strict=True):
        for label, costs in zip(labels, matrix, strict=True):
            part = graph.node("Mul", graph.node("Mul", group, label), graph.constant(costs[None]))
            expected = graph.node("Add", expected, part)
    return _nearest_label(graph, expected, rule)


def _column(graph: Graph, table: str, number: int) -> str:
    return graph.node("Gather", table, graph.constant(np.array([number])), attributes={"axis": 1})


def _labels(graph: Graph, known: list[str], rule: LabelCosts) -> list[str]:
    """Probabilities of labels, [N, 1] each: differences of those of higher labels."""
    above = [graph.constant(np.ones((1, 1)))]
    ends = [*above, *known, graph.constant(np.zeros((1, 1)))]
    places = [-1, *rule.boundaries.tolist(), rule.n_labels - 1]
    for i, (low, high) in enumerate(pairwise(places)):
        for share in np.arange(1, high - low) / (high - low):
            parts = (
                graph.node("Mul", end, graph.constant(np.array([[weight]])))
                for end, weight in ((ends[i], 1.0 - share), (ends[i + 1], share))
            )
            above.append(graph.node("Add", *parts))
        above.append(ends[i + 1])
    return [graph.node("Sub", *pair) for pair in pairwise(above)]


def _groups(graph: Graph, shares: list[str]) -> list[str]:
    """Probabilities of groups, [N, 1] each."""
    if len(shares) == 1:
        return [graph.node("Sub", graph.constant(np.ones((1, 1))), *shares), *shares]
    unknown = graph.constant(np.full((1, 1), UNKNOWN))
    raised = [graph.node("Sum", share, unknown) for share in shares]
    total = raised[0]
    for share in raised[1:]:
        total = graph.node("Add", total, share)
    return [graph.node("Div", share, total) for share in raised]


def _nearest_label(graph: Graph, expected: str, rule: LabelCosts) -> str:
    """The label of least expected cost, plus a fraction for the nearer of its neighbours."""
    first, last = 0, rule.n_labels - 1
    columns = {"axis": 1}
    around = graph.node(
        "Gather",
        expected,
        graph.constant(np.array([first, *range(rule.n_labels), last])),
        attributes=columns,
    )
    label = graph.node("ArgMin", expected, attributes={"axis": 1, "keepdims": 1})
    at = [graph.node("Add", label, graph.constant(np.array([[i]]))) for i in (1, 2)]
    below, least, above = (
        graph.node("GatherElements", around, place, attributes=columns) for place in (label, *at)
    )
    edge = graph.constant(np.array([[rule.edge]]))
    down, up = (
        graph.node(
            "Where",
            graph.node("Equal", label, graph.constant(np.array([[end]]))),
            edge,
            graph.node("Sub", neighbour, least),
        )
        for neighbour, end in ((below, first), (above, last))
    )
    total, zero = graph.node("Add", down, up), graph.constant(np.zeros((1, 1)))
    share = graph.node("Div", graph.node("Sub", down, up), total)
    share = graph.node("Where", graph.node("Greater", total, zero), share, zero)
    whole = graph.node("Cast", label, attributes={"to": graph.onnx.TensorProto.DOUBLE})
    return graph.node("Add", whole, graph.node("Mul", share, graph.constant(np.array([[0.5]]))))

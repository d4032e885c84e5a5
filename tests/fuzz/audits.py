"""Metrics and audits against pair by pair enumeration."""

import math

import numpy as np
import pandas as pd

import oracles
from fairordinal import audit, audit_counts, metrics
from fuzz import chance, choose
from fuzz.rows import CONTROLS, as_column, draw_groups, draw_labels, draw_rows

PAIRWISE = {
    "demographic_parity": metrics.pairwise_demographic_parity_difference,
    "equal_opportunity": metrics.pairwise_equal_opportunity_difference,
    "equalized_odds": metrics.pairwise_equalized_odds_difference,
}
OF_LABELS = {
    "harm_parity": metrics.harm_parity_difference,
    "conditional_harm_parity": metrics.conditional_harm_parity_difference,
    "standard_demographic_parity": metrics.standard_demographic_parity_difference,
    "standard_equal_opportunity": metrics.standard_equal_opportunity_difference,
    "standard_equalized_odds": metrics.standard_equalized_odds_difference,
}
AUDITED = ["demographic_parity", "equal_opportunity", "equalized_odds",
           "conditional_demographic_parity", "harm_parity"]  # fmt: skip
TOLERANCE = 1e-10


def assert_close(found, expected, what=""):
    if math.isnan(expected):
        assert math.isnan(found), f"{what}: {found}, expected nan"
    else:
        assert abs(found - expected) <= TOLERANCE, f"{what}: {found!r}, expected {expected!r}"


def truth(criterion, drawn):
    return float(oracles.violation(criterion, drawn.y, drawn.s, drawn.a, drawn.exact))


def arguments(generator, drawn, *, scores=False):
    """The same rows as users might have them."""
    labels, said = draw_labels(generator, drawn)
    groups = draw_groups(generator, drawn.n_groups)
    predicted = drawn.s if scores else [labels[i] for i in drawn.s]
    return {
        "y_true": as_column(generator, [labels[i] for i in drawn.y]),
        "y_pred": as_column(generator, predicted),
        "sensitive_features": as_column(generator, [groups[i] for i in drawn.a]),
        "sample_weight": None if drawn.w is None else as_column(generator, drawn.w),
        "labels": labels if said or chance(generator, 0.5) else None,
    }


def metrics_are_those_of_all_pairs(generator):
    scores = chance(generator, 0.3)
    drawn = draw_rows(generator, scores=scores)
    given = arguments(generator, drawn, scores=scores)
    criterion, metric = choose(generator, *(PAIRWISE if scores else PAIRWISE | OF_LABELS).items())
    assert_close(metric(**given), truth(criterion, drawn), f"{criterion} of {drawn}")


def mean_cost_is_that_of_single_rows(generator):
    drawn = draw_rows(generator)
    given = arguments(generator, drawn)
    del given["sensitive_features"]
    name, cost = choose(
        generator,
        ("absolute", lambda i, j: abs(i - j)),
        ("zero_one", lambda i, j: int(i != j)),
        ("squared", lambda i, j: (i - j) ** 2),
    )
    expected = oracles.mean_cost(drawn.y, drawn.s, drawn.exact, cost)
    found = metrics.mean_cost(**given, cost_matrix=name)
    assert abs(found - expected) <= TOLERANCE * max(1.0, expected), f"{name} of {drawn}"


def audits_are_those_of_all_pairs(generator):
    scores = chance(generator, 0.3)
    drawn = draw_rows(generator, scores=scores)
    given = arguments(generator, drawn, scores=scores)
    confidence = float(choose(generator, 0.5, 0.95, 0.999))
    if scores:
        found = audit(**given, criteria=AUDITED[:4], confidence=confidence)
    else:
        found = audit(**given, criteria=AUDITED, confidence=confidence, predictions="labels")
    for finding in found.findings:
        criterion = finding.criterion.name
        assert_close(finding.violation, truth(criterion, drawn), f"{criterion} of {drawn}")
        check_finding(finding)
    check_shown(found, drawn)


def check_finding(finding):
    """Intervals hold their estimate, and stay in range."""
    known = ~np.isnan(finding.lower) & ~np.isnan(finding.disparities)
    slack = 1e-9
    assert (finding.lower[known] <= finding.disparities[known] + slack).all()
    assert (finding.disparities[known] <= finding.upper[known] + slack).all()
    lower, upper = finding.violation_interval
    if not (math.isnan(lower) or math.isnan(finding.violation)):
        assert lower - slack <= finding.violation <= upper + slack
        assert lower >= 0


def check_shown(found, drawn):
    text = str(found)
    assert not CONTROLS & set(text), f"control characters in {text!r}"
    assert "<b>" not in found._repr_html_()
    weights = np.array(drawn.w or [1.0] * len(drawn.y))
    counted = {group for group, weight in zip(drawn.a, weights, strict=True) if weight}
    assert len(found.group_frame()) == len(counted)
    assert len(found.frame()) >= len(counted) - 1


def a_constant_factor_of_weights_changes_nothing(generator):
    drawn = draw_rows(generator)._replace(w=None)
    weights = generator.integers(1, 5, len(drawn.y)).astype(float)
    factor = float(choose(generator, 2.0**-500, 1e-162, 1e-10, 3.0, 1e10, 1e160, 2.0**900))
    given = arguments(generator, drawn)
    options = {"criteria": AUDITED, "predictions": "labels"}
    one = audit(**given | {"sample_weight": weights}, **options)
    other = audit(**given | {"sample_weight": weights * factor}, **options)
    for first, second in zip(one.findings, other.findings, strict=True):
        what = f"{first.criterion.name} of {drawn}, weights {weights} times {factor}"
        assert_close(second.violation, first.violation, what)


def audits_of_counts_are_audits_of_rows(generator):
    drawn = draw_rows(generator, most_rows=30)
    names = [f"g{i}" for i in range(drawn.n_groups)]
    weights = drawn.w or [1.0] * len(drawn.y)
    frame = pd.DataFrame(
        {"y_true": drawn.y, "y_pred": drawn.s, "group": [names[i] for i in drawn.a],
         "count": weights}
    )  # fmt: skip
    shards = [part for _, part in frame.groupby(generator.integers(0, 3, len(frame)))]
    tables = [as_counts(generator, shard) for shard in shards]
    options = {"labels": list(range(drawn.n_labels)), "criteria": AUDITED}
    found = audit_counts(*tables, **options)
    for finding in found.findings:
        criterion = finding.criterion.name
        assert_close(finding.violation, truth(criterion, drawn), f"{criterion} of {drawn}")
    again = audit_counts(found.counts_frame(), **options)
    for finding in again.findings:
        assert_close(finding.violation, found[finding.criterion.name].violation)


def as_counts(generator, shard):
    """A table of counts: rows as they are, or added up."""
    keys = ["y_true", "y_pred", "group"]
    if chance(generator, 0.5):
        shard = shard.groupby(keys, as_index=False)["count"].sum()
    return shard if chance(generator, 0.5) else shard.to_dict("list")


LAWS = {
    metrics_are_those_of_all_pairs: 3000,
    mean_cost_is_that_of_single_rows: 800,
    audits_are_those_of_all_pairs: 1200,
    a_constant_factor_of_weights_changes_nothing: 600,
    audits_of_counts_are_audits_of_rows: 400,
}

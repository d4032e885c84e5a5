import numpy as np
import pytest
from hypothesis import assume, given

import oracles
from fairordinal import audit
from fairordinal.criteria import NAMED, PairwiseCriterion
from strategies import rows

PAIRWISE = [name for name, c in NAMED.items() if isinstance(c, PairwiseCriterion)]
every_pairwise = pytest.mark.parametrize("name", PAIRWISE)


def attribution_of(data, name, **options):
    result = audit(
        data.y,
        data.s,
        sensitive_features=data.a,
        sample_weight=data.w,
        criteria=["demographic_parity"],
        predictions="labels",
        **options,
    )
    assume(np.isfinite(NAMED[name].violation(result.table)))
    return result, result.attribution(name)


@every_pairwise
@given(data=rows())
def test_each_view_adds_up_to_the_disparity_of_the_main_pair(name, data):
    scores = [label + 0.1 * row for row, label in enumerate(data.s)]
    result, found = attribution_of(data, name, scores=scores)
    audited = {finding.criterion.name: finding for finding in result.findings}.get(name)
    worst = audited and audited.disparities[audited.headline]
    expected = NAMED[name].violation(result.table) if audited is None else worst
    assert found.disparity == pytest.approx(expected, abs=1e-12)
    for view in (found.by_cut, found.by_labels, found.by_stage):
        assert sum(view["contribution"]) == pytest.approx(found.disparity, abs=1e-12)
    parts = sum(found.by_labels["mix"]) + sum(found.by_labels["treatment"])
    assert parts == pytest.approx(found.disparity, abs=1e-12)


@given(data=rows(max_label=3, weights=False))
def test_the_contribution_of_a_cut_is_its_shapley_value(data):
    result, found = attribution_of(data, "demographic_parity")
    labels, (g, h) = result.table.labels.tolist(), (found.group, found.other)

    def value(kept):
        """The disparity if only these cuts between labels are kept."""
        merged = [sum(labels.index(f) > cut for cut in kept) for f in data.s]
        names = [str(group) for group in data.a]
        return oracles.disparity("demographic_parity", data.y, merged, names, data.w, g, h)[0]

    expected = oracles.shapley_of_cuts(value, len(labels) - 1)
    assert found.by_cut["contribution"] == pytest.approx(expected, abs=1e-12)
    everything = set(range(len(labels) - 1))
    without = [value(everything - {cut}) for cut in sorted(everything)]
    assert found.by_cut["without_cut"] == pytest.approx(without, abs=1e-12)


def test_t_shirts_are_all_mix():
    # equalized odds holds, so that the same labels fare alike: only the mix of labels differs
    y, f, a = [1, 2, 2, 3, 3, 1, 2, 3, 3, 3, 3], [1, 2, 2, 3, 2, 1, 2, 3, 3, 2, 2], "AAAAABBBBBB"
    result = audit(y, f, sensitive_features=list(a))
    found = result.attribution("equal_opportunity")
    assert sum(found.by_labels["treatment"]) == pytest.approx(0, abs=1e-12)
    assert sum(found.by_labels["mix"]) == pytest.approx(found.disparity, abs=1e-12)
    assert found.disparity > 0.1


def test_stages_tell_scores_from_thresholds():
    # Lemma 1: fair scores, cut at 4.5, have DP 0.5; all of it comes from the cut
    y, scores, a = [1, 1, 1, 1, 2, 2], np.arange(1.5, 7), [0, 0, 1, 1, 0, 0]
    f = np.where(scores > 5, 2, 1)
    result = audit(y, f, sensitive_features=a, scores=scores, criteria=["demographic_parity"])
    stage = result.attribution().by_stage
    assert stage == {"stage": ["scores", "thresholds"], "contribution": [0.0, 0.5]}


def test_whole_scores_outside_the_labels_are_scores_all_the_same():
    y, f, a = [0, 1, 2, 0, 1, 2], [0, 1, 2, 0, 0, 1], list("aaabbb")
    result = audit(y, f, sensitive_features=a, scores=[10, 20, 30, 10, 20, 30])
    # by score each group is above in 3 of 9 pairs; by label a in 5 of 9, b in 1
    assert result.attribution().by_stage["contribution"] == pytest.approx([0, 4 / 9])


def test_a_tiny_group_is_not_explained_by_default():
    y, f = [0, 1] * 100, [0, 1] * 50 + [1, 1] * 49 + [0, 1]
    a = ["usual"] * 100 + ["rated high"] * 98 + ["tiny"] * 2
    f[-2:] = [0, 0]
    found = audit(y, f, sensitive_features=a)
    _, group, other = found["demographic_parity"].worst
    assert "tiny" in (found.table.groups[group], found.table.groups[other])
    explained = found.attribution()
    assert (explained.group, explained.other) == ("rated high", "usual")


def test_a_pair_of_groups_can_be_named():
    y, f, a = [0, 1, 0, 1, 0, 1], [0, 1, 1, 1, 0, 0], list("aabbcc")
    found = audit(y, f, sensitive_features=a).attribution(groups=("a", "c"))
    assert (found.group, found.other) == ("a", "c")
    assert found.disparity == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criterion": "harm_parity"}, "needs a pairwise criterion"),
        ({"groups": ("a", "x")}, r"group must be one of \['a', 'b'\], got 'x'"),
        ({"groups": ("a", "a")}, "undefined for these groups"),
    ],
)
def test_what_cannot_be_attributed_is_refused(arguments, message):
    result = audit([0, 1, 0, 1], [0, 1, 1, 1], sensitive_features=list("aabb"))
    with pytest.raises(ValueError, match=message):
        result.attribution(**arguments)


def test_views_are_frames_and_text_and_html():
    result = audit([0, 1, 0, 1], [0, 1, 1, 1], sensitive_features=["<b>", "<b>", "x", "x"])
    found = result.attribution()
    assert found.frame("by_cut").shape == (1, 3)
    assert "0 | 1" in str(found)
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    with pytest.raises(ValueError, match="by_stage"):
        found.frame("by_stage")

"""Pictures: what is drawn is the data, nothing overlaps, and every name is shown as it is."""

import builtins
import functools
import pickle
import subprocess
import sys
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge

from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    audit,
    optimize_thresholds,
)
from fairordinal.baselines import ProportionalOddsClassifier, WassersteinFairClassifier
from fairordinal.metrics import pairwise_equal_opportunity_matrix
from fairordinal.plotting import (
    Cuts,
    DisparityDisplay,
    FrontierDisplay,
    GroupConfusionDisplay,
    ImportanceDisplay,
    ScoreDisplay,
)
from fairordinal.plotting._frontier import star_colours
from fairordinal.plotting._score_data import density, picture_range
from fairordinal.ranker import FairLinearRanker
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

STRANGE = ("<b>$x_1$</b>", "a_b$", "$\\frac", "_hidden", "north", "100 %")
LONG = tuple(f"{name} of the association of towns and villages"[:40] for name in STRANGE)


@pytest.fixture(autouse=True)
def pictures():
    """Agg, the bundled font, every warning an error, and no figure left."""
    with plt.style.context("default"), warnings.catch_warnings():
        warnings.simplefilter("error")
        plt.switch_backend("Agg")
        yield
    plt.close("all")


def scores_of(n_groups=2, n_labels=4, names=STRANGE, n=400, seed=0):
    """Scores, labels and groups."""
    generator = np.random.default_rng(seed)
    group = generator.integers(0, n_groups, n)
    score = generator.normal(size=n) + 0.3 * group
    y = np.digitize(score + 0.6 * generator.normal(size=n), np.linspace(-1.2, 1.5, n_labels - 1))
    return score, y, np.array(names, dtype=object)[group]


@functools.cache
def cut(n_groups=2, n_labels=4, names=STRANGE):
    score, y, group = scores_of(n_groups, n_labels, names)
    return optimize_thresholds(
        score, y, sensitive_features=group, labels=[*range(n_labels)], method="cost_only"
    )


@functools.cache
def audited(n_groups=2, n_labels=4, names=STRANGE):
    score, y, group = scores_of(n_groups, n_labels, names)
    predicted = cut(n_groups, n_labels, names).predict(score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a rare label may be absent from a group
        return audit(y, predicted, sensitive_features=group, labels=[*range(n_labels)])


def curve(n_groups=2, n_labels=4, names=STRANGE):
    violation = np.linspace(0, 0.35, 4 * n_labels)
    cost = 0.7 + 0.5 * np.exp(-9 * violation)
    return FrontierDisplay.from_points(
        cost,
        violation,
        cost_intervals=np.column_stack([cost - 0.04, cost + 0.05]),
        violation_intervals=np.column_stack([violation * 0.8, violation + 0.03]),
        chosen=n_groups,
        baselines={name: (1 + 0.02 * i, 0.1 + 0.02 * i) for i, name in enumerate(names[:n_groups])},
    )


PICTURES = {
    "frontier": curve,
    "disparity": lambda *case: DisparityDisplay.from_audit(audited(*case)),
    "scores": lambda *case: ScoreDisplay.from_result(cut(*case)),
    "confusion": lambda *case: GroupConfusionDisplay.from_audit(audited(*case)),
}
pictured = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)


# layout ------------------------------------------------------------------------------------------


def shown_texts(figure):
    """Texts that are seen, with their boxes."""
    figure.draw_without_rendering()
    texts = [
        text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()
    ]
    unseen = {id(label) for ax in figure.axes for label in labels_out_of_view(ax)}
    return [(t.get_text(), Text.get_window_extent(t)) for t in texts if id(t) not in unseen]


def labels_out_of_view(ax):
    """Of ticks that matplotlib keeps beyond the limits, and does not draw."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high or not axis.get_visible():
                yield from (tick.label1, tick.label2)


def assert_tidy(figure):
    """No text is clipped, and none touches another."""
    texts = shown_texts(figure)
    for text, box in texts:
        assert box.x0 >= -1, f"{text!r} is clipped to the left"
        assert box.y0 >= -1, f"{text!r} is clipped below"
        assert box.x1 <= figure.bbox.x1 + 1, f"{text!r} is clipped to the right"
        assert box.y1 <= figure.bbox.y1 + 1, f"{text!r} is clipped above"
    lows, highs = (np.array([getattr(box, end) for _, box in texts]) for end in ("min", "max"))
    shared = np.minimum(highs[:, None], highs) - np.maximum(lows[:, None], lows)
    for one, two in np.argwhere(np.triu(shared.min(axis=2) >= 1.5, 1)):
        raise AssertionError(f"{texts[one][0]!r} and {texts[two][0]!r} overlap")


@pictured
@pytest.mark.parametrize("names", [STRANGE, LONG], ids=["strange", "long"])
@pytest.mark.parametrize(
    ("n_groups", "n_labels"),
    [
        (2, 3),
        pytest.param(2, 10, marks=pytest.mark.slow),
        pytest.param(6, 3, marks=pytest.mark.slow),
        (6, 10),
    ],
)
@pytest.mark.parametrize("size", [(3, 2.5), (10, 7)], ids=["small", "large"])
def test_nothing_overlaps_or_is_clipped(draw, names, n_groups, n_labels, size):
    with plt.rc_context({"figure.figsize": size}):
        display = draw(n_groups, n_labels, names)
    assert_tidy(display.figure_)


@pytest.mark.parametrize(
    ("n_groups", "n_labels"),
    [
        (2, 2),
        pytest.param(2, 9, marks=pytest.mark.slow),
        pytest.param(6, 2, marks=pytest.mark.slow),
        (6, 9),
    ],
)
@pytest.mark.parametrize("size", [(3, 2.5), (10, 7)], ids=["small", "large"])
def test_long_names_of_labels_do_not_overlap(n_groups, n_labels, size):
    score, y, group = scores_of(n_groups, n_labels, LONG)
    labels = [f"beyond any reasonable doubt, level {i}" for i in range(n_labels)]
    words = np.array(labels)
    predicted = cut(n_groups, n_labels, LONG).predict(score)
    asked = {"sensitive_features": group, "labels": labels}
    with plt.rc_context({"figure.figsize": size}):
        display = GroupConfusionDisplay.from_predictions(words[y], words[predicted], **asked)
        assert_tidy(display.figure_)
        result = optimize_thresholds(score, words[y], method="cost_only", **asked)
        assert_tidy(ScoreDisplay.from_result(result).figure_)


@pictured
@pytest.mark.parametrize("style", ["dark_background", "grayscale", "bmh"])
def test_text_can_be_read_on_any_background(draw, style):
    with plt.style.context(style):
        display = draw()
        for ax in display.figure_.axes:
            own = [text for text in ax.texts if text.get_window_extent().width]
            for text in own:
                ink = np.dot(mpl.colors.to_rgb(text.get_color()), (0.299, 0.587, 0.114))
                paper = behind(display, ax, text)
                assert abs(ink - np.dot(paper, (0.299, 0.587, 0.114))) > 0.3
        display.figure_.canvas.draw()


def behind(display, ax, text):
    """The colour under a text."""
    for image in ax.images:
        column, row = text.get_position()
        value = image.get_array()[int(row), int(column)]
        if not np.ma.is_masked(value):
            return image.to_rgba(value)[:3]
    return mpl.colors.to_rgb(ax.get_facecolor())


def all_words(figure):
    """All that is written, lines joined."""
    figure.canvas.draw()
    return {
        text.get_text().replace("\n", " ").replace("\u200b", "") for text in figure.findobj(Text)
    }


@pictured
def test_names_are_shown_as_they_are(draw):
    with plt.rc_context({"figure.figsize": (12, 8)}):
        figure = draw(6, 3).figure_
    assert set(STRANGE) <= all_words(figure)
    named = [text for text in figure.findobj(Text) if text.get_text() in STRANGE]
    assert not [text for text in named if text.get_visible() and text.get_parse_math()]


def test_words_below_a_matrix_are_not_broken():
    names = ["Caucasian", "Native American", "Asian", "Hispanic", "other", "unknown"]
    y, a = [0, 1, 2] * 60, np.repeat(names, 30)
    ax = DisparityDisplay.from_audit(audit(y, y, sensitive_features=a)).ax_
    shown = [label.get_text().replace("\n", " ") for label in ax.get_xticklabels()]
    assert shown == sorted(names)


def test_long_names_that_differ_only_inside_are_numbered():
    names = tuple(f"{'a' * 25} {i} {'b' * 25}" for i in range(2))
    with plt.rc_context({"figure.figsize": (3, 2.5)}):
        display = DisparityDisplay.from_audit(audited(2, 4, names))
    shown = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert [text[:2] for text in shown] == ["1:", "2:"]
    assert {*display.frame()["group"]} == {*names}


def test_two_colours_of_the_frontier_differ_in_lightness():
    shades = star_colours()(np.linspace(0, 1, 9))[:, :3] @ (0.299, 0.587, 0.114)
    assert (np.diff(shades) < 0).all()
    assert shades[0] - shades[-1] > 0.3


def test_many_baselines_have_marks_of_their_own_in_few_columns():
    display = FrontierDisplay.from_points(
        [1.0], [0.1], baselines={f"b{i}": (1 + 0.01 * i, 0.1) for i in range(20)}
    )
    marks = [(style["marker"], "markerfacecolor" in style) for style in display._mark_styles()]
    assert len({*marks}) == 20
    assert display.ax_.get_legend()._ncols > 3
    assert_tidy(display.figure_)


def test_an_undefined_baseline_is_said_to_be_so():
    display = FrontierDisplay.from_points([], [], baselines={"a": (1.0, np.nan), "b": (1.0, 0.2)})
    assert {"a: undefined", "b"} <= all_words(display.figure_)


def test_undefined_cells_are_explained():
    values = np.array([[0, np.nan], [np.nan, 0]])
    display = DisparityDisplay("ab", values, lower=values, upper=values).plot()
    assert "disparity (hatched: undefined)" in all_words(display.figure_)
    counts = np.array([[[1, 0], [0, 0]], [[1, 1], [1, 1]]])
    display = GroupConfusionDisplay("ab", "xy", counts).plot()
    assert "share of the true label (hatched: no rows)" in all_words(display.figure_)


def test_all_confusion_matrices_hold_text_of_one_size_or_none():
    wide = np.array([[[9, 1], [1, 9]], [[9, 0], [0, 9]]])
    for size in ((1.6, 1.2), (2.2, 1.8), (6, 4)):
        with plt.rc_context({"figure.figsize": size}):
            display = GroupConfusionDisplay("ab", "xy", wide).plot()
        assert len(display.texts_) in (0, wide.size)
        assert len({text.get_size() for text in display.texts_}) <= 1


# conventions -------------------------------------------------------------------------------------


@pictured
def test_displays_return_themselves_and_their_figure(draw):
    display = draw()
    axes = np.ravel(display.ax_)
    assert all(ax.figure is display.figure_ for ax in axes)
    assert display.plot() is display
    assert display.ax_ is not axes[0]


@pictured
def test_axes_given_are_used(draw):
    display = draw()
    figure, axes = plt.subplots(1, 2)
    given = axes if isinstance(display, GroupConfusionDisplay) else axes[1]
    display.plot(given)
    assert display.figure_ is figure
    assert np.ravel(display.ax_)[-1] is axes[1]


@pictured
def test_subfigures_are_drawn_on(draw):
    display = draw()
    left, _ = plt.figure(figsize=(12, 5), layout="constrained").subfigures(1, 2)
    axes = left.subplots(1, 2)
    display.plot(axes if isinstance(display, GroupConfusionDisplay) else axes[0])
    assert display.figure_ is left
    left.canvas.draw()


@pictured
@pytest.mark.parametrize("backend", ["pdf", "svg"])
def test_other_backends_draw_too(draw, backend, tmp_path):
    plt.switch_backend(backend)
    picture = tmp_path / f"picture.{backend}"
    draw().figure_.savefig(picture)
    assert picture.stat().st_size > 1000


def test_importing_the_library_does_not_import_matplotlib():
    code = "import sys, fairordinal.plotting; sys.exit('matplotlib' in sys.modules)"
    assert not subprocess.run([sys.executable, "-c", code], check=False).returncode


@pictured
def test_without_matplotlib_it_is_said_what_to_install(draw, monkeypatch):
    display, plain_import = draw(), builtins.__import__

    def refuse(name, *rest, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return plain_import(name, *rest, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"pip install fairordinal\[plot\]"):
        display.plot()


# frontier ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frontier():
    X, y, a = people(300)
    model = FairOrdinalFrontier(alpha=1e-3, ranker="reduction", cv=3)
    return model.fit(X, y, sensitive_features=a, eval_set=people(300, seed=1))


@pytest.mark.parametrize("rows", ["cross-validated", "train", "held-out"])
def test_the_frontier_is_drawn_where_it_is(frontier, rows):
    display = frontier.plot(measured_on=rows)
    frame = frontier.frame()
    frame = frame[frame["measured_on"] == rows].reset_index(drop=True)
    np.testing.assert_array_equal(display.stars_.get_offsets(), frame[["violation", "cost"]])
    columns = ["cost", "cost_lower", "cost_upper", "violation", "violation_lower"]
    pd.testing.assert_frame_equal(display.frame()[columns], frame[columns])
    assert rows in display.ax_.get_ylabel()
    assert bool(display.holes) == (rows == "cross-validated" and bool(frontier.holes_))
    assert_tidy(display.figure_)


def test_the_line_is_the_least_cost_at_each_violation():
    display = FrontierDisplay.from_points([3.0, 2.0, 2.5, 1.0, 2.0], [0.0, 0.1, 0.2, 0.3, 0.4])
    assert display.line_.get_xydata().tolist() == [[0.0, 3.0], [0.1, 2.0], [0.3, 1.0]]
    assert display.line_.get_drawstyle() == "steps-post"
    assert display.frame()["frontier"].tolist() == [True, True, False, True, False]


@pytest.mark.parametrize("asked", [{"knee": True}, {"max_cost": 2.0}])
def test_the_chosen_model_is_ringed(frontier, asked):
    model = frontier.select(**asked)
    display = frontier.plot(chosen=model)
    place = [model.expected_violation_, model.expected_cost_]
    assert display.ring_.get_offsets()[0].tolist() == place
    assert display.note_.get_text() == "cost {1:.3f}\nviolation {0:.3f}".format(*place)
    again = frontier.plot(chosen=pickle.loads(pickle.dumps(model)))
    number = frontier.plot(chosen=display.chosen)
    assert again.chosen == number.chosen == display.chosen
    assert display.frame()["chosen"].sum() == 1


def test_any_point_may_be_chosen_and_its_note_stays_inside(frontier):
    for number in range(len(frontier.points_)):
        display = frontier.plot(chosen=number)
        display.figure_.canvas.draw()
        box, frame = Text.get_window_extent(display.note_), display.ax_.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        plt.close("all")


def test_baselines_are_numbers_arrays_or_measured(frontier):
    baselines = {
        "one": (1.0, 0.2),
        "many": ([1.0, 1.1], [0.2, 0.1]),
        "measured": frontier.points_[0].expected,
        "_hidden": (1.2, 0.1),
    }
    display = frontier.plot(baselines=baselines)
    frame = display.frame().set_index("name")
    assert frame.loc["many", "cost"].tolist() == [1.0, 1.1]
    assert np.isnan(frame.loc["one", "cost_lower"])
    expected = frontier.points_[0].expected
    assert frame.loc["measured", "cost_upper"] == expected.cost_interval[1]
    assert frame.loc["measured", "violation_upper"] == expected.violation_interval[1]
    legend = [text.get_text().strip("\u200b") for text in display.ax_.get_legend().get_texts()]
    assert set(baselines) <= set(legend)


def test_levels_colour_the_stars_and_no_limit_is_the_highest():
    display = FrontierDisplay.from_points([3, 2, 1], [0, 0.1, 0.2], levels=[0.0, 0.4, np.inf])
    assert display.stars_.get_array().tolist() == [0.0, 1.0, 1.0]
    plainly = FrontierDisplay.from_points([1, 3, 2], [0.2, 0, 0.1])
    assert plainly.stars_.get_array().tolist() == [1.0, 0.0, 0.5]


def test_one_point_and_undefined_points_are_drawn():
    FrontierDisplay.from_points([1.0], [0.0], chosen=0)
    display = FrontierDisplay.from_points([1.0, 2.0, 0.5], [0.1, np.nan, 0.2])
    assert display.line_.get_xydata().tolist() == [[0.1, 1.0], [0.2, 0.5]]
    FrontierDisplay.from_points([1.0], [np.nan])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"chosen": 99}, "chosen must be a number from 0 to"),
        ({"chosen": True}, "chosen must be a number from 0 to"),
        ({"chosen": "knee"}, "chosen must be a number from 0 to"),
        ({"measured_on": "test"}, "measured_on must be one of"),
        ({"baselines": {"x": 1.0}}, r"baseline 'x' must be \(cost, violation\)"),
        ({"baselines": {"x": (1.0, 2.0, 3.0)}}, r"baseline 'x' must be \(cost, violation\)"),
        ({"baselines": {"x": ([1.0], [1.0, 2.0])}}, "baseline 'x' must be .* as many"),
    ],
)
def test_bad_wishes_are_refused(frontier, asked, message):
    with pytest.raises(ValueError, match=message):
        frontier.plot(**asked)


def test_a_model_of_another_frontier_is_refused(frontier):
    X, y, a = people(200, seed=5)
    other = FairOrdinalClassifier(trade_off=0.05, alpha=1e-3, ranker="reduction", cv=3)
    other.fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match="a model of this frontier"):
        frontier.plot(chosen=other)


@pytest.mark.parametrize("name", ["levels", "cost_intervals", "violation_intervals"])
def test_columns_of_another_length_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} must have the shape"):
        FrontierDisplay.from_points([1, 2], [0, 1], **{name: [1, 2, 3]})


# disparities -------------------------------------------------------------------------------------


def test_disparities_are_those_of_the_metric():
    score, y, group = scores_of(3)
    display = DisparityDisplay.from_predictions(
        y, score, sensitive_features=group, criterion="equal_opportunity"
    )
    matrix = pairwise_equal_opportunity_matrix(y, score, sensitive_features=group)
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_array_equal(display.image_.get_array()[off], matrix.disparity[off])
    frame = display.frame()
    assert frame["disparity"].tolist() == matrix.disparity[off].tolist()
    assert ((frame["lower"] <= frame["disparity"]) & (frame["disparity"] <= frame["upper"])).all()
    assert display.image_.norm.vmin == -display.image_.norm.vmax


def test_the_worst_part_is_shown():
    found = audited(3)["equalized_odds"]
    display = DisparityDisplay.from_audit(audited(3), "equalized_odds")
    assert np.abs(display.disparities).max() == found.violation


@pytest.mark.parametrize("kind", [DisparityDisplay, GroupConfusionDisplay])
def test_the_ways_to_make_a_display_agree(kind):
    score, y, group = scores_of(3)
    model = LogisticRegression().fit(score[:, None], y)
    predicted = model.predict(score[:, None])
    frames = [
        kind.from_audit(audit(y, predicted, sensitive_features=group)).frame(),
        kind.from_predictions(y, predicted, sensitive_features=group).frame(),
        kind.from_estimator(model, score[:, None], y, sensitive_features=group).frame(),
    ]
    pd.testing.assert_frame_equal(frames[0], frames[1])
    pd.testing.assert_frame_equal(frames[0], frames[2])


@pytest.mark.parametrize("group_aware", [False, True])
def test_fair_models_with_named_labels_are_shown(group_aware):
    score, y, group = scores_of(2)
    names = np.array(["low", "fair", "good", "best"])
    model = FairThresholdClassifier(
        Ridge(), max_violation=0.2, labels=names.tolist(), group_aware=group_aware
    ).fit(score[:, None], names[y], sensitive_features=group)
    asked = {"sensitive_features": group}
    display = GroupConfusionDisplay.from_estimator(model, score[:, None], names[y], **asked)
    assert display.labels == names.tolist()
    assert DisparityDisplay.from_estimator(model, score[:, None], names[y], **asked).title
    shown = ScoreDisplay.from_estimator(model, score[:, None], **asked)
    assert shown.cuts.by_group == group_aware
    assert_tidy(shown.figure_)


def test_a_model_that_looks_at_groups_is_told_them():
    X, y, a = people(200)
    names = np.array(["low", "fair", "good", "best"])
    model = WassersteinFairClassifier(Ridge(), labels=names.tolist())
    model.fit(X, names[y], sensitive_features=a)
    display = GroupConfusionDisplay.from_estimator(model, X, names[y], sensitive_features=a)
    predicted = model.predict(X, sensitive_features=a)
    np.testing.assert_array_equal(
        display.counts.sum(axis=(0, 1)), [(predicted == name).sum() for name in names]
    )


def test_cells_say_value_and_interval_in_bold_where_it_excludes_0():
    disparities = np.array([[0, 0.5, 0.001], [-0.5, 0, np.nan], [-0.001, np.nan, 0]])
    display = DisparityDisplay(
        "abc", disparities, lower=disparities - 0.1, upper=disparities + 0.1
    ).plot()
    words = [text.get_text() for text in display.texts_]
    assert words[:3] == ["", "+0.50\n(+0.40 … +0.60)", "0.00\n(-0.10 … +0.10)"]
    assert words[5] == ""
    assert [text.get_weight() for text in display.texts_[1:3]] == ["bold", "normal"]


def test_what_is_undefined_is_hatched():
    with pytest.warns(match="undefined"):
        display = DisparityDisplay.from_predictions(
            [0, 0, 1, 1, 2, 2],
            [0, 1, 1, 0, 2, 2],
            sensitive_features=list("aabbcc"),
            criterion="equal_opportunity",
        )
    hatched = [patch for patch in display.ax_.patches if patch.get_hatch()]
    assert len(hatched) == np.isnan(display.disparities).sum() > 0


def test_all_undefined_and_all_equal_are_drawn():
    nothing = np.full((2, 2), np.nan)
    DisparityDisplay("ab", nothing, lower=nothing, upper=nothing).plot()
    zero = np.zeros((2, 2))
    display = DisparityDisplay("ab", zero, lower=zero, upper=zero).plot()
    assert display.image_.norm.vmax == 0.25


# scores ------------------------------------------------------------------------------------------


def vertical(display):
    """Places of the solid and of the dashed lines."""
    found = {"solid": [], "dashed": []}
    for lines in display.ax_.collections:
        for (x, _), *rest in lines.get_segments() if hasattr(lines, "get_segments") else []:
            style = "solid" if lines.get_linestyle()[0][1] is None else "dashed"
            found[style].append(x)
            assert rest[0][0] == x
    return found


@pytest.mark.parametrize("n_groups", [2, 3, 6])
def test_cuts_are_drawn_where_they_are(n_groups):
    score, y, group = scores_of(n_groups)
    result = optimize_thresholds(score, y, sensitive_features=group, max_violation=0.2, tol=0.05)
    display = ScoreDisplay.from_result(result)
    for style, cuts in (("solid", result.thresholds), ("dashed", result.cheapest)):
        assert {*vertical(display)[style]} == {*cuts[np.isfinite(cuts)].tolist()}
    frame = display.cuts_frame()
    assert frame["after"].tolist() == [*result.thresholds] * n_groups
    assert frame["before"].tolist() == [*result.cheapest] * n_groups


def test_densities_are_of_mass_1_and_are_drawn():
    display = ScoreDisplay.from_result(cut(3))
    frame = display.frame()
    step = frame["score"][1] - frame["score"][0]
    np.testing.assert_allclose(frame.groupby("group")["density"].sum() * step, 1.0, atol=0.01)
    curves = frame["density"].to_numpy().reshape(3, -1)
    for line, values in zip(display.ax_.lines, curves, strict=True):
        np.testing.assert_allclose(line.get_ydata() * curves.max() / 0.92, values)


def test_a_density_is_near_the_truth_and_weights_are_rows():
    values = np.random.default_rng(0).normal(size=20_000)
    edges = np.linspace(-4, 4, 401)
    middles = (edges[1:] + edges[:-1]) / 2
    found = density(values, np.ones(20_000), edges)
    truth = np.exp(-0.5 * middles**2) / np.sqrt(2 * np.pi)
    assert np.abs(found - truth).max() < 0.03
    np.testing.assert_allclose(
        density(values[:50], np.full(50, 2.0), edges), density(values[:50], np.ones(50), edges)
    )


def test_an_outlier_does_not_squeeze_the_picture():
    values = np.append(np.linspace(0, 1, 1000), 1e9)
    low, high = picture_range(values, np.ones(1001), np.array([0.5, np.inf]))
    assert -0.2 < low < 0 < 1 < high < 1.2


@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_infinite_cuts_are_not_drawn_and_unused_labels_are_said(limit):
    score, y, group = scores_of(2)
    result = optimize_thresholds(score, y, sensitive_features=group, max_violation=limit)
    display = ScoreDisplay.from_result(result)
    used = {*result.predict(score).tolist()}
    said = display.ax_.get_xlabel()
    assert all((str(label) in said) == (label not in used) for label in range(4))
    assert len(vertical(display)["solid"]) == np.isfinite(result.thresholds).sum()
    assert_tidy(display.figure_)


@pytest.mark.parametrize("score", [0.0, -7.0, 1e6])
def test_constant_scores_are_drawn(score):
    with pytest.warns(UserWarning, match="one distinct value"):
        result = optimize_thresholds(
            [score] * 6, [0, 1, 2] * 2, sensitive_features=list("aaabbb"), max_violation=0.1
        )
    display = ScoreDisplay.from_result(result)
    assert_tidy(display.figure_)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["a", "b"]


def test_a_chosen_model_of_any_scorer_is_ringed():
    X, y, a = people(300)
    frontier = FairOrdinalFrontier(estimator=Ridge(), cv=3).fit(X, y, sensitive_features=a)
    model = pickle.loads(pickle.dumps(frontier.select(knee=True)))
    frame = frontier.plot(chosen=model).frame()
    (cost,) = frame[frame["chosen"]]["cost"]
    assert cost == model.expected_cost_


def test_thresholds_that_a_model_does_not_predict_by_are_not_drawn_as_cuts():
    X, y, a = people(300)
    odds = ProportionalOddsClassifier().fit(X, y)  # predicts the most probable label
    assert ScoreDisplay.from_estimator(odds, X, sensitive_features=a).cuts is None

    class Cutter(ProportionalOddsClassifier):
        def predict(self, X):
            cut = np.searchsorted(self.thresholds_, self.decision_function(X))
            return self.classes_[cut]

    display = ScoreDisplay.from_estimator(Cutter().fit(X, y), X, sensitive_features=a)
    np.testing.assert_array_equal(display.cuts.after, odds.thresholds_)
    assert "cut point" in all_words(display.figure_)
    assert "fair cut point" not in all_words(display.figure_)


def test_a_model_without_scores_is_refused():
    X, _, a = people(50)
    with pytest.raises(ValueError, match=r"must have a decision_function .* got Wasserstein"):
        ScoreDisplay.from_estimator(WassersteinFairClassifier(Ridge()), X, sensitive_features=a)


@pytest.mark.parametrize("value", [3, (1, 2, 3), ("x", "y"), (1, (0, 1, 2), 0.1, (0, 1))])
def test_a_wrong_baseline_is_named(value):
    with pytest.raises(ValueError, match=r"baseline 'mine' must be \(cost, violation\)"):
        FrontierDisplay.from_points([1.0], [0.1], baselines={"mine": value})
    with pytest.raises(ValueError, match="baselines must be what compare returns, or a mapping"):
        FrontierDisplay.from_points([1.0], [0.1], baselines=[1.0, 0.1])


def test_the_fairest_model_of_a_frontier_is_drawn(frontier):
    X, _, a = people(300)
    for point in (frontier.points_[0], frontier.points_[-1]):
        model = frontier._model_of(point)
        display = ScoreDisplay.from_estimator(model, X, sensitive_features=a)
        np.testing.assert_array_equal(display.cuts.after, model.thresholds_)
        if np.isfinite(model.thresholds_).any():
            known = np.isfinite(point.result.cheapest)
            there = ScoreDisplay.from_result(point.result).cuts
            np.testing.assert_allclose(
                np.ptp(display.cuts.before[known]), np.ptp(there.before[known])
            )


def test_cuts_are_one_fewer_than_labels():
    with pytest.raises(ValueError, match="before must hold one cut point fewer than the 3 labels"):
        Cuts(("a", "b", "c"), np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0]))


def test_a_ranker_without_thresholds_is_drawn():
    X, y, a = people(200)
    ranker = FairLinearRanker(alpha=1e-3, ranker="relaxed", cv=2).fit(X, y, sensitive_features=a)
    display = ScoreDisplay.from_estimator(ranker, X, sensitive_features=a)
    assert not vertical(display)["solid"]
    with pytest.raises(ValueError, match="no cut points"):
        display.cuts_frame()


def test_weightless_rows_and_strange_groups():
    X, y, a = people(200)
    model = FairThresholdClassifier(Ridge(), group_aware=True).fit(X, y, sensitive_features=a)
    display = ScoreDisplay.from_estimator(
        model, X, sensitive_features=a, sample_weight=(a == 1).astype(float)
    )
    assert display.groups == [1]
    np.testing.assert_array_equal(display.cuts.after, model.thresholds_[1:])
    with pytest.raises(ValueError, match="group 7, which has no thresholds"):
        ScoreDisplay.from_estimator(model, X, sensitive_features=np.where(a == 1, 7, a))


# errors by group ---------------------------------------------------------------------------------


def test_shares_are_of_rows_and_drawn():
    display = GroupConfusionDisplay.from_audit(audited(5))
    np.testing.assert_allclose(display.shares.sum(axis=2), 1.0)
    for image, share in zip(display.images_, display.shares, strict=True):
        np.testing.assert_array_equal(image.get_array(), share)
        assert (image.norm.vmin, image.norm.vmax) == (0.0, 1.0)
    frame = display.frame()
    assert frame["count"].sum() == 400
    np.testing.assert_array_equal(frame["share"], display.shares.ravel())
    assert_tidy(display.figure_)


def test_labels_absent_from_a_group_are_hatched():
    display = GroupConfusionDisplay.from_predictions(
        [0, 1, 2, 0, 1, 1], [0, 1, 2, 0, 1, 1], sensitive_features=list("aaabbb")
    )
    hatched = [[p for p in ax.patches if p.get_hatch()] for ax in display.ax_]
    assert [len(patches) for patches in hatched] == [0, 3]
    assert np.isnan(display.shares[1, 2]).all()


def test_scores_have_no_confusion_matrix_and_axes_must_suffice():
    score, y, group = scores_of(3)
    with pytest.raises(ValueError, match="y_pred must hold predicted labels"):
        GroupConfusionDisplay.from_predictions(y, score, sensitive_features=group)
    with pytest.raises(ValueError, match="ax must be 3 axes"):
        GroupConfusionDisplay.from_predictions(
            y, y, sensitive_features=group, ax=plt.figure().subplots()
        )


def test_importances_are_drawn_from_the_largest_on():
    display = ImportanceDisplay(["a", "$b$", "c"], [0.2, 0.9, -0.1]).plot(most=2)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["$b$", "a"]
    assert [bar.get_width() for bar in display.ax_.patches] == [0.9, 0.2]
    assert "1 more" in display.ax_.get_title()
    frame = display.frame()
    assert [*frame["feature"]] == ["$b$", "a", "c"]
    plt.close("all")
    with pytest.raises(ValueError, match="one number for each of 2 names"):
        ImportanceDisplay(["a", "b"], [1.0])


def test_importances_of_a_model_have_the_names_of_its_features():
    model = FairOrdinalClassifier()
    with pytest.raises(NotFittedError):
        ImportanceDisplay.from_estimator(model)
    model.feature_importances_ = np.array([0.3, 0.7])
    display = ImportanceDisplay.from_estimator(model)
    assert [*display.frame()["feature"]] == ["feature 1", "feature 0"]
    named = ImportanceDisplay.from_estimator(model, feature_names=["age", "points"])
    assert named.frame()["feature"].iloc[0] == "points"
    plt.close("all")

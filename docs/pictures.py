"""Pictures of the user guide, drawn by the build in a light and in a dark form.

Each function below draws one picture; its docstring is the alternative text. On a page::

    ```{picture} pairs
    A caption.
    ```
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import numpy as np
from docutils import nodes
from generated_pages import QUICK
from scipy.interpolate import BSpline
from sphinx.util.docutils import SphinxDirective


class Theme(NamedTuple):
    """Colours of a picture."""

    text: str
    first: str  # colour of the first group
    second: str
    muted: str


THEMES = {
    "light": Theme("#1f2937", "#1d4ed8", "#c2410c", "#9ca3af"),
    "dark": Theme("#e5e7eb", "#93c5fd", "#fb923c", "#6b7280"),
}
PICTURES = {}  # the function and the size of each picture, by name


class Picture(SphinxDirective):
    """The directive ``picture``: a picture with a caption, in the colours of the reader's theme."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the two forms of the picture, and the caption."""
        name = self.arguments[0]
        if name not in PICTURES:
            raise self.error(f"docs/pictures.py draws no picture {name!r}")
        root, alt = "../" * self.env.docname.count("/"), PICTURES[name][0].__doc__
        images = "".join(
            f'<img class="only-{theme} drawn" alt="{alt}" '
            f'src="{root}_static/drawn/{name}-{theme}.svg">'
            for theme in THEMES
        )
        caption = nodes.paragraph(classes=["caption"])
        caption += self.parse_inline("\n".join(self.content), lineno=self.lineno)[0]
        return [nodes.raw("", images, format="html"), caption]


def write_pictures(docs: Path) -> None:
    """Draw all pictures, in both forms."""
    if QUICK:
        return
    import matplotlib.pyplot as plt

    folder = docs / "_static" / "drawn"
    folder.mkdir(parents=True, exist_ok=True)
    for (name, (draw, size)), (form, theme) in (
        (p, t) for p in PICTURES.items() for t in THEMES.items()
    ):
        colour = dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"),
            theme.text,
        )
        style = {"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
        with plt.rc_context({**colour, **style, "font.size": 10, "svg.hashsalt": name}):
            figure = plt.figure(figsize=size, layout="constrained")
            draw(figure, theme)
            figure.savefig(folder / f"{name}-{form}.svg", transparent=True, metadata={"Date": None})
            plt.close(figure)


def picture(width: float, height: float) -> object:
    """Register a function that draws a picture of this size, in inches."""

    def register(draw: object) -> object:
        PICTURES[draw.__name__.replace("_", "-")] = (draw, (width * 0.8, height))
        return draw

    return register


# Criteria


@picture(7, 2.6)
def pairs(figure, theme):
    """Three people of group A and three of group B on a scale of labels from 0 to 4."""
    axes = figure.subplots()
    for y, group, labels, colour in (
        (1, "A", (2, 3, 4), theme.first),
        (0, "B", (0, 2, 3), theme.second),
    ):
        axes.scatter(labels, [y] * 3, s=260, color=colour, zorder=3)
        axes.text(-0.75, y, f"group {group}", va="center", color=colour, weight="bold")
    for a in (2, 3, 4):
        for b in (0, 2, 3):
            colour = theme.first if a > b else theme.second if b > a else theme.muted
            axes.plot([a, b], [1, 0], color=colour, lw=1.6, ls="-" if a != b else ":")
    axes.set(
        xticks=range(5), yticks=[], xlim=(-0.9, 4.4), ylim=(-0.4, 1.4), xlabel="predicted label"
    )
    axes.spines["left"].set_visible(False)
    axes.set_title(
        "of 9 pairs: A above B in 6, B above A in 1, 2 ties → disparity 5/9 = 0.56", fontsize=10
    )


@picture(7, 2.8)
def tshirts(figure, theme):
    """True stars of the T-shirts of two vendors, and the part that is predicted correctly."""
    n = 100
    stars = {"vendor A": (1, n, 2), "vendor B": (1, 1, 2 * n)}
    for axes, (vendor, counts), colour in zip(
        figure.subplots(1, 2, sharey=True), stars.items(), (theme.first, theme.second), strict=True
    ):
        right = np.array(counts) * (1, 1, 0.5)
        axes.bar([1, 2, 3], counts, color=theme.muted, label="one star too low")
        axes.bar([1, 2, 3], right, color=colour, label="predicted as is")
        axes.set(title=vendor, xticks=[1, 2, 3], xlabel="true stars")
        axes.legend(loc="upper left", fontsize=8)
    figure.axes[0].set_ylabel("T-shirts")


@picture(7, 2.4)
def cancel(figure, theme):
    """Predicted labels of two groups: group A always the middle one, group B the two ends."""
    axes = figure.subplots()
    axes.bar(np.arange(5) - 0.2, [0, 0, 1, 0, 0], 0.4, color=theme.first, label="group A")
    axes.bar(np.arange(5) + 0.2, [0.5, 0, 0, 0, 0.5], 0.4, color=theme.second, label="group B")
    axes.set(xlabel="predicted label", ylabel="share of the group", xticks=range(5))
    axes.legend()


# People


@picture(7, 2.7)
def hundred_pairs(figure, theme):
    """A hundred pairs as squares: 43 with A above, 19 ties, 38 with B above."""
    axes = figure.subplots()
    colours = [theme.first] * 43 + [theme.muted] * 19 + [theme.second] * 38
    x, y = np.divmod(np.arange(100), 5)
    axes.scatter(x, -y, c=colours, marker="s", s=170)
    for place, text, colour in (
        (4, "43: A above B", theme.first),
        (10.5, "19 ties", theme.text),
        (16, "38: B above A", theme.second),
    ):
        axes.text(place, 0.9, text, ha="center", color=colour, weight="bold")
    axes.set(ylim=(-4.7, 1.6), xlim=(-0.7, 19.7))
    axes.axis("off")


@picture(7, 2.4)
def normal_scores(figure, theme):
    """Two normal distributions of scores whose means differ by 0.09, 0.25 and 0.5 deviations."""
    x = np.linspace(-3.2, 3.7, 200)
    for axes, (d, violation) in zip(
        figure.subplots(1, 3, sharey=True), ((0.09, 0.05), (0.25, 0.14), (0.5, 0.28)), strict=True
    ):
        for centre, colour in ((0, theme.first), (d, theme.second)):
            density = np.exp(-((x - centre) ** 2) / 2)
            axes.plot(x, density, color=colour)
            axes.fill_between(x, density, color=colour, alpha=0.15)
        axes.set(title=f"violation {violation}", yticks=[], xlabel="score", ylim=(0, None))
        axes.spines["left"].set_visible(False)


# Intervals


@picture(7, 2.5)
def decisions(figure, theme):
    """Three intervals and a limit of 0.1: below it, above it, and around it."""
    axes = figure.subplots()
    rows = [
        (0.04, 0.02, 0.07, "evidence that the limit is kept"),
        (0.17, 0.12, 0.22, "evidence that it is exceeded"),
        (0.08, 0.0, 0.17, "the data cannot tell"),
    ]
    for y, (value, low, high, text) in enumerate(rows):
        colour = (theme.first, theme.second, theme.muted)[y]
        axes.plot([low, high], [-y, -y], color=colour, lw=5, solid_capstyle="round")
        axes.scatter([value], [-y], color=theme.text, zorder=3)
        axes.text(0.24, -y, text, va="center")
    axes.axvline(0.1, color=theme.text, ls="--", lw=1)
    axes.text(0.102, 0.55, "limit", fontsize=9)
    axes.set(xlim=(0, 0.42), ylim=(-2.6, 0.8), yticks=[], xticks=[0, 0.1, 0.2], xlabel="violation")
    axes.spines["left"].set_visible(False)


@picture(7, 2.8)
def rows_and_width(figure, theme):
    """Half the width of a 95 % interval falls with the square root of the rows of a group."""
    axes = figure.subplots()
    small = np.geomspace(10, 10_000, 100)
    for large, colour in ((1_000, theme.second), (10_000, theme.first)):
        width = 1.96 * np.sqrt((1 / small + 1 / large) / 3)
        axes.plot(small, width, color=colour, label=f"larger group of {large:,}")
    axes.axhline(0.05, color=theme.muted, ls="--", lw=1)
    axes.text(10.5, 0.06, "a violation of 0.05", fontsize=9)
    axes.set(xscale="log", ylim=(0, 0.4), xlabel="rows of the smaller group", ylabel="interval: ±")
    axes.legend()


# Thresholds


@cache
def all_cuts():
    """Scores by group, and violation and cost of every pair of cut points of 80 rows."""
    from fairordinal import optimize_thresholds
    from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference

    generator = np.random.default_rng(4)
    group = np.arange(80) % 2
    truth = generator.normal(size=80) + 0.6 * group
    y, scores = np.digitize(truth, [-0.4, 0.8]), truth + 0.6 * generator.normal(size=80)
    places = np.sort(scores)[::3]
    found = []
    for cuts in combinations_with_replacement(places, 2):
        labels = np.digitize(scores, cuts, right=True)
        violation = pairwise_demographic_parity_difference(y, labels, sensitive_features=group)
        found.append((violation, mean_cost(y, labels)))
    best = optimize_thresholds(scores, y, sensitive_features=group, max_violation=0.15)
    free = optimize_thresholds(scores, y, sensitive_features=group, trade_off=0.0)
    return scores, group, np.array(found), best, free


@picture(7, 3)
def every_cut(figure, theme):
    """Cost and violation of all choices of two cut points, the limit, and the proved optimum."""
    *_, found, best, free = all_cuts()
    axes = figure.subplots()
    axes.scatter(*found.T, s=7, color=theme.muted, label="other cut points")
    axes.axvline(0.15, color=theme.text, ls="--", lw=1)
    axes.scatter(
        [best.violation], [best.cost], s=70, color=theme.second, zorder=3, label="within the limit"
    )
    axes.scatter([free.violation], [free.cost], s=70, color=theme.first, zorder=3, label="cheapest")
    axes.hlines(best.lower_bound, 0, 0.15, color=theme.second, lw=2)
    axes.text(0.003, best.lower_bound - 0.06, "proved bound", fontsize=9, color=theme.second)
    axes.set(xlabel="violation", ylabel="mean cost", ylim=(0.12, 1.05), xlim=(0, 0.62))
    axes.legend(loc="upper right", fontsize=9)


@picture(7, 2.6)
def moved_cuts(figure, theme):
    """Scores of two groups as dots, with two cut points before and after they were moved."""
    scores, group, _, best, free = all_cuts()
    axes = figure.subplots()
    jitter = np.random.default_rng(0).uniform(-0.16, 0.16, len(scores))
    for g, colour in enumerate((theme.first, theme.second)):
        at = group == g
        axes.scatter(scores[at], g + jitter[at], s=14, color=colour)
    for cut in free.thresholds:
        axes.axvline(cut, color=theme.muted, ls=":", lw=2)
    for cut in best.thresholds:
        axes.axvline(cut, color=theme.text, lw=2)
    axes.plot([], [], color=theme.muted, ls=":", lw=2, label="cheapest")
    axes.plot([], [], color=theme.text, lw=2, label="within the limit")
    axes.set(yticks=[0, 1], yticklabels=["group A", "group B"], ylim=(-0.5, 1.5), xlabel="score")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=9)


# Training


def spline(distance):
    """Weight of a score in a bin at this distance, in bins: a cubic B-spline."""
    return np.nan_to_num(BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)(distance))


@picture(7, 4.6)
def bins(figure, theme):
    """One score over four bins; histograms of two cells; the potential of a bin by convolution."""
    grid = np.arange(-6, 7)
    fine = np.linspace(-6, 6, 400)
    top, low = figure.subplots(2, 1, height_ratios=(1, 1.25))
    score = 0.35
    top.bar(grid, spline(grid - score), 0.75, color=theme.first, alpha=0.75)
    top.plot(fine, spline(fine - score), color=theme.text, lw=1)
    top.axvline(score, color=theme.second)
    top.text(score + 0.12, 0.62, "one score", color=theme.second)
    top.set(
        title="1. a score is spread over four bins, by a cubic B-spline",
        xlim=(-6, 6),
        yticks=[],
        xticks=grid,
    )
    random = np.random.default_rng(1)
    others = random.normal(-0.8, 1.4, 60)
    loss = np.log1p(np.exp(-(fine[:, None] - others)))
    counts = spline(grid[:, None] - others).sum(axis=1)
    binned = (np.log1p(np.exp(-(grid[:, None] - grid))) @ counts) / 60
    low.bar(
        grid,
        counts / counts.max(),
        0.75,
        color=theme.muted,
        alpha=0.6,
        label="histogram of a cell, 60 rows",
    )
    low.plot(
        fine, loss.mean(axis=1), color=theme.text, lw=1.5, label="mean loss against all 60 rows"
    )
    low.scatter(
        grid, binned, color=theme.second, zorder=3, label="histogram ∗ loss, for all bins at once"
    )
    low.set(
        title="2. one convolution gives the loss of all pairs",
        xlim=(-6, 6),
        xlabel="score",
        xticks=grid,
    )
    low.legend(fontsize=9)


@picture(7, 2.6)
def pairs_and_rows(figure, theme):
    """The number of pairs grows with the square of the rows, the work with the rows."""
    axes = figure.subplots()
    rows = np.geomspace(1e2, 1e6, 50)
    axes.plot(rows, rows**2 / 2, color=theme.second, label="pairs")
    axes.plot(rows, rows * 4, color=theme.first, label="scores in four bins each")
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="operations")
    axes.legend()


# Limits


@cache
def promises():
    """Violations of thresholds: on the rows on which they were chosen, and in the population."""
    from fairordinal import optimize_thresholds
    from fairordinal.metrics import pairwise_demographic_parity_difference

    def sample(n, seed):
        generator = np.random.default_rng(seed)
        group = generator.integers(0, 2, n)
        truth = generator.normal(size=n) + 0.4 * group
        return np.digitize(truth, [-0.5, 0.5]), truth + 0.7 * generator.normal(size=n), group

    y, scores, group = sample(200_000, 999)
    seen, true = [], []
    for seed in range(40):
        rows = sample(200, seed)
        cuts = optimize_thresholds(rows[1], rows[0], sensitive_features=rows[2], max_violation=0.1)
        seen.append(cuts.violation)
        labels = np.digitize(scores, cuts.thresholds, right=True)
        true.append(pairwise_demographic_parity_difference(y, labels, sensitive_features=group))
    return np.array(seen), np.array(true)


@picture(7, 2.8)
def optimism(figure, theme):
    """Violations in 40 samples of 200 rows are within the limit; most true ones are above it."""
    seen, true = promises()
    axes = figure.subplots()
    jitter = np.random.default_rng(0).uniform(-0.15, 0.15, len(seen))
    axes.scatter(seen, 1 + jitter, color=theme.first, s=18)
    axes.scatter(true, jitter, color=theme.second, s=18)
    axes.axvline(0.1, color=theme.text, ls="--", lw=1)
    axes.text(0.102, 1.42, "limit", fontsize=9)
    labels = ["in the population", "on the rows used"]
    axes.set(
        yticks=[0, 1], yticklabels=labels, ylim=(-0.5, 1.7), xlim=(0, None), xlabel="violation"
    )


# Trees


@picture(7, 2.8)
def ramps(figure, theme):
    """Three clipped linear functions of a feature, and their weighted sum."""
    x = np.linspace(-3, 3, 300)
    left, right = figure.subplots(1, 2)
    parts = [
        np.clip(slope * x + shift, -1, 1) for slope, shift in ((1.6, 2.6), (1.2, 0), (2, -3.4))
    ]
    for part, colour in zip(parts, (theme.first, theme.second, theme.muted), strict=True):
        left.plot(x, part, color=colour, lw=2)
    left.set(title="ramps, one for each boundary", xlabel="feature", yticks=[-1, 0, 1])
    right.plot(
        x, 0.5 * parts[0] + 1.1 * parts[1] + 0.4 * parts[2] + 0.15 * x, color=theme.text, lw=2
    )
    right.plot(x, 0.72 * x, color=theme.muted, ls=":", label="linear score")
    right.set(title="a score: weighted sum", xlabel="feature", yticks=[])
    right.legend(fontsize=9)

"""Pictures look as they did: five small ones, kept in tests/pictures.

Looked at by people when they were made; ``python tests/test_pictures.py`` makes them anew.
"""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.testing.compare import compare_images
from sklearn.utils.fixes import parse_version

from fairordinal import compare
from fairordinal.plotting import (
    Cuts,
    DisparityDisplay,
    FrontierDisplay,
    GroupConfusionDisplay,
    ScoreDisplay,
)

KEPT = Path(__file__).parent / "pictures"
SIZE = {"figure.figsize": (3.2, 2.6), "figure.dpi": 80, "savefig.dpi": 80}
TOLERANCE = 12.0  # root mean square, of 255: letters differ between versions of matplotlib
OTHER_LETTERS = parse_version(matplotlib.__version__) < parse_version("3.11")


def frontier():
    violation = np.linspace(0, 0.35, 12)
    cost = 0.7 + 0.5 * np.exp(-9 * violation)
    return FrontierDisplay.from_points(
        cost,
        violation,
        cost_intervals=np.column_stack([cost - 0.04, cost + 0.05]),
        violation_intervals=np.column_stack([violation * 0.8, violation + 0.03]),
        chosen=4,
        baselines={
            "POM": (0.71, 0.38),
            "POM + thresholds": (cost[::3] + 0.08, violation[::3] + 0.02),
            "mixtures": ([1.15, 1.0, 0.85], [0.1, 0.2, 0.3]),
            "best constant": (1.25, (1.22, 1.28), 0.0, (0.0, 0.0)),
        },
    )


def disparity():
    values = np.array([[0, 0.3, -0.05], [-0.3, 0, np.nan], [0.05, np.nan, 0]])
    return DisparityDisplay(
        ["a_b$", "$x_1$", "a rather long name"],
        values,
        lower=values - 0.1,
        upper=values + 0.1,
        title="pairwise equal opportunity",
    ).plot()


def scores():
    generator = np.random.default_rng(0)
    values = [generator.normal(shift, 1.0, 300) for shift in (0.0, 0.6)]
    fair, cheap = np.array([-1.0, 1.2, np.inf]), np.array([-1.5, -0.5, 0.5])
    cuts = Cuts(("low", "middle", "high", "top"), fair, cheap)
    return ScoreDisplay(["men", "women"], values, [np.ones(300)] * 2, cuts).plot()


def confusion():
    counts = np.array([[[8, 2, 0], [1, 6, 3], [0, 1, 9]], [[5, 5, 0], [4, 6, 0], [0, 0, 0]]])
    return GroupConfusionDisplay(["men", "women"], ["low", "middle", "high"], counts).plot()


def comparison():
    generator = np.random.default_rng(0)
    y, group = generator.integers(0, 4, 200), generator.integers(0, 2, 200)
    models = {f"model {i}": np.clip(y + generator.integers(-i, i + group), 0, 3) for i in (1, 2, 3)}
    return compare(
        {**models, "constant": np.ones(200, int)}, None, y, sensitive_features=group
    ).plot()


PICTURES = {draw.__name__: draw for draw in (frontier, disparity, scores, confusion, comparison)}
STYLES = {"frontier": "default", "disparity": "default", "scores": "dark_background"}


def save(name, folder):
    """Draw a picture and keep it."""
    path = folder / f"{name}.png"
    with plt.style.context(["default", STYLES.get(name, "default"), SIZE]):
        plt.switch_backend("Agg")
        PICTURES[name]().figure_.savefig(path, metadata={"Software": None})
    plt.close("all")
    return path


@pytest.mark.skipif(OTHER_LETTERS, reason="letters differ before matplotlib 3.11")
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_look_as_they_did(name, tmp_path):
    kept = tmp_path / f"{name}-kept.png"
    kept.write_bytes((KEPT / f"{name}.png").read_bytes())
    difference = compare_images(kept, save(name, tmp_path), tol=TOLERANCE)
    assert difference is None, difference


def test_kept_pictures_are_few_and_small():
    kept = [*KEPT.iterdir()]
    assert {path.stem for path in kept} == {*PICTURES}
    assert sum(path.stat().st_size for path in kept) < 100_000


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    sys.exit(not all(save(name, KEPT).exists() for name in PICTURES))

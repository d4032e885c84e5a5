"""Examples run, and show what they say."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(autouse=True)
def no_windows():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def test_a_model_is_audited(capsys):
    runpy.run_path(EXAMPLES / "plot_01_audit_a_model.py", run_name="__main__")
    assert "equal opportunity" in capsys.readouterr().out


def test_a_model_is_repaired(capsys):
    ran = runpy.run_path(EXAMPLES / "plot_02_repair_cut_points.py", run_name="__main__")
    assert ran["model"].expected_violation_ <= 0.2
    assert "proved lower bound" in capsys.readouterr().out


def test_the_trade_off_is_drawn(capsys):
    ran = runpy.run_path(EXAMPLES / "plot_04_choose_from_the_frontier.py", run_name="__main__")
    names = {"ridge, rounded", "ridge, fair thresholds", "mixed with a constant", "best constant"}
    assert {*ran["display"].frame()["name"]} == {"model", *names}
    assert "Frontier of" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda script: script.stem)
def test_every_example_runs(script, capsys):
    runpy.run_path(script, run_name="__main__")
    assert capsys.readouterr().out

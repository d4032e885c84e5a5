"""Examples run, and show what they say."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_a_model_is_audited(capsys):
    runpy.run_path(EXAMPLES / "audit_diabetes.py", run_name="__main__")
    assert "equal opportunity" in capsys.readouterr().out


def test_a_model_is_repaired(capsys):
    ran = runpy.run_path(EXAMPLES / "fair_thresholds_diabetes.py", run_name="__main__")
    assert ran["model"].violation_ <= 0.1
    assert "What does fairness cost?" in capsys.readouterr().out


@pytest.mark.usefixtures("small_effort")
def test_the_trade_off_is_drawn(capsys, tmp_path, monkeypatch):
    picture = tmp_path / "picture.png"
    monkeypatch.setattr("sys.argv", ["frontier_diabetes.py", str(picture)])
    plt.switch_backend("Agg")
    ran = runpy.run_path(EXAMPLES / "frontier_diabetes.py", run_name="__main__")
    plt.close("all")
    assert picture.read_bytes().startswith(b"\x89PNG")
    names = {"ridge, rounded", "ridge, fair thresholds", "mixed with a constant", "best constant"}
    assert {*ran["display"].frame()["name"]} == {"model", *names}
    assert "Frontier of" in capsys.readouterr().out


def test_every_example_is_tested():
    tested = Path(__file__).read_text()
    assert all(f'"{script.name}"' in tested for script in EXAMPLES.glob("*.py"))

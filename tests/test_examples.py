"""Examples run, and show what they say."""

import pickle
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_a_model_is_audited(capsys):
    runpy.run_path(EXAMPLES / "audit_diabetes.py", run_name="__main__")
    assert "equal opportunity" in capsys.readouterr().out


def test_a_model_is_repaired(capsys):
    ran = runpy.run_path(EXAMPLES / "fair_thresholds_diabetes.py", run_name="__main__")
    assert ran["model"].violation_ <= 0.1
    assert "What does fairness cost?" in capsys.readouterr().out


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


def test_fair_trees_beat_a_fair_linear_model_in_new_rows(capsys):
    pytest.importorskip("lightgbm")
    ran = runpy.run_path(EXAMPLES / "fair_boosting.py", run_name="__main__")
    (_, linear, violation), (_, cut, _), (_, fair, reached) = ran["rows"]
    assert fair < 0.8 * min(linear, cut)
    assert reached < violation + 0.02
    assert reached < ran["LIMIT"] + 0.03
    assert "trees, fair" in capsys.readouterr().out


def test_fitted_trees_are_pickled():
    booster = pytest.importorskip("lightgbm").Booster
    ran = runpy.run_path(EXAMPLES / "fair_boosting.py")
    X, y, group = ran["make_ratings"](200, seed=0)
    model = ran["FairBooster"](price=3.0, n_rounds=5).fit(X, y, sensitive_features=group)
    again = pickle.loads(pickle.dumps(model.booster_))
    assert isinstance(again, booster)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_every_example_is_tested():
    tested = Path(__file__).read_text()
    assert all(f'"{script.name}"' in tested for script in EXAMPLES.glob("*.py"))

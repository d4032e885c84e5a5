"""Examples run, show what they say, and leave no files; so do the blocks in their text."""

import re
import runpy

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from pages import ROOT, run_commands, run_query, run_workflow, tutorial_blocks, tutorial_text

EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
TEXTS = [EXAMPLES / "README.rst", *SCRIPTS]
WITH_BLOCKS = [text for text in TEXTS if tutorial_blocks(text)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """An empty folder, which is empty afterwards, and no windows."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    plt.switch_backend("Agg")
    yield
    plt.close("all")
    assert [*folder.iterdir()] == []


def run_blocks(blocks, namespace):
    """Run the blocks of a tutorial; its frames are files, too."""
    for name, value in namespace.items():
        if isinstance(value, pd.DataFrame):
            value.to_csv(f"{name}.csv", index=False)
    for language, code in blocks:
        if language == "bash":
            run_commands(code)
        elif language == "yaml":
            run_workflow(code)
        elif language == "sql":
            run_query(code, namespace)
        else:
            raise ValueError(f"no test runs {language}")


@pytest.mark.parametrize("script", WITH_BLOCKS, ids=lambda script: script.stem)
def test_the_blocks_in_the_text_of_a_tutorial_run(script, tmp_path, monkeypatch):
    """After the tutorial, unless they only install something."""
    blocks, namespace = tutorial_blocks(script), {}
    if not all(code.startswith("pip ") for _, code in blocks):
        namespace = runpy.run_path(script, run_name="__main__")
    monkeypatch.chdir(namespace.get("folder", tmp_path))
    run_blocks(blocks, namespace)


def test_tutorials_have_no_other_blocks():
    """Such as literal blocks behind two colons, or those of a `code` directive."""
    for script in TEXTS:
        text = tutorial_text(script)
        assert re.findall(r"^(?!\.\. ).*::$|^\.\. (?:code|sourcecode)::", text, flags=re.M) == []
        assert text.count(".. code-block::") == len(tutorial_blocks(script))


def test_blocks_of_tutorials_that_fail_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = pd.DataFrame({"region": ["n", "n", "s"]})
    counts = pd.DataFrame({"region": ["s", "n"], "n": [1, 2]})
    query = "SELECT region, count(*) AS n FROM rows {} GROUP BY region"
    run_blocks([("sql", query.format(""))], {"rows": rows, "counts": counts})
    for language, code in [
        ("sql", query.format("WHERE region = 'n'")),
        ("yaml", "- run: fairordinal audit gone.csv --y y --pred p --group g"),
        ("yaml", "- {uses: actions/upload-artifact@v4, with: {path: gone.html}}"),
        ("bash", 'pip install "fairordinal[files,coffee]"'),
    ]:
        with pytest.raises(AssertionError):
            run_blocks([(language, code)], {"rows": rows, "counts": counts})
    with pytest.raises(ValueError, match="no test runs cobol"):
        run_blocks([("cobol", "STOP RUN.")], {})


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
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_every_example_runs(script, capsys):
    runpy.run_path(script, run_name="__main__")
    assert capsys.readouterr().out

"""The README's examples run and print what it shows; links lead to files."""

import contextlib
import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression

from fairordinal import audit

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_first_examples_print_what_the_readme_shows():
    namespace = {}
    for code, shown in zip(blocks("python"), blocks("text"), strict=False):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        assert printed.getvalue().strip() == shown.strip()


def test_the_first_example_has_six_lines():
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) == 6


@pytest.mark.usefixtures("small_effort")
def test_the_other_examples_run(tmp_path, monkeypatch):
    random = np.random.default_rng(0)
    y_true, X = random.integers(0, 4, 600), random.normal(size=(600, 2))
    sex, region = random.choice(["f", "m"], 600), random.choice(["north", "south"], 600)
    counts = pd.DataFrame({"sex": sex, "grade": y_true, "predicted": y_true})
    counts = counts.groupby([*counts], as_index=False).size().rename(columns={"size": "n"})
    (tmp_path / "decisions").mkdir()
    decisions = pd.DataFrame({"sex": sex, "region": region, "grade": y_true, "predicted": y_true})
    decisions.to_parquet(tmp_path / "decisions" / "1.parquet")
    monkeypatch.chdir(tmp_path)
    namespace = {
        "audit": audit, "y_true": y_true, "y_pred": y_true, "sex": sex, "X": X,
        "df": pd.DataFrame({"sex": sex, "region": region}), "model": LogisticRegression(),
        "january": counts, "february": counts, "scores": y_true + X[:, 0], "new_scores": X[:, 0],
    }  # fmt: skip
    plt.switch_backend("Agg")
    with sklearn.config_context():
        for code in blocks("python")[2:]:
            exec(code, namespace)
    plt.close("all")
    assert namespace["result"].gap <= 1e-3
    assert namespace["scorer"]._sign == -1


def test_links_lead_to_files():
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    links = [
        (page.relative_to(ROOT).as_posix(), link)
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)\)", page.read_text())
        if "://" not in link
    ]
    assert {"README.md", "docs/databases.md"} <= {page for page, _ in links}
    broken = [at for at in links if not (ROOT / at[0]).parent.joinpath(at[1]).exists()]
    assert not broken, broken

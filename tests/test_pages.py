"""Every code block of every page of the site runs, and prints what the page shows."""

import importlib
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn

from fitted import effort, full_effort
from pages import DOCS, ELSEWHERE, ROOT, blocks, pages, run_commands, run_page, unchecked

PAGES = [page for page in pages() if page.name not in ELSEWHERE and blocks(page)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """An empty folder, no windows, and scikit-learn's settings as they were."""
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    with sklearn.config_context():
        yield
    plt.close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page):
    with full_effort() if page.name in ("README.md", "limits.md") else effort():
        run_page(page, {"__name__": "__main__"})


def test_blocks_that_fail_or_print_something_else_are_found(tmp_path):
    for body, kind in [
        ("```python\n1 / 0\n```", ZeroDivisionError),
        ("```python\nprint(1)\n```\n\n```text\n2\n```", AssertionError),
        ("```bash\nfairordinal audit missing.csv --y y --pred p --group g\n```", AssertionError),
        ("```bash\nfairordinal demo --wrong\n```", AssertionError),
        ("```bash\nrm file\n```", AssertionError),
        ("```bash\nmake coffee\n```", AssertionError),
    ]:
        page = tmp_path / "page.md"
        page.write_text(f"# A page\n\n{body}\n")
        with pytest.raises(kind):
            run_page(page, {})
        page.write_text(
            f"# A page\n\n<!-- not run: a reason -->\n{body.replace('text', 'other')}\n"
        )
        run_page(page, {})


def test_every_block_of_every_page_is_run_or_compared():
    more = [ROOT / name for name in ("CHANGELOG.md", "benchmarks/RESULTS.md")]
    found = {page.relative_to(ROOT).as_posix(): unchecked(page) for page in [*pages(), *more]}
    assert {page: lines for page, lines in found.items() if lines} == {}


def test_blocks_that_nothing_runs_are_found(tmp_path):
    page = tmp_path / "page.md"
    for body, lines in [
        ("```python\n1\n```\n\n```text\n1\n```", []),
        ("```text\n1\n```", [4]),
        ("```python\n1\n```\n\nand\n\n```text\n1\n```", [10]),
        ("<!-- not run: a reason -->\n```python\n1\n```\n\n```text\n1\n```", [9]),
        ("<!-- not run: a reason -->\n```sql\nSELECT 1\n```", []),
        ("```sql\nSELECT 1\n```", [4]),
        ("```\n1\n```", [4]),
        ("- a list\n  ```python\n  1\n  ```", [4, 6]),
        ("~~~python\n1\n~~~", [3, 5]),
        ("```{glossary}\nword\n```", []),
    ]:
        page.write_text(f"# A page\n\n{body}\n")
        assert unchecked(page) == lines, body


def test_warnings_are_part_of_what_a_block_prints(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nimport warnings\nwarnings.warn('careful', stacklevel=1)\nprint(1)\n```\n\n"
        "```text\nUserWarning: careful\n1\n```\n"
    )
    run_page(page, {})


def test_pages_whose_blocks_run_elsewhere_have_a_test():
    for page, test in ELSEWHERE.items():
        assert (DOCS / page).exists()
        assert page in (ROOT / "tests" / test).read_text()


@pytest.mark.usefixtures("small_effort")
def test_the_examples_of_the_command_line_run(monkeypatch):
    """Those of the help texts, which the reference shows; experiments have tests of their own."""
    monkeypatch.syspath_prepend(DOCS)
    page = importlib.import_module("generated_pages").command_line_page()
    write_example_files()
    commands = [
        line
        for code in re.findall(r"```bash\n(.*?)```", page, flags=re.DOTALL)
        for line in code.replace("\\\n", " ").splitlines()
        if not line.startswith("fairordinal reproduce")
    ]
    assert len(commands) > 10
    for line in commands:
        run_commands(line)


def write_example_files():
    """Files with the names and columns that the examples of the help texts use."""
    random = np.random.default_rng(0)
    n = 400
    sex, race = random.choice(["f", "m"], n), random.choice(["x", "y"], n)
    skill = random.normal(size=n)
    table = pd.DataFrame({
        "sex": sex, "race": race, "grade": np.digitize(skill, [-1, 0, 1]),
        "test": skill + random.normal(size=n),
    })  # fmt: skip
    rated = table.drop(columns="test").assign(
        predicted=np.digitize(table["test"], [-1, 0, 1]), s=table["test"]
    )
    rated.to_csv("predictions.csv", index=False)
    rated.to_csv("scored.csv", index=False)
    rated.assign(today=rated["predicted"], proposed=rated["grade"]).to_csv("rated.csv", index=False)
    counts = rated.groupby(["sex", "grade", "predicted"], as_index=False).size()
    counts.rename(columns={"size": "n"}).to_csv("counts.csv", index=False)
    renamed = rated.rename(columns={"grade": "y", "predicted": "p"})
    renamed.to_parquet("p.parquet")
    for name in ("data.csv", "new.csv"):
        table.to_csv(name, index=False)
    for name in ("a.json", "b.json"):
        run_commands(f"fairordinal fit data.csv --y grade --group sex --model linear -o {name}")

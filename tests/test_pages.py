"""Every code block of every page of the site runs, and prints what the page shows."""

import matplotlib.pyplot as plt
import pytest
import sklearn

from fitted import effort, full_effort
from pages import DOCS, ELSEWHERE, ROOT, blocks, pages, run_page

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
    with full_effort() if page.name == "README.md" else effort():
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


def test_pages_whose_blocks_run_elsewhere_have_a_test():
    for page, test in ELSEWHERE.items():
        assert (DOCS / page).exists()
        assert page in (ROOT / "tests" / test).read_text()

"""The site: it builds without warnings, knows every public name, and its links are checked."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest
from sklearn.base import BaseEstimator

from pages import DOCS, MADE, ROOT
from public_names import PUBLIC, public

needs_sphinx = pytest.mark.skipif(
    find_spec("sphinx_gallery") is None, reason='the site needs pip install "fairordinal[docs]"'
)
ESTIMATORS = [
    place
    for place in PUBLIC
    if isinstance(public(*place), type) and issubclass(public(*place), BaseEstimator)
]


@pytest.fixture(scope="module", autouse=True)
def modules_of_the_build():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield


@pytest.fixture(scope="module")
def reference():
    """Text of the pages of the reference, by the name of the file."""
    return import_module("generated_pages").reference_pages()


@needs_sphinx
def test_the_site_builds_without_warnings(tmp_path):
    """A copy, in the quick form: no tutorial runs, no picture is drawn, no HTML is written."""
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns(*MADE, "demo", "drawn"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "benchmarks").mkdir()
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/RESULTS.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "dummy"]
    quick = {**os.environ, "FAIRORDINAL_DOCS": "quick"}
    built = subprocess.run(
        [*command, "docs", "built"], cwd=tmp_path, env=quick, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr


def test_every_public_name_has_one_page(reference):
    names = {
        public(*place).__qualname__ for place in PUBLIC if hasattr(public(*place), "__qualname__")
    }
    pages = [
        page.removesuffix(".rst").rpartition(".")[2] for page in reference if "generated/" in page
    ]
    assert len(pages) == len(set(pages))
    assert names - {"app", "main"} <= set(pages)


def test_a_page_of_a_class_has_the_methods_of_this_library_and_names_the_others(reference):
    page = reference["generated/fairordinal.FairOrdinalClassifier.rst"]
    assert ":members: " in page
    assert "decision_function, fit, predict" in page
    assert "``set_fit_request``" in page
    assert "to_csv" not in reference["generated/fairordinal.Audit.rst"]


def test_every_command_and_option_is_on_the_page_of_the_command_line(reference):
    page = reference["command_line.md"]
    for text in (
        "## fairordinal audit",
        "## fairordinal reproduce",
        "`--max-violation`",
        "`--help`",
    ):
        assert (text in page) == (text != "`--help`")


@pytest.mark.parametrize("place", ESTIMATORS, ids=lambda place: place[1])
def test_the_html_of_an_estimator_links_to_its_page(place, reference):
    made = object.__new__(public(*place))  # the link does not depend on parameters
    address = made._get_doc_link()
    page = address.removeprefix("https://fairordinal.readthedocs.io/page/reference/")
    assert page.removesuffix("html") + "rst" in reference


def test_the_html_of_an_estimator_shows_the_link():
    from fairordinal import FairOrdinalClassifier

    made = FairOrdinalClassifier()
    assert made._get_doc_link() in made._repr_html_()


def test_classes_of_users_do_not_link_to_the_site():
    from fairordinal import FairOrdinalClassifier

    assert type("Mine", (FairOrdinalClassifier,), {"__module__": "mine"})()._get_doc_link() == ""


def test_broken_links_images_without_text_paths_and_the_network_are_found(tmp_path):
    problems = import_module("check_links").problems
    (tmp_path / "good.html").write_text('<a href="https://elsewhere.org">a</a><p id="here"></p>')
    (tmp_path / "page.html").write_text(
        '<a href="good.html#here">a</a><a href="#top">b</a><a id="top"></a>'
        '<a href="good.html#x">c</a><a href="gone.html">d</a><img src="good.html">'
        f'<script src="https://cdn.org/a.js"></script><p>{sys.prefix}/lib</p>'
    )
    found = {*problems(tmp_path)}
    paths = {problem for problem in found if "shows the path" in problem}
    assert f"page.html: shows the path {sys.prefix}" in paths  # and that of a clone around it
    assert found - paths == {
        "page.html: broken link gone.html",
        "page.html: broken link good.html#x",
        "page.html: loads https://cdn.org/a.js",
        "page.html: no text for the image good.html",
    }


@needs_sphinx
def test_a_flow_chart_has_its_boxes_in_layers():
    svg = import_module("flowchart").svg
    drawn = svg(
        'flowchart TD\na["<b>first</b><br/>one & two"] --> b["second"]\nb --> c\na --> c["third"]'
    )
    assert [drawn.count(tag) for tag in ("<rect", 'class="edge"', "class=name")] == [3, 3, 1]
    assert "one &amp; two" in drawn
    places = [drawn.index(f">{word}<") for word in ("first", "second", "third")]
    assert places == sorted(places)

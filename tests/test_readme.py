"""The README fits on a screen, and links lead to files and to pages of the site.

`test_pages` runs its example, and compares what it prints.
"""

import re

import pytest

from fairordinal._support._site import SITE
from pages import DOCS, MADE, ROOT, blocks, pages

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_fits_on_a_screen():
    assert len(README.splitlines()) <= 60
    assert README.count("![") == 1
    (commands,) = (block for block in blocks(ROOT / "README.md") if block.language == "bash")
    assert len(commands.code.splitlines()) == 2


def test_its_example_is_short_and_shows_what_it_prints():
    (example,) = (block for block in blocks(ROOT / "README.md") if block.language == "python")
    assert len([line for line in example.code.splitlines() if line.strip()]) <= 8
    assert example.printed


def test_links_lead_to_files():
    links = [
        (page, link)
        for page in pages()
        for link in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", page.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    assert {page.name for page, _ in links} >= {"README.md", "criteria.md", "scale.md"}
    broken = [(page, link) for page, link in links if not (page.parent / link).exists()]
    made = [link for _, link in broken if MADE & {*re.split(r"[/]", link)}]  # by the build
    assert [link for _, link in broken if link not in made] == []


@pytest.mark.parametrize("link", re.findall(rf"{SITE}/page/([^)]+)\.html", README))
def test_links_to_the_site_lead_to_pages(link):
    folder, _, name = link.rpartition("/")
    sources = {"gallery": ROOT / "examples", "reference": DOCS / "generated_pages.py"}
    source = sources.get(folder, DOCS / folder)
    assert source.is_file() or name == "index" or [*source.glob(f"{name}.*")]

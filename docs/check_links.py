"""Check the built site: links lead somewhere, no page needs the network or shows a path from here.

``python docs/check_links.py docs/_build/html`` prints what is wrong, and exits with 1 then.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
HARMLESS = {"canonical", "alternate", "search", "author", "license", "next", "prev", "index"}

HERE = {sys.prefix, str(Path(__file__).resolve().parents[1])}  # paths of this machine
TEMPLATES = {"webpack-macros.html"}  # of the theme


class Page(HTMLParser):
    """Anchors of a page, its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors, self.links, self.loads, self.alone = {""}, set(), set(), []
        text = path.read_text(encoding="utf-8")
        self.local = [place for place in HERE if f"{place}/" in text]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        """Collect what a tag names, links to or loads."""
        found = dict(attrs)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href"):
            self.links.add(found["href"])
        elif found.get(LOADED.get(tag)) and not HARMLESS & {*(found.get("rel") or "").split()}:
            self.loads.add(found[LOADED[tag]])
        if tag == "img" and "alt" not in found:  # an empty text marks a decoration
            self.alone.append(found.get("src"))


def problems(site: Path) -> list[str]:
    """A line for each broken link, each address that a page loads, each image without text."""
    paths = [path for path in sorted(site.rglob("*.html")) if path.name not in TEMPLATES]
    pages = {path.resolve(): Page(path) for path in paths}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        found += [f"{name}: loads {url}" for url in page.loads if urlsplit(url).netloc]
        found += [f"{name}: shows the path {place}" for place in page.local]
        found += [f"{name}: no text for the image {src}" for src in page.alone]
        found += [
            f"{name}: broken link {url}"
            for url in page.links | page.loads
            if broken(url, path, pages)
        ]
    return found


def broken(url: str, path: Path, pages: dict[Path, Page]) -> bool:
    """Whether a link to this site has no file, or no anchor in it."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in pages:
        return not target.is_file()
    return unquote(parts.fragment) not in pages[target].anchors


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]))
    sys.stdout.write("\n".join(wrong) or "All links lead somewhere; no page needs the network.\n")
    sys.exit(bool(wrong))

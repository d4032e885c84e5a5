"""The file itself: one page that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fairordinal._files import write_whole

FRAME = (
    '<iframe title="{title}" sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
    'style="width:100%;height:80vh;border:1px solid #8886;border-radius:6px"></iframe>'
)
ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


@dataclass(frozen=True, repr=False)
class Report:
    """A page of HTML; made by :func:`report` and :func:`report_compare`.

    Attributes
    ----------
    title : str
        As it stands on top.
    html : str
        The whole page.
    """

    title: str
    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which is never seen half-written.

        Parameters
        ----------
        path : str or path
            Of the file; its folder must exist.

        Returns
        -------
        path : Path
            The same.
        """
        target = Path(path)
        if not target.parent.is_dir():
            raise FileNotFoundError(f"{target.parent} is no folder; make it, or save elsewhere.")
        write_whole(target, self.html)
        return target

    def __repr__(self) -> str:
        size = len(self.html.encode()) / 1000
        return f"<Report {self.title!r}, {size:,.0f} kB: .save('report.html')>"

    def _repr_html_(self) -> str:
        return FRAME.format(title=html.escape(self.title), page=html.escape(self.html))


def render(template: str, view: Mapping[str, Any], *, title: str, script_data: Any) -> Report:
    """Fill a template; all text is escaped by it."""
    from markupsafe import Markup

    pages = environment()
    script = pages.loader.get_source(pages, "script.js")[0]
    page = pages.get_template(template).render(
        view=view,
        title=title,
        script=Markup(script),
        script_hash=_hash(script),
        script_data=Markup(as_json(script_data)),
    )
    return Report(title, page)


@cache
def environment() -> Any:
    """Templates of the package, or a word on how to get jinja2."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError("A report needs jinja2: pip install fairordinal[report].") from error
    return Environment(
        loader=PackageLoader("fairordinal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def as_json(data: Any) -> str:
    """JSON that can stand inside a script element."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter, code in ESCAPED.items():
        text = text.replace(letter, code)
    return text


def _hash(script: str) -> str:
    """By which the page's policy knows its script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

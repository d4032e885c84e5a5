r"""The HTML page: its file, its templates, and names of users made safe to show.

Sections of a page are views: named tuples of text and of positions in percent. Templates turn views
into HTML and escape all text. The page loads nothing and runs only its own script, which the
content security policy of the page allows by its hash.

Hidden characters in names are written as escapes (``\u202e``), so that different names look
different. Names written from right to left are isolated from the text around them.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._render import names_of
from fairordinal._support import visible, write_whole
from fairordinal.plotting import distinct_names

IFRAME = (
    '<iframe title="{title}" sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
    'style="width:100%;height:80vh;border:1px solid #8886;border-radius:6px"></iframe>'
)
JSON_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
NAME_WIDTH = 28  # letters of a name in a chart, a header or a list
LABEL_WIDTH = 16  # letters of a label in a table
RIGHT_TO_LEFT = {"R", "AL", "AN"}  # bidirectional classes of Unicode
EMPTY = "(empty)"
UNBROKEN_ELLIPSIS = "…\u2060"  # followed by a word joiner, so that no line breaks here


@dataclass(frozen=True, repr=False)
class Report:
    """A page of HTML; made by :func:`report` and :func:`report_compare`.

    Attributes
    ----------
    title : str
        The title of the page.
    html : str
        The whole page.

    See Also
    --------
    report : Makes a page about one predictor.
    report_compare : Makes a page about two predictors.
    """

    title: str
    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, either completely or not at all.

        Parameters
        ----------
        path : str or path
            The file to write; its folder must exist.

        Returns
        -------
        path : Path
            The path of the file.
        """
        target = Path(path)
        if not target.parent.is_dir():
            raise FileNotFoundError(
                f"{target.parent} is no folder; make it, or save the report elsewhere."
            )
        write_whole(target, self.html)
        return target

    def __repr__(self) -> str:
        size = len(self.html.encode()) / 1000
        return f"<Report {self.title!r}, {size:,.0f} kB: .save('report.html')>"

    def _repr_html_(self) -> str:
        return IFRAME.format(title=html.escape(self.title), page=html.escape(self.html))


# Templates


def render(template: str, view: Mapping[str, Any], *, title: str, script_data: Any) -> Report:
    """Fill a template with a view; the template escapes all text."""
    from markupsafe import Markup

    templates = environment()
    script = templates.loader.get_source(templates, "script.js")[0]
    page = templates.get_template(template).render(
        view=view,
        title=title,
        script=Markup(script),
        script_hash=_policy_hash(script),
        script_data=Markup(as_json(script_data)),
    )
    return Report(title, page)


def fragment(template: str, view: Mapping[str, Any]) -> str:
    """A part of a page, for its script; the template escapes all text."""
    text: str = environment().get_template(template).render(view=view)
    return text


@cache
def environment() -> Any:
    """Return the package's jinja2 environment; the error says how to install jinja2."""
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
    """JSON that is safe inside of a script element: it cannot end the element."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter, code in JSON_ESCAPES.items():
        text = text.replace(letter, code)
    return text


def _policy_hash(script: str) -> str:
    """Hash of the script in the notation of the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


# Names


class Name(NamedTuple):
    """A name of a group or label, in full and shortened."""

    whole: str
    short: str


def display_names(names: Sequence[Any], width: int = NAME_WIDTH) -> list[Name]:
    """Names of groups or labels as they are shown; both forms are distinct."""
    whole = [visible_name(name) for name in names_of(names)]
    if len(set(whole)) < len(whole):
        whole = [f"{name} ({i + 1})" for i, name in enumerate(whole)]
    pairs = zip(whole, distinct_names(whole, width), strict=True)
    return [
        Name(isolated(w), isolated(s if s == w else s.replace("…", UNBROKEN_ELLIPSIS)))
        for w, s in pairs
    ]


def user_text(value: Any) -> str:
    """Text of the user with hidden characters escaped, isolated from the text around it."""
    return isolated(visible_name(str(value)))


def visible_name(name: str) -> str:
    """A name with hidden characters escaped; an empty name becomes "(empty)"."""
    if not name.strip():
        return EMPTY if not name else repr(name)
    return visible(name)


def isolated(name: str) -> str:
    """Put text with letters from right to left between isolating characters."""
    turns = any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in name)
    return f"\u2068{name}\u2069" if turns else name

"""Code blocks of the pages of the site, and how they are run.

Blocks of a page run from top to bottom in one namespace and one empty folder:

* ``python`` blocks run as they are. A ``text`` block right behind a block is what it prints.
* ``bash`` blocks run line by line. `fairordinal` runs in this process; for commands that install
  or build something, `make` must have the target.
* A comment ``<!-- not run: reason -->`` above a block excludes it; other languages are not code.
* ``<!-- setup: python code -->`` runs, too; readers do not see it.
"""

import contextlib
import doctest
import io
import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from cli_runner import run

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MADE = {"changelog.md", "contributing.md", "benchmarks.md", "reference", "gallery", "_build"}
ELSEWHERE = {"databases.md": "test_databases.py"}  # tests that run the blocks of a page
FENCE = re.compile(
    r"(?:<!-- (?P<comment>not run: \S.*?) -->\s*)?^(?P<ticks>```+)(?P<language>[\w{}-]*)[^\n]*\n"
    r"(?P<code>.*?)^(?P=ticks)$",
    flags=re.DOTALL | re.MULTILINE,
)
SETUP = re.compile(r"<!-- setup:\n(.*?)-->", flags=re.DOTALL)
MAKEFILE = ROOT / "Makefile"
COMMANDS = ("pip", "git", "cd", "make")  # that are not run
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """Code of a page, what it prints if the page shows it, and where it is."""

    language: str
    code: str
    printed: str | None
    line: int


def pages():
    """All pages that are written by hand."""
    found = [page for page in DOCS.rglob("*.md") if not MADE & {*page.relative_to(DOCS).parts}]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(found)]


def blocks(page):
    """The blocks of a page that run, in order."""
    text = page.read_text(encoding="utf-8")
    found = [
        Block("python", each[1], None, line_of(text, each.start(1)))
        for each in SETUP.finditer(text)
    ]
    end = None
    for each in FENCE.finditer(text):
        line = line_of(text, each.start("code"))
        if each["language"] == "text" and end is not None and not text[end : each.start()].strip():
            found[-1] = found[-1]._replace(printed=each["code"])
        elif each["language"] in ("python", "bash") and not each["comment"]:
            found.append(Block(each["language"], each["code"], None, line))
            end = each.end()
            continue
        end = None
    return found


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def run_page(page, namespace):
    """Run the blocks of a page; errors name the line, and printed text is compared."""
    for block in blocks(page):
        printed = io.StringIO()
        padded = "\n" * (block.line - 1) + block.code
        with contextlib.redirect_stdout(printed):
            if block.language == "python":
                exec(compile(padded, page, "exec"), namespace)
            else:
                run_commands(block.code)
        if block.printed is not None:
            check_printed(block, printed.getvalue(), page)


def check_printed(block, printed, page):
    if not doctest.OutputChecker().check_output(block.printed, printed, OPTIONS):
        raise AssertionError(f"{page.name}, line {block.line}, prints:\n{printed}")


def run_commands(code):
    """Run the commands of a block in this process; 2 is the exit code of audits above a limit."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["fairordinal"]:
            ran = run(*words[1:])
            sys.stdout.write(ran.output)
            above_limit = ran.exit_code == 2 and "--max-violation" in words and words[1] == "audit"
            assert above_limit or ran.exit_code == 0, (line, ran.output, ran.exception)
        elif words and words[0] == "make" and MAKEFILE.exists():  # it is not in the sdist
            assert f"\n{words[1]}:" in MAKEFILE.read_text(encoding="utf-8"), line
        elif words:
            assert words[0] in COMMANDS, f"{line!r}: mark the block with <!-- not run: why -->"

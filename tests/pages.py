"""Code blocks of the pages of the site, and how they are run.

Blocks of a page run from top to bottom in one namespace and one empty folder:

* ``python`` blocks run as they are. A ``text`` block right behind a block is what it prints, with
  its warnings.
* ``bash`` blocks run line by line. `fairordinal` runs in this process; for commands that install
  or build something, the extras and the targets of `make` must exist.
* A comment ``<!-- not run: reason -->`` above a block excludes it. `unchecked` finds blocks that
  nothing runs, and that have no such comment.
* ``<!-- setup: python code -->`` runs, too; readers do not see it.

Tutorials have blocks in their text, ``.. code-block:: language``, which run after the tutorial:
commands and workflows as above, and SQL in DuckDB.
"""

import contextlib
import doctest
import io
import re
import shlex
import sys
import textwrap
import tomllib
import warnings
from pathlib import Path
from typing import NamedTuple

import duckdb
import pandas as pd
import yaml

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
DIRECTIVES = {"mermaid", "{admonition}", "{glossary}", "{picture}", "{raw}", "{toctree}"}  # no code
IN_TUTORIALS = re.compile(
    r"^\.\. code-block:: (?P<language>\w+)\n\n(?P<code>(?: +\S.*\n|\n)+)", flags=re.MULTILINE
)
MAKEFILE = ROOT / "Makefile"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
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


def unchecked(page):
    """Lines of blocks that nothing runs or compares, and that have no comment with a reason."""
    text, end, found = page.read_text(encoding="utf-8"), None, []
    for each in FENCE.finditer(text):
        printed = each["language"] == "text" and end is not None
        behind = printed and not text[end : each.start()].strip()
        runs = each["language"] in ("python", "bash")
        if not (runs or behind or each["comment"] or each["language"] in DIRECTIVES):
            found.append(line_of(text, each.start("code")))
        end = each.end() if runs and not each["comment"] else None
    blank = FENCE.sub(lambda each: "\n" * each[0].count("\n"), text)
    other = re.finditer(r"^[ >]*(```|~~~)", blank, flags=re.MULTILINE)  # indented, or not closed
    return found + [line_of(blank, each.start()) for each in other]


def tutorial_text(script):
    """The text of a tutorial: its docstring and its comments."""
    return re.sub(r"^# ?", "", script.read_text(encoding="utf-8"), flags=re.MULTILINE)


def tutorial_blocks(script):
    """Language and code of the blocks in the text of a tutorial."""
    return [
        (each["language"], textwrap.dedent(each["code"]).strip())
        for each in IN_TUTORIALS.finditer(tutorial_text(script))
    ]


def run_page(page, namespace):
    """Run the blocks of a page; errors name the line, and printed text is compared."""
    for block in blocks(page):
        printed = io.StringIO()
        padded = "\n" * (block.line - 1) + block.code
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.showwarning = print_warning
            if block.language == "python":
                exec(compile(padded, page, "exec"), namespace)
            else:
                run_commands(block.code)
        if block.printed is not None:
            check_printed(block, printed.getvalue(), page)


def print_warning(message, category, *where):
    sys.stdout.write(f"{category.__name__}: {message}\n")


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
            extras = re.findall(r"(?:fairordinal|\.)\[([\w,]+)\]", line)
            assert {*",".join(extras).split(",")} <= {*EXTRAS, ""}, line


def run_workflow(code):
    """Run the commands of the steps of a GitHub workflow; files that are uploaded must exist."""
    for step in yaml.safe_load(code):
        if "run" in step:
            run_commands(step["run"])
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), step
            assert Path(step["with"]["path"]).exists(), step


def run_query(code, namespace):
    """Run SQL on the frames of a namespace, and compare with its frame `counts`, in any order."""
    connection = duckdb.connect()
    for name, value in namespace.items():
        if isinstance(value, pd.DataFrame):
            connection.register(name, value)
    found, expected = connection.sql(code).df(), namespace["counts"]
    keys = [name for name in expected if name != "n"]
    both = [frame.sort_values(keys, ignore_index=True) for frame in (found, expected)]
    pd.testing.assert_frame_equal(*both, check_dtype=False, check_like=True)

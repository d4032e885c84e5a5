"""Pages of the site that are made from the code: reference, command line, demo report, changelog.

The build calls `write_pages` before it reads the other pages. The files that it writes are not
under version control.
"""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import typer

PACKAGES = {  # in the order of the reference
    "fairordinal": "Audits, thresholds, classifiers, the frontier",
    "fairordinal.metrics": "Metrics",
    "fairordinal.criteria": "Criteria of fairness",
    "fairordinal.plotting": "Displays",
    "fairordinal.report": "Reports",
    "fairordinal.models": "Models of tables, and their files",
    "fairordinal.ranker": "Rankers",
    "fairordinal.baselines": "Methods to compare with",
    "fairordinal.datasets": "Data sets",
    "fairordinal.frontier": "Parts of the frontier",
    "fairordinal.thresholds": "Results of thresholds",
    "fairordinal.estimators": "Estimators",
    "fairordinal.experiments": "Experiments of the paper",
}

COPIED = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "benchmarks.md",
}


def write_pages(docs: Path) -> None:
    """Write all pages that are made from the code."""
    reference = docs / "reference"
    reference.mkdir(exist_ok=True)
    shown: set[str] = set()
    for package, title in PACKAGES.items():
        write(reference / f"{package}.rst", package_page(package, title, shown))
    write(reference / "index.md", index_page())
    write(reference / "command_line.md", command_line_page())
    root = docs.parent
    for name, page in COPIED.items():
        text = (root / name).read_text(encoding="utf-8")
        write(
            docs / page,
            text.replace("](docs/", "](").replace("](benchmarks/RESULTS.md", "](benchmarks.md"),
        )
    if os.environ.get("FAIRORDINAL_DOCS") != "quick":
        write_demo(docs / "_static")


def write(path: Path, text: str) -> None:
    """Write a page, unless it has not changed: Sphinx then reads it again only if needed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# Reference


def package_page(package: str, title: str, shown: set[str]) -> str:
    """A page with all public names of a package, except those that a page before has."""
    module = importlib.import_module(package)
    names = [name for name in sorted(module.__all__, key=str.lower) if name != "__version__"]
    fresh = [name for name in names if origin(module, name) not in shown]
    shown.update(origin(module, name) for name in fresh)
    heading = f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: {package}\n"
    summary = inspect.getdoc(module).splitlines()[0]
    found = [heading, f"``{package}``: {summary}\n"]
    for kind, chosen in (("Classes", classes(module, fresh)), ("Functions and constants", None)):
        listed = (
            chosen if chosen is not None else [n for n in fresh if n not in classes(module, fresh)]
        )
        if listed:
            found.append(f"{kind}\n{'-' * len(kind)}\n")
            found.append(".. autosummary::\n   :toctree: generated\n   :nosignatures:\n")
            found.append("\n".join(f"   {name}" for name in listed) + "\n")
    others = [name for name in names if name not in fresh]
    if others:
        found.append("Also here: " + ", ".join(f"``{name}``" for name in others) + ".\n")
    return "\n".join(found)


def origin(module: object, name: str) -> str:
    """The full name of the definition of a public name."""
    found = getattr(module, name)
    return f"{getattr(found, '__module__', module.__name__)}.{getattr(found, '__qualname__', name)}"


def classes(module: object, names: list[str]) -> list[str]:
    """Those of the names that are classes."""
    return [name for name in names if inspect.isclass(getattr(module, name))]


def index_page() -> str:
    """The table of contents of the reference."""
    rows = [f"- [{title}]({package}.rst): `{package}`" for package, title in PACKAGES.items()]
    tree = "\n".join(["command_line", *PACKAGES])
    return (
        "# Reference\n\nAll public names, package by package.\n\n" + "\n".join(rows) + "\n- "
        "[Command line](command_line.md): `fairordinal`\n- [Glossary](../glossary.md), "
        "[notation](../notation.md), [the paper, section by section](../paper.md)\n\n"
        f"```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )


# Command line


def command_line_page() -> str:
    """All commands with their arguments and options."""
    from fairordinal.cli import app

    group = typer.main.get_command(app)
    parts = ["# Command line\n", f"{group.help or ''}\n"]
    for name, command in group.commands.items():
        parts += [f"## fairordinal {name}\n", command_text(command), options_table(command)]
    return "\n".join(parts)


def command_text(command: object) -> str:
    """The help text of a command; examples are code."""
    text, _, examples = inspect.cleandoc(command.help or "").partition("Examples\n--------\n")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    code = "```bash\n" + "\n".join(lines) + "\n```\n" if lines else ""
    return f"{text.strip()}\n\n{code}"


def options_table(command: object) -> str:
    """A table of the arguments and options of a command."""
    rows = ["| option | meaning | default |", "|---|---|---|"]
    for parameter in command.params:
        names = ", ".join(f"`{name}`" for name in parameter.opts)
        if parameter.param_type_name == "argument":
            names = f"`{(parameter.metavar or parameter.name).upper()}`"
        default = "" if parameter.default in (None, False, ()) else f"`{parameter.default}`"
        if parameter.required:
            default = "required"
        text = " ".join((parameter.help or "").split()).replace("|", "\\|")
        rows.append(f"| {names} | {text} | {default} |")
    return "\n".join(rows) + "\n"


# Demo


def write_demo(static: Path) -> None:
    """Run the demo: its report is shown on the site."""
    command = [sys.executable, "-c", "from fairordinal.cli import main; main()", "demo", "--quiet"]
    folder = static / "demo"
    if not (folder / "report.html").exists():
        subprocess.run([*command, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)

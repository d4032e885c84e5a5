"""Pages of the site that are made from the code: reference, command line, demo report, changelog.

The build calls `write_pages` before it reads the other pages. The files that it writes are not
under version control.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import typer

import fairordinal

QUICK = os.environ.get("FAIRORDINAL_DOCS") == "quick"  # nothing is computed for the pages

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
    for name, text in reference_pages().items():
        write(docs / "reference" / name, text)
    for name, page in COPIED.items():
        text = (docs.parent / name).read_text(encoding="utf-8")
        write(docs / page, re.sub(r"\]\(docs/|\]\((?=benchmarks/RESULTS)", "](", text))
    if not QUICK:
        write_demo(docs / "_static")


def write(path: Path, text: str) -> None:
    """Write a page, unless it has not changed: Sphinx then reads it again only if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# Reference


def reference_pages() -> dict[str, str]:
    """Text of the pages of the reference, by the name of the file."""
    pages, shown = {"command_line.md": command_line_page(), "index.md": index_page()}, set()
    for package, title in PACKAGES.items():
        module = importlib.import_module(package)
        fresh = [name for name in public_names(module) if origin(module, name) not in shown]
        shown.update(origin(module, name) for name in fresh)
        pages[f"{package}.rst"] = package_page(module, title, fresh)
        for name in fresh:
            pages[f"generated/{package}.{name}.rst"] = name_page(module, name)
    return pages


def public_names(module: object) -> list[str]:
    """The public names of a package, in alphabetical order."""
    return [name for name in sorted(module.__all__, key=str.lower) if name != "__version__"]


def origin(module: object, name: str) -> str:
    """The full name of the definition of a public name."""
    found = getattr(module, name)
    return f"{getattr(found, '__module__', module.__name__)}.{getattr(found, '__qualname__', name)}"


def package_page(module: object, title: str, fresh: list[str]) -> str:
    """A page with all public names of a package, except those that a page before has."""
    package, docstring = module.__name__, inspect.getdoc(module).splitlines()[0]
    classes = [name for name in fresh if inspect.isclass(getattr(module, name))]
    others = [name for name in fresh if name not in classes]
    elsewhere = [name for name in public_names(module) if name not in fresh]
    parts = [f"{heading(title)}\n.. currentmodule:: {package}\n", f"``{package}``: {docstring}\n"]
    for kind, names in (("Classes", classes), ("Functions and constants", others)):
        if names:
            listed = "\n".join(f"   {name}" for name in names)
            parts += [heading(kind, "-"), f".. autosummary::\n   :nosignatures:\n\n{listed}\n"]
    if elsewhere:
        parts.append("Also here: " + ", ".join(f":obj:`{name}`" for name in elsewhere) + ".\n")
    hidden = "\n".join(f"   generated/{package}.{name}" for name in fresh)
    return "\n".join(parts) + f"\n.. toctree::\n   :hidden:\n\n{hidden}\n"


def heading(text: str, line: str = "=") -> str:
    """A heading of reStructuredText."""
    return f"{text}\n{line * len(text)}\n"


def name_page(module: object, name: str) -> str:
    """A page of one public name, with the tutorials that use it."""
    found, full = getattr(module, name), f"{module.__name__}.{name}"
    text = f"{heading(name)}\n.. currentmodule:: {module.__name__}\n\n"
    if inspect.isclass(found):
        text += f".. autoclass:: {full}\n"
        if own := members(found):
            text += f"   :members: {', '.join(own)}\n"
        text += inherited(found)
    else:
        text += f".. {'autofunction' if inspect.isroutine(found) else 'autodata'}:: {full}\n"
    return f"{text}\n.. minigallery:: {full}\n   :add-heading: Tutorials with {name}\n"


def members(found: type) -> list[str]:
    """Public methods and properties that this library defines."""
    return [
        name
        for name, member in inspect.getmembers(found)
        if not name.startswith("_")
        and (inspect.isroutine(member) or isinstance(member, property))
        and defined_here(found, name)
    ]


def defined_here(found: type, name: str) -> bool:
    """Whether the docstring of a method or property comes from this library."""
    members = [vars(base)[name] for base in found.__mro__ if name in vars(base)]
    documented = next((member for member in members if member.__doc__), None)
    definition = getattr(documented, "fget", documented)
    return (
        getattr(definition, "__module__", "").startswith("fairordinal") and "_request" not in name
    )


def inherited(found: type) -> str:
    """A sentence about the methods that estimators have from scikit-learn."""
    names = [
        name
        for name in sorted(dir(found))
        if re.fullmatch(r"(fit|set|get|score|transform)_?\w*", name)
        and not defined_here(found, name)
    ]
    if "get_params" not in names:
        return ""
    listed = ", ".join(f"``{name}``" for name in names)
    return (
        f"\n   As in scikit-learn: {listed}. Requests such as ``set_fit_request`` say which "
        "columns a pipeline passes on: :doc:`/howto/scikit_learn`.\n"
    )


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
    """The help text of a command; examples are code, one line each."""
    text, _, examples = inspect.cleandoc(command.help or "").partition("Examples\n--------\n")
    lines = [" \\\n  ".join(each.split("\n")) for each in paragraphs(examples)]
    code = "```bash\n" + "\n".join(lines) + "\n```\n" if lines else ""
    return f"{text.strip()}\n\n{code}"


def paragraphs(text: str) -> list[str]:
    """Paragraphs without the indentation of their lines."""
    lines = "\n".join(line.strip() for line in text.splitlines())
    return [part.strip() for part in re.split(r"\n\n+", lines) if part.strip()]


def options_table(command: object) -> str:
    """A table of the arguments and options of a command."""
    rows = ["| option | meaning |", "|---|---|"]
    for parameter in command.params:
        names = ", ".join(f"`{name}`" for name in parameter.opts)
        if parameter.param_type_name == "argument":
            names = f"`{(parameter.metavar or parameter.name).upper()}`"
        text = " ".join((parameter.help or "").split()).replace("|", "\\|")
        text = text.replace("--", chr(92) + "--")
        if parameter.required:
            text += " **Required.**"
        elif parameter.default not in (None, False, ()):
            text += f" Default: `{parameter.default}`."
        rows.append(f"| {names} | {text} |")
    return "\n".join(rows) + "\n"


# Demo


def write_demo(static: Path) -> None:
    """Run the demo, if its report is missing or older than the code: the site shows it."""
    command = [sys.executable, "-c", "from fairordinal.cli import main; main()", "demo", "--quiet"]
    folder = static / "demo"
    report, code = folder / "report.html", Path(inspect.getfile(fairordinal)).parent
    newest = max(path.stat().st_mtime for path in code.rglob("*.*") if path.suffix != ".pyc")
    if not report.exists() or report.stat().st_mtime < newest:
        subprocess.run([*command, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)

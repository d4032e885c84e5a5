"""The program: errors in one line, and the options that several commands share."""

from __future__ import annotations

import logging
import sys
import traceback
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

import fairordinal
from fairordinal._render import terminal_width
from fairordinal._source import MISSING
from fairordinal.cli._choices import (
    COSTS,
    MODELS,
    PAIRWISE,
    choice,
    criterion_of,
    described,
    direction,
)
from fairordinal.cli._output import (
    NoteHandler,
    adapt_streams,
    columns_of_terminal,
    in_one_line,
    show,
    show_note,
    wrapped,
)
from fairordinal.cli._wording import in_options, of_options, worded

app = typer.Typer(
    help="Fair ordinal regression: audit, repair and train predictors of ordered labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

STOPPED = 130  # exit code after Ctrl-C


def _version(wanted: bool) -> None:
    if wanted:
        show(f"fairordinal {fairordinal.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version.", metavar=""
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error happened.", metavar="")
    ] = False,
) -> None:
    """Declare the options of all commands; `main` reads --debug."""


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    """Print a warning as a note, without the place in the source."""
    show_note(in_options(str(message)))


def main() -> None:
    """Run the program; an error prints one line and exits with code 1.

    --debug, at any place, prints the traceback as well.
    """
    adapt_streams()
    logging.basicConfig(handlers=[NoteHandler()], level=logging.WARNING)
    warnings.showwarning = _show_warning
    arguments = [each for each in sys.argv[1:] if each != "--debug"]
    with terminal_width(columns_of_terminal()):
        sys.exit(_run(arguments, debug=len(arguments) < len(sys.argv) - 1))


def _run(arguments: list[str], *, debug: bool) -> Any:
    """Run a command; return its exit code, or the line to print for an error."""
    try:
        code = app(arguments, standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        code = STOPPED
    except Exception as error:
        if debug:
            show(traceback.format_exc(), err=True)
        return _message(error)
    if code == STOPPED:
        show("Stopped.", err=True)
    return code


def _message(error: Exception) -> str | int:
    """Return the line to print for an error; 0 if help was printed instead."""
    given = error.format_message() if hasattr(error, "format_message") else None
    words = worded(error) if given is None else of_options(given)
    if isinstance(error, OSError) and error.strerror and error.filename:
        words = f"{error.filename}: {error.strerror}."
    command = getattr(getattr(error, "ctx", None), "command_path", "")
    if command and not words.strip():
        return 0  # a command without arguments, for which help was printed
    line = in_one_line(words) or type(error).__name__
    end = "" if line.endswith((".", "?", "!")) else "."
    return wrapped(f"Error: {line}{end} See {command} --help." if command else f"Error: {line}")


# Options that several commands share, as annotated types for typer

File = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Excel (.xlsx), Parquet or Arrow; - is standard input.",
        show_default=False,
        metavar="FILE",
    ),
]
Label = Annotated[
    str, typer.Option("--y", help="Column of true labels.", metavar="COLUMN", show_default=False)
]
Groups = Annotated[
    list[str],
    typer.Option(
        "--group",
        help="Column of groups; repeat it for intersections.",
        metavar="COLUMN",
        show_default=False,
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        "--labels", help="Labels from lowest to highest, such as bad,okay,good.", metavar="LABELS"
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(help="Separator of cells in a CSV; detected by default.", metavar="CHARACTER"),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of a CSV, such as latin-1; UTF-8 by default.",
        metavar="NAME",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        help="Decimal mark in a CSV, '.' or ','; detected if cells are separated by semicolons.",
        metavar="CHARACTER",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        help=(
            "Values of missing cells, such as NA,-99; '' for empty cells only. By default "
            f"{', '.join(MISSING)} and empty cells in a CSV; null only in Parquet and Arrow. "
            "Labels that --labels names are never missing."
        ),
        metavar="VALUES",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(help="Sheet of an Excel file; the first one by default.", metavar="NAME"),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        help="Column of weights; see --weights.",
        metavar="COLUMN",
    ),
]
Weights = Annotated[
    str,
    typer.Option(
        "--weights",
        help="frequency: a weight of 2 is a row repeated twice. survey: it is one row that "
        "represents two people; intervals are those of the rows.",
        metavar="NAME",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", help="Show no progress, and no notes except about the result.", metavar=""
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--feature",
        help="Column to predict from; repeat it. All others by default.",
        metavar="COLUMN",
    ),
]
Ignored = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", help="Column not to predict from, such as an identifier.", metavar="COLUMN"
    ),
]
Criterion = Annotated[
    str,
    typer.Option(
        help=f"Criterion of fairness: {described(PAIRWISE)}.",
        callback=criterion_of(PAIRWISE),
        metavar="NAME",
    ),
]
Cost = Annotated[
    str,
    typer.Option(
        help=f"Cost of errors: {', '.join(COSTS)}.",
        callback=choice("--cost", COSTS),
        metavar="NAME",
    ),
]
TradeOff = Annotated[
    float | None,
    typer.Option(
        help="Weight of the violation instead of a limit, from 0 to below 1.", metavar="NUMBER"
    ),
]
HigherIs = Annotated[
    str | None,
    typer.Option(
        "--higher-is",
        help="better, if higher labels are better for people, such as grades, or worse, such as "
        "levels of risk. Without it, no group is called favoured or harmed.",
        callback=direction,
        metavar="NAME",
    ),
]
LimitConfidence = Annotated[
    float | None,
    typer.Option(
        help="Keep the limit in new rows with this confidence, such as 0.9.", metavar="NUMBER"
    ),
]
Basis = Annotated[
    str,
    typer.Option(
        "--model",
        help="linear, piecewise (linear, with kinks), plug-in (the label of least expected cost), "
        "trees, or auto: chosen on held-out rows.",
        callback=choice("--model", MODELS),
        metavar="NAME",
    ),
]
Html = Annotated[
    Path | None, typer.Option("--html", help="Write a report to this file.", metavar="FILE")
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write all numbers to this file.", metavar="FILE")
]
ModelFile = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write the model to this file, as JSON.", metavar="FILE"),
]


def check_different(options: dict[str, Any], what: str = "column") -> None:
    """Raise ValueError if a column is named twice; `options` has the columns of each option."""
    seen: dict[str, str] = {}
    for option, names in options.items():
        for name in [names] if isinstance(names, str) else names or []:
            if seen.get(name) == option:
                raise ValueError(f"{option} names {what} {name!r} twice; name it once.")
            if name in seen:
                raise ValueError(
                    f"{option} and {seen[name]} both name {what} {name!r}; they must differ."
                )
            seen[name] = option

"""The program: options of all commands, and errors in one line."""

from __future__ import annotations

import logging
import sys
import traceback
import warnings
from typing import Annotated, Any

import typer

import fairordinal
from fairordinal.cli._output import NoteHandler, adapt_streams, in_one_line, show, show_note

app = typer.Typer(
    help="Fair ordinal regression: audit, repair and train predictors of ordered labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        show(f"fairordinal {fairordinal.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
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
    show_note(str(message))


def main() -> None:
    """Run the program; an error prints one line and exits with code 1.

    --debug, at any place, prints the traceback as well.
    """
    adapt_streams()
    logging.basicConfig(handlers=[NoteHandler()], level=logging.WARNING)
    warnings.showwarning = _show_warning
    arguments = [each for each in sys.argv[1:] if each != "--debug"]
    try:
        code = app(arguments, standalone_mode=False)
    except typer.Abort:
        sys.exit("Stopped.")
    except Exception as error:
        if len(arguments) < len(sys.argv) - 1:
            show(traceback.format_exc(), err=True)
        sys.exit(_message(error))
    sys.exit(code)


def _message(error: Exception) -> str | int:
    """Return the line to print for an error; 0 if help was printed instead."""
    words = error.format_message() if hasattr(error, "format_message") else str(error)
    if isinstance(error, OSError) and error.strerror and error.filename:
        words = f"{error.filename}: {error.strerror}."
    command = getattr(getattr(error, "ctx", None), "command_path", "")
    if command and not words.strip():
        return 0  # a command without arguments, for which help was printed
    line = in_one_line(words) or type(error).__name__
    end = "" if line.endswith((".", "?", "!")) else "."
    return f"Error: {line}{end} See {command} --help." if command else f"Error: {line}"

"""The program itself: options of all commands, and errors in one line."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Annotated, Any

import typer

import fairordinal

app = typer.Typer(
    help="Fair ordinal regression: audit, repair and train predictors of ordered labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fairordinal {fairordinal.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
) -> None:
    """Options of all commands; `main` reads --debug by itself."""


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    """A warning is a note: where it was raised is of no use here."""
    typer.echo(f"Note: {message}", err=True)


def main() -> None:
    """Run; an error is one line with its remedy, unless --debug asks for more."""
    logging.basicConfig(format="Note: %(message)s", level=logging.WARNING)
    warnings.showwarning = _show_warning
    try:
        app()
    except KeyboardInterrupt:
        sys.exit("Stopped. What was finished is kept; the same command goes on from there.")
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        sys.exit(f"Error: {' '.join(str(error).split()) or type(error).__name__}")

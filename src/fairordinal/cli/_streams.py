"""Text for people on standard output and standard error, safe and in any encoding.

All that commands print goes through `show` and `show_note`: text from files cannot control the
terminal, whether it is one or not. Characters that the encoding of a stream lacks are replaced by
ASCII art or written as escapes, so that an encoding never costs a result.
"""

from __future__ import annotations

import codecs
import io
import logging
import sys

from fairordinal._escapes import escaped, visible, visible_lines

ASCII = {
    "─": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "x",
    "·": "*",
    "∞": "inf",
    "²": "^2",
    "λ": "lambda",
    "•": "*",
}
REPLACED = "fairordinal-ascii"  # name of the error handler


def show(text: str, *, err: bool = False) -> None:
    """Print lines for people; hidden characters are written out.

    Not by `typer.echo`, which writes UTF-8 where a stream says ASCII.
    """
    stream = sys.stderr if err else sys.stdout
    if stream is not None:  # it may be closed
        stream.write(f"{visible_lines(text)}\n")
        stream.flush()


def show_note(text: str) -> None:
    """Print a note in one line on standard error, so that standard output can be piped."""
    show(f"Note: {in_a_line(text)}", err=True)


def in_a_line(text: str) -> str:
    """Several lines as one, with hidden characters written out."""
    return visible(" ".join(filter(None, (line.strip(" ") for line in text.split("\n")))))


class NoteHandler(logging.Handler):
    """Shows messages of a log as notes."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show one message."""
        show_note(record.getMessage())


def replace_letters(error: UnicodeError) -> tuple[str, int]:
    """What is printed for characters that an encoding lacks; an error handler of codecs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(ASCII.get(letter) or escaped(letter) for letter in letters), error.end


def adapt_streams() -> None:
    """Let standard output and error print any character, with a replacement if need be."""
    codecs.register_error(REPLACED, replace_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=REPLACED)

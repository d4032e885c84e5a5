"""The command line: parse, call, print."""

from fairordinal.cli._app import app, main
from fairordinal.cli._reproduce import reproduce

app.command()(reproduce)

__all__ = ["app", "main"]

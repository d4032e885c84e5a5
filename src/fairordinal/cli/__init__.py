"""The command line: parse, call, print."""

from fairordinal.cli._app import app, main
from fairordinal.cli._audit import audit
from fairordinal.cli._demo import demo
from fairordinal.cli._fit import fit, predict
from fairordinal.cli._frontier import frontier
from fairordinal.cli._reproduce import reproduce
from fairordinal.cli._thresholds import thresholds

for command in (audit, thresholds, frontier, fit, predict, demo, reproduce):
    app.command()(command)

__all__ = ["app", "main"]

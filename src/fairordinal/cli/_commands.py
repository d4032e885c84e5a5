"""All commands of the program, in the order of the help."""

from fairordinal.cli._app import app, main
from fairordinal.cli._audit import audit
from fairordinal.cli._compare import compare
from fairordinal.cli._examples import demo, reproduce
from fairordinal.cli._fit_predict import fit, predict
from fairordinal.cli._frontier import frontier
from fairordinal.cli._thresholds import thresholds

__all__ = ["app", "main"]

for command in (audit, compare, thresholds, frontier, fit, predict, demo, reproduce):
    app.command()(command)

"""Messages of the library in the words of the command line: options instead of arguments.

The library names arguments of Python (``max_violation=0.1``, ``sensitive_features``) and remedies
that only Python has. `in_options` replaces both in messages; text in quotes, such as names of
columns and groups, is not changed. `as_shown` replaces remedies in results, which hold tables with
names of users.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable

from fairordinal._render import wording

OPTIONS = {
    "y": "--y",
    "y_true": "--y",
    "y_pred": "--pred",
    "scores": "--score",
    "sensitive_features": "--group",
    "labels": "--labels",
    "criterion": "--criterion",
    "criteria": "--criterion",
    "cost_matrix": "--cost",
    "max_violation": "--max-violation",
    "trade_off": "--trade-off",
    "confidence": "--confidence",
    "basis": "--model",
    "features": "--feature",
    "ignore": "--ignore",
    "sample_weight": "the column of weights or counts",
    "weights": "--weights",
    "higher_is": "--higher-is",
    "min_group_rows": "--min-rows",
    "small_groups": "--small-groups",
    "predictions": "--predictions",
    "n_jobs": "--jobs",
    "n_splits": "--splits",
    "splits": "--splits",
    "methods": "--method",
    "name": "NAME",
    "out": "--out",
    "frame": "the table",
    "X": "the table of inputs",
}
REMEDIES = {  # of Python, and what to do on the command line
    ", see .group_frame()": "; --json has all",
    "pass weights='survey'": "pass --weights survey",
    "; see .frame().": "; --json has all.",
    " method='certified' closes the gap.": "",
    "was cut short by interrupt.": "was stopped by Ctrl-C.",
    "was cut short by max_time.": "was cut short by its time limit.",
    "was cut short by max_bounds.": "was cut short: there are too many groups for a full search.",
    "(FairOrdinalClassifier, `fairordinal fit`)": "(`fairordinal fit`)",
}
PHRASES = REMEDIES | {
    " or a Criterion": "",
    " or a V-shaped matrix": "",
    ", or pass a matrix": "",
    ", or an ordered categorical of pandas or polars": "",
    "Divide cost_matrix by a constant.": "Choose another cost matrix.",
    "; an audit takes them as a group of their own with missing_group='own'": "",
    "Raise max_iter or alpha, or scale the features.": (
        "The model may be less accurate than it could be. Columns that nearly repeat each other, "
        "or a few huge numbers, may be the reason."
    ),
    "stopped by max_time with": "stopped by its time limit with",
    "Raise max_time, or accept the gap.": "No other thresholds are better by more than the gap.",
    "Merge small groups, or accept it.": "Merge small groups, or accept the gap.",
    "Lower cv, or collect more rows.": "Collect more rows.",
    "the least populated class in y has": "the rarest label of --y has",
    "fewer than cv=": "fewer than the number of folds, ",
    "Leave columns out, or lower most_categories.": "Leave columns out by --ignore.",
    "the result is nan if": "the result is undefined if",
    "omit the standard criteria (and compare=True)": "choose another criterion",
    "Use HarmParity for learning.": "Use harm_parity instead.",
    "Pass the full audit sample, not one stratum.": "Use the whole table.",
}
ITEM = r"(?:'[^'\]]*'|-?\d[\d.]*)"
PATTERNS = (
    (r"\bdatetime\.\w+\([^)]*\)", "a date"),
    (r"(?<=Leave it out of )features|(?<=leave it out of )features", "--feature"),
    (r"(?<= groups and )y(?= \d)", "--y"),
    (r"\s?\(tol=[^)]*\)", ""),
    (r"\bmax_iter=(\d+) steps", r"\1 steps"),
    (r"\bmax_time=(\S+) s\b", r"a time limit of \1 s"),
    (r"\bcv=(\d+)", r"cross-validation in \1 folds"),
    (rf"\[({ITEM}(?:, {ITEM})*(?:, … \([^)]*\))?)\]", r"\1"),  # a list without its brackets
)
OPTION = r"'(\S+)'(?: / '\S+')*: "
VALUES = (  # of options that typer checks
    (rf"{OPTION}Input should be a valid number\b.*", r"\1 must be a number."),
    (rf"{OPTION}Input should be a valid integer\b.*", r"\1 must be a whole number."),
    (rf"{OPTION}Input should be greater than or equal to (\S+)", r"\1 must be at least \2."),
    (rf"{OPTION}'(.*)' is not a valid float.*", r"\1 must be a number, got '\2'."),
    (rf"{OPTION}'(.*)' is not a valid int.*", r"\1 must be a whole number, got '\2'."),
    (rf"{OPTION}(\S+) is not in the range x>=(\S+)\.", r"\1 must be at least \3, got \2."),
)
QUOTED = re.compile(r"""(?<!\w)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
BEFORE, AFTER = r"(?<![\w./\\-])", r"(?![\w/\\-]|\.\w)"  # no part of a path or another name
VALUED = re.compile(rf"{BEFORE}({'|'.join(OPTIONS)})=(?:\[\.\.\.\])?(?=([\s;:,.)])?)")
NAMED = re.compile(rf"{BEFORE}({'|'.join(name for name in OPTIONS if '_' in name)}){AFTER}")
FIRST = re.compile(rf"({'|'.join(OPTIONS)})(?= (?:must|has|have|holds|needs|lacks) )")
OWN = ("fairordinal.cli", "fairordinal._source")  # modules whose messages name options


def worded(error: BaseException) -> str:
    """Return the message of an error; arguments of the library become options."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return text if _is_own(error) else in_options(text)


def of_options(text: str) -> str:
    """Return a message of typer about the value of an option in our words."""
    for pattern, words in VALUES:
        text = re.sub(f"^Invalid value for {pattern}$", words, text)
    return text


def _is_own(error: BaseException) -> bool:
    """Return whether an error was raised by the command line itself."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__", "")).startswith(OWN)


def as_shown(result: Callable[[], str]) -> str:
    """Return the text of a result with remedies of the command line, in paragraphs and tables."""
    with wording(with_remedies):
        return with_remedies(result())


def with_remedies(text: str) -> str:
    """Replace remedies of Python by those of the command line."""
    for python, here in REMEDIES.items():
        text = text.replace(python, here)
    return text


def in_options(text: str) -> str:
    """Return a message of the library with options instead of arguments."""
    for phrase, words in PHRASES.items():
        text = text.replace(phrase, words)
    for pattern, words in PATTERNS:
        text = re.sub(pattern, words, text)
    first = FIRST.match(text)
    if first:
        text = OPTIONS[first[1]] + text[first.end() :]
    parts = QUOTED.split(text)
    parts[::2] = [_with_options(part) for part in parts[::2]]
    return "".join(parts).rstrip()


def _with_options(text: str) -> str:
    """Replace arguments with a value, and names of arguments that are no English words."""
    text = VALUED.sub(lambda found: OPTIONS[found[1]] + " " * (found[2] is None), text)
    return NAMED.sub(lambda found: OPTIONS[found[1]], text)

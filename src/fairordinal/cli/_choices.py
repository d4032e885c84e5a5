"""Options with a fixed set of values: short names, other spellings, and "did you mean"."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence

from fairordinal._validation import WEIGHTS

SHORT = {  # names of criteria that people type
    "dp": "demographic_parity",
    "eo": "equal_opportunity",
    "eodds": "equalized_odds",
    "cdp": "conditional_demographic_parity",
    "hp": "harm_parity",
    "chp": "conditional_harm_parity",
}
PAIRWISE = tuple(SHORT.values())[:4]  # criteria that a model can be trained for
AUDITED = tuple(SHORT.values())  # criteria of an audit
OPTIMIZED = (
    *PAIRWISE,
    "harm_parity",
    "standard_demographic_parity",
    "standard_equal_opportunity",
    "standard_equalized_odds",
)  # criteria that thresholds can keep
COMPARED = (*AUDITED, *OPTIMIZED[-3:])
COSTS = ("absolute", "zero_one", "squared", "asymmetric")
MODELS = ("auto", "linear", "piecewise", "plug-in", "trees")


def choice(
    option: str, choices: Sequence[str], short: Mapping[str, str] | None = None
) -> Callable[[str], str]:
    """Return a function that reads the value of an option: one of some names.

    Case, blanks, hyphens and British spelling make no difference, and a name may be short.
    """
    names = {_normal(name): name for name in choices}
    names |= {name: whole for name, whole in (short or {}).items() if whole in choices}

    def read(value: str) -> str:
        typed = _normal(value)
        if typed in names:
            return names[typed]
        elsewhere = _other_use((short or {}).get(typed, typed))
        near = [] if elsewhere else difflib.get_close_matches(typed, names, 1)
        hint = f" Did you mean {names[near[0]]!r}?" if near else elsewhere
        raise ValueError(f"{option} must be one of {', '.join(choices)}, got {value!r}.{hint}")

    return read


def _other_use(criterion: str) -> str:
    """Return a sentence with the commands that know a criterion; empty if none does."""
    uses = {"audit": AUDITED, "thresholds": OPTIMIZED, "compare": COMPARED}
    commands = [command for command, known in uses.items() if criterion in known]
    if not commands:
        return ""
    *others, last = commands
    which = f"{', '.join(others)} and {last}" if others else last
    return f" {criterion} is a criterion of {which} only."


def criterion_of(choices: Sequence[str]) -> Callable[[str], str]:
    """Return a function that reads the value of --criterion."""
    return choice("--criterion", choices, SHORT)


def direction(value: str | None) -> str | None:
    """Read the value of --higher-is, if it was passed."""
    return None if value is None else choice("--higher-is", ("better", "worse"))(value)


def kind_of_weights(weights: str, weight: str | None) -> str:
    """Read the value of --weights; `weight` is that of --weight."""
    kind = choice("--weights", WEIGHTS)(weights)
    if kind == "survey" and weight is None:
        raise ValueError("--weights survey needs --weight, the column of weights.")
    return kind


def described(choices: Sequence[str]) -> str:
    """Return criteria with their short names, for help."""
    short = {name: key for key, name in SHORT.items()}
    return ", ".join(f"{name} ({short[name]})" if name in short else name for name in choices)


def _normal(value: str) -> str:
    words = value.strip().casefold().replace("-", "_").replace(" ", "_")
    return words.replace("equalis", "equaliz").removeprefix("pairwise_")

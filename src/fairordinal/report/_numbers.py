"""Numbers on a page: as text, and as positions along an axis, in percent of its length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fairordinal._render import number, quantity

ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # of ticks, times a power of ten
AXIS_MARGIN = 0.06  # on either side, in units of the range of the values
MOST_DIGITS = 1e9  # larger counts are written as powers of ten
SHADES = 5  # strengths of a colour in the style sheet
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


# Text


def interval_text(lower: float, upper: float) -> str:
    """An interval such as "0.100 to 0.200"; a dash if an end is nan."""
    if lower != lower or upper != upper:
        return "–"
    ends = (number(round(end, 3) + 0.0) for end in (lower, upper))  # -0.0 + 0.0 is 0.0
    return " to ".join(ends).replace("-", "−")


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, as a minus and not as a hyphen; zero has no sign."""
    if value != value:
        return "undefined"
    sign = "+" if round(value, digits) else ""
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}".replace("-", "−")


def count_text(value: float) -> str:
    """A count with thousands separators, or as a power of ten if it is very large."""
    if value < MOST_DIGITS:
        return quantity(value)
    digits, power = f"{value:.2e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def score_texts(highest: Sequence[float]) -> list[str]:
    """The highest score of each label, in ascending order.

    The highest label has no limit. A label whose scores end where those of the one below end is
    never given.
    """
    below = (-math.inf, *highest[:-1])
    return [
        "no score" if high <= low else _score_text(high)
        for low, high in zip(below, highest, strict=True)
    ]


def _score_text(value: float) -> str:
    return "any score" if math.isinf(value) else f"{value:.4g}".replace("-", "−")


# Positions


class Tick(NamedTuple):
    """A number beside an axis."""

    at: float  # percent
    text: str


class Axis(NamedTuple):
    """A range of numbers that is drawn along a length."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Position of a value in percent; values outside of the range are at its ends."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def holds(self, values: Iterable[float]) -> bool:
        """Whether all values that are not nan lie on the axis."""
        return not any(value < self.low or value > self.high for value in values)

    def ticks(self, most: int = 6) -> list[Tick]:
        """Round numbers along the axis, about `most` of them."""
        step = _round_step((self.high - self.low) / most)
        digits = max(-math.floor(math.log10(step) + 1e-9), 0) + (f"{step:e}"[2] == "5")
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        numbers = [i * step for i in range(first, last + 1)]
        return [Tick(self.at(value), f"{value:.{digits}f}".replace("-", "−")) for value in numbers]


def axis_around(values: Iterable[float], *, least: float = 0.0) -> Axis:
    """An axis that contains the finite values with a margin; `least` is its smallest length.

    A short axis is made longer on both sides, but not below 0 if no value is.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    margin = AXIS_MARGIN * (high - low)
    short = max(least - (high - low), 0.0) / 2 or (high == low) * max(abs(low), 1.0) / 2
    down = min(short, low) if low >= 0 else short
    return Axis(low - margin - down, high + margin + 2 * short - down)


def _round_step(least: float) -> float:
    """The smallest round step that is at least `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in ROUND_STEPS if power * factor >= least * (1 - 1e-9))


class Bar(NamedTuple):
    """An interval as a bar and its estimate as a mark, in percent of an axis."""

    left: float
    width: float
    mark: float


def interval_bar(value: float, lower: float, upper: float, axis: Axis) -> Bar | None:
    """The bar of an interval; None if it is undefined."""
    if math.isnan(value + lower + upper):
        return None
    left, right = axis.at(lower), axis.at(upper)
    return Bar(left, round(right - left, 2), axis.at(value))

"""What cells of a file mean: a number, or a name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cells:
    """The cells of a column: numbers if all are, otherwise names; None where missing."""

    values: list[Any]
    are_numbers: bool

    @property
    def strange(self) -> Any:
        """The first name, where some cells are numbers; None if all are alike."""
        names = [value for value in self.distinct if _number(value, ".") is None]
        return names[0] if len(names) < len(self.distinct) and names else None

    @property
    def distinct(self) -> list[Any]:
        """Values that occur, numbers in order, names as they come."""
        found = [*dict.fromkeys(value for value in self.values if value is not None)]
        return sorted(found) if self.are_numbers else found


def read_names(values: Sequence[Any]) -> list[Any]:
    """Names of groups, "01" and "1" apart; None where missing."""
    meant = {value: _name(value) for value in dict.fromkeys(values)}
    return [meant[value] for value in values]


def read_values(values: Sequence[Any], decimal: str = ".") -> Cells:
    """Numbers or names, None where missing; text such as "1" is a number if all text is."""
    distinct = [value for value in dict.fromkeys(values) if value is not None]
    numbers = {value: _number(value, decimal) for value in distinct}
    are_numbers = bool(numbers) and None not in numbers.values()
    return Cells([numbers.get(v) for v in values] if are_numbers else [*values], are_numbers)


def _name(value: Any) -> Any:
    """Text for what is neither text, number nor truth, such as a date."""
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _number(value: Any, decimal: str) -> int | float | None:
    """A finite number, whole if it can be; None for any other text."""
    if isinstance(value, bool) or (decimal != "." and isinstance(value, str) and "." in value):
        return None
    try:
        number = float(value.replace(decimal, ".") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number) or (isinstance(value, str) and "_" in value):
        return None
    return int(number) if number.is_integer() else number

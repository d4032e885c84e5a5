"""JSON for files of strangers: strict when read, quiet differences when written.

Numbers come back to the last bit. Infinite and undefined ones are the strings ``"inf"``, ``"-inf"``
and ``"nan"``; see `_schema`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any

WIDTH = 100  # of a line, if it can be
MOST_DIGITS = 4300  # of a number, as Python has it
UNSAFE = re.compile(
    "[<>&\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)  # that end scripts in pages, break or turn round lines, or are no characters of their own


def parse(text: str) -> Any:
    """Read JSON; refuse keys that occur twice, endless numbers and numbers that are none."""
    return json.loads(
        text,
        object_pairs_hook=_without_doubles,
        parse_float=_finite,
        parse_int=_whole,
        parse_constant=_refuse,
    )


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"the field {_first_double(pairs, found)!r:.60} occurs twice")
    return found


def _first_double(pairs: list[tuple[str, Any]], found: dict[str, Any]) -> str:
    """The first key that came before; in linear time and without more memory."""
    for key, _ in pairs:
        if key not in found:
            return key
        del found[key]
    raise AssertionError("no key occurs twice")


def _whole(digits: str) -> int:
    return int(_short(digits))


def _short(digits: str) -> str:
    """Refuse numbers that take long to read, whatever Python's own limit is set to."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"the number {digits:.20}… has more than {MOST_DIGITS} digits")
    return digits


def _finite(digits: str) -> float:
    number = float(_short(digits))
    if not math.isfinite(number):
        raise ValueError(f"the number {digits:.60} is too large")
    return number


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def checksum(content: Any) -> str:
    """SHA-256 of what a value says, whatever its layout and the order of its fields."""
    text = json.dumps(_canonical(content), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    """Whole numbers alike, for some programs write 1.0 as 1."""
    if isinstance(value, dict):
        return {key: _canonical(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_canonical(entry) for entry in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def write(value: Any, indent: str = "") -> str:
    """JSON in lines of one thing each; what holds no list or object goes on a line if it fits.

    Safe to be put into a page as it is: there is no ``<``, ``>`` or ``&``.
    """
    if _is_flat(value):
        line = UNSAFE.sub(_escaped, json.dumps(value, ensure_ascii=False))
        if not isinstance(value, dict | list) or len(indent) + len(line) < WIDTH:
            return line
    deeper = f"{indent} "
    if isinstance(value, list):
        entries = [write(entry, deeper) for entry in value]
        left, right = "[]"
    else:
        entries = [f"{write(key)}: {write(entry, deeper)}" for key, entry in value.items()]
        left, right = "{}"
    return f"{left}\n{deeper}" + f",\n{deeper}".join(entries) + f"\n{indent}{right}"


def _is_flat(value: Any) -> bool:
    entries = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, dict | list)
    return not nested or not any(isinstance(entry, dict | list) for entry in entries)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"

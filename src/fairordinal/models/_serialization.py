"""Convert the components of a model to JSON text, and back.

The dataclasses are the schema: `encode` and `decode` follow the types of their fields. A float is a
number, or one of the strings ``"inf"``, ``"-inf"`` and ``"nan"``, for which JSON has no numbers. A
tuple is a list. A field that may hold one of several dataclasses tells them apart by ``"kind"``.

Files may come from strangers. `parse` limits the time and memory that a text can take, and `decode`
refuses every missing, unknown and mistyped field by its place. A place is a chain ``(place of the
whole, name or number of the part)``, which becomes text only if there is an error.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

Place = tuple[Any, str | int] | None  # None for the whole file

WIDTH = 100  # of a line, if possible
MOST_DIGITS = 4300  # of a number; the default limit of Python
UNSAFE = re.compile(
    "[<>&\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)  # end a script in HTML, break a line, change its direction, or are not valid characters
NAMED_NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def parse(text: str) -> Any:
    """Parse JSON; raise ValueError for duplicate keys, NaN, infinite and overlong numbers."""
    return json.loads(
        text,
        object_pairs_hook=_without_duplicates,
        parse_float=_finite,
        parse_int=_integer,
        parse_constant=_no_constant,
    )


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"the field {_first_duplicate(pairs, found)!r:.60} occurs twice")
    return found


def _first_duplicate(pairs: list[tuple[str, Any]], found: dict[str, Any]) -> str:
    """Return the first duplicate key, in linear time and without more memory.

    `found` has each key once. Keys are deleted as they are met, so that a key that is no longer
    there is a duplicate.
    """
    for key, _ in pairs:
        if key not in found:
            return key
        del found[key]
    raise AssertionError("no key occurs twice")


def _integer(digits: str) -> int:
    return int(_short(digits))


def _short(digits: str) -> str:
    """Raise ValueError for numbers that take long to parse, at any limit that Python has set."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"the number {digits:.20}… has more than {MOST_DIGITS} digits")
    return digits


def _finite(digits: str) -> float:
    number = float(_short(digits))
    if not math.isfinite(number):
        raise ValueError(f"the number {digits:.60} is too large")
    return number


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def checksum(content: Any) -> str:
    """Return the SHA-256 of a JSON value; its layout and the order of fields make no difference."""
    text = json.dumps(_canonical(content), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    """Return a value with integral floats as integers, since some programs write 1.0 as 1."""
    if isinstance(value, dict):
        return {key: _canonical(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_canonical(entry) for entry in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def write(value: Any, indent: str = "") -> str:
    """Format JSON with one entry per line, so that two models can be compared line by line.

    A list or object without nested ones is written on one line if it fits. The text contains no
    ``<``, ``>`` or ``&``, and can be embedded in an HTML page.
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


def encode(value: Any) -> Any:
    """Return a dataclass as dicts, lists, numbers and text."""
    if is_dataclass(value):
        return _kind(value) | {name: encode(getattr(value, name)) for name in _names(value)}
    if isinstance(value, tuple):
        return [encode(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def decode(wanted: Any, value: Any, where: Place) -> Any:
    """Return a value of a type from JSON; `where` is its place in the file, for messages."""
    if wanted in SCALARS:
        return SCALARS[wanted](value, where)
    if isinstance(wanted, UnionType):
        return _decode_one_of(get_args(wanted), value, where)
    if get_origin(wanted) is tuple:
        return _decode_tuple(get_args(wanted), value, where)
    return _decode_dataclass(wanted, value, where)


def _names(part: Any) -> list[str]:
    return [field.name for field in fields(part)]


@cache
def _types(part: Any) -> dict[str, Any]:
    """Return the type of each field; cached, because resolving annotations is slow."""
    hints = get_type_hints(part)
    return {name: hints[name] for name in _names(part)}


def _path(where: Place) -> str:
    """Return a place as text, such as ``coefficients[3].value``."""
    if where is None:
        return "the model"
    whole, part = where
    if isinstance(part, int):
        return f"{_path(whole)}[{part}]"
    return part if whole is None else f"{_path(whole)}.{part}"


def _kind(part: Any) -> dict[str, str]:
    """Return the "kind" of a dataclass that is one of several types of a field, else {}."""
    return {"kind": part.kind} if hasattr(part, "kind") and "kind" not in _names(part) else {}


def _error(where: Place, expected: str, value: Any) -> ValueError:
    return ValueError(f"{_path(where)} must be {expected}, got {value!r:.60}")


def _decode_dataclass(wanted: Any, value: Any, where: Place) -> Any:
    if not isinstance(value, dict):
        raise _error(where, "an object", value)
    given = dict(value)
    for name in _kind(wanted):
        given.pop(name, None)
    types = _types(wanted)
    _check_fields(given, types, where)
    return wanted(**{name: decode(types[name], given[name], (where, name)) for name in given})


def _check_fields(given: dict[str, Any], types: dict[str, Any], where: Place) -> None:
    """Raise ValueError for missing and unknown fields."""
    for name in types:
        if name not in given:
            raise ValueError(f"{_path(where)} lacks the field {name!r}")
    for name in given:
        if name not in types:
            raise ValueError(f"{_path(where)} has an unknown field {name!r:.60}")


def _decode_tuple(wanted: tuple[Any, ...], value: Any, where: Place) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _error(where, "a list", value)
    if wanted[-1] is Ellipsis:
        wanted = (wanted[0],) * len(value)
    if len(wanted) != len(value):
        raise _error(where, f"a list of {len(wanted)}", value)
    pairs = enumerate(zip(wanted, value, strict=True))
    return tuple(decode(kind, entry, (where, i)) for i, (kind, entry) in pairs)


def _decode_one_of(wanted: tuple[Any, ...], value: Any, where: Place) -> Any:
    if type(value) in wanted:
        return value
    if NoneType in wanted:  # float | None
        return decode(wanted[0], value, where)
    if all(is_dataclass(kind) for kind in wanted):
        known = {kind.kind: kind for kind in wanted}
        name = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(name, str) or name not in known:
            raise _error(where, f"an object with a kind of {list(known)}", value)
        return decode(known[name], value, where)
    raise _error(where, "a number or text", value)


def _decode_float(value: Any, where: Place) -> float:
    if isinstance(value, str) and value in NAMED_NUMBERS:
        return NAMED_NUMBERS[value]
    if type(value) not in (int, float):
        raise _error(where, "a number", value)
    try:
        return float(value)
    except OverflowError:
        raise _error(where, "a number of 64 bits", value) from None


def _decode_as(kind: type, name: str) -> Callable[[Any, Place], Any]:
    def decode_scalar(value: Any, where: Place) -> Any:
        if type(value) is not kind:
            raise _error(where, name, value)
        return value

    return decode_scalar


SCALARS: dict[type, Callable[[Any, Place], Any]] = {
    float: _decode_float,
    int: _decode_as(int, "a whole number"),
    str: _decode_as(str, "text"),
    bool: _decode_as(bool, "true or false"),
}

"""Parts of a model as JSON, and back: the fields of the dataclasses are the schema.

A float is a number, or one of the strings ``"inf"``, ``"-inf"`` and ``"nan"``, which JSON has no
numbers for. A tuple is a list. A part that may be of several kinds says which by ``"kind"``.

A place in a file, for messages, is a chain ``(place of the whole, name or number of the part)``; it
becomes text, such as ``coefficients[3].value``, only if something is wrong there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

Place = tuple[Any, str | int] | None  # None: the whole file

NAMED_NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def encode(value: Any) -> Any:
    """A part as objects, lists, numbers and text."""
    if is_dataclass(value):
        return _kind(value) | {name: encode(getattr(value, name)) for name in _names(value)}
    if isinstance(value, tuple):
        return [encode(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def decode(wanted: Any, value: Any, where: Place) -> Any:
    """A part of the wanted type; `where` is its place, for messages."""
    if wanted in SCALARS:
        return SCALARS[wanted](value, where)
    if isinstance(wanted, UnionType):
        return _decode_one_of(get_args(wanted), value, where)
    if get_origin(wanted) is tuple:
        return _decode_tuple(get_args(wanted), value, where)
    return _decode_part(wanted, value, where)


def _names(part: Any) -> list[str]:
    return [field.name for field in fields(part)]


@cache
def _types(part: Any) -> dict[str, Any]:
    """The type of each field; to find it takes far longer than to read a value."""
    hints = get_type_hints(part)
    return {name: hints[name] for name in _names(part)}


def _shown(where: Place) -> str:
    if where is None:
        return "the model"
    whole, part = where
    if isinstance(part, int):
        return f"{_shown(whole)}[{part}]"
    return part if whole is None else f"{_shown(whole)}.{part}"


def _kind(part: Any) -> dict[str, str]:
    """The kind of a part, if it is one of several that a field may hold."""
    return {"kind": part.kind} if hasattr(part, "kind") and "kind" not in _names(part) else {}


def _refusal(where: Place, expected: str, value: Any) -> ValueError:
    """What to raise."""
    return ValueError(f"{_shown(where)} must be {expected}, got {value!r:.60}")


def _decode_part(wanted: Any, value: Any, where: Place) -> Any:
    if not isinstance(value, dict):
        raise _refusal(where, "an object", value)
    given = dict(value)
    for name in _kind(wanted):
        given.pop(name, None)
    types = _types(wanted)
    _check_fields(given, types, where)
    return wanted(**{name: decode(types[name], given[name], (where, name)) for name in given})


def _check_fields(given: dict[str, Any], types: dict[str, Any], where: Place) -> None:
    """Refuse fields that are lacking or unknown."""
    for name in types:
        if name not in given:
            raise ValueError(f"{_shown(where)} lacks the field {name!r}")
    for name in given:
        if name not in types:
            raise ValueError(f"{_shown(where)} has an unknown field {name!r:.60}")


def _decode_tuple(wanted: tuple[Any, ...], value: Any, where: Place) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _refusal(where, "a list", value)
    if wanted[-1] is Ellipsis:
        wanted = (wanted[0],) * len(value)
    if len(wanted) != len(value):
        raise _refusal(where, f"a list of {len(wanted)}", value)
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
            raise _refusal(where, f"an object with a kind of {list(known)}", value)
        return decode(known[name], value, where)
    raise _refusal(where, "a number or text", value)


def _decode_float(value: Any, where: Place) -> float:
    if isinstance(value, str) and value in NAMED_NUMBERS:
        return NAMED_NUMBERS[value]
    if type(value) not in (int, float):
        raise _refusal(where, "a number", value)
    try:
        return float(value)
    except OverflowError:
        raise _refusal(where, "a number of 64 bits", value) from None


def _decode_as(kind: type, name: str) -> Callable[[Any, Place], Any]:
    def decode_scalar(value: Any, where: Place) -> Any:
        if type(value) is not kind:
            raise _refusal(where, name, value)
        return value

    return decode_scalar


SCALARS: dict[type, Callable[[Any, Place], Any]] = {
    float: _decode_float,
    int: _decode_as(int, "a whole number"),
    str: _decode_as(str, "text"),
    bool: _decode_as(bool, "true or false"),
}

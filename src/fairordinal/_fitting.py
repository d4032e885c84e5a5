"""Estimators learn wholly or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def wholly(fit: Callable[Concatenate[Any, Arguments], Result]) -> Callable[..., Result]:
    """Let a method learn wholly or not at all: if it fails, the estimator is as it was.

    The method works on a copy without what was learned before, so that nothing of an earlier fit
    is left either. The copy's state becomes that of the estimator in one step: no error and no
    Ctrl-C can come in between, and other threads see the old state or the new one.
    """

    @wraps(fit)
    def all_or_nothing(self: Any, *args: Arguments.args, **options: Arguments.kwargs) -> Result:
        fresh = object.__new__(type(self))
        fresh.__dict__ = {name: value for name, value in vars(self).items() if not _learned(name)}
        result = fit(fresh, *args, **options)
        self.__dict__ = fresh.__dict__
        return self if result is fresh else result

    return all_or_nothing


def _learned(name: str) -> bool:
    """Whether an attribute is called like one that `fit` sets."""
    return name.endswith("_") and not name.startswith("_")

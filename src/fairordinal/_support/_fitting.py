"""Helpers for functions that learn: all or nothing, one thread for linear algebra, and memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

MOST_KEPT = (32 << 20) - (1 << 16)  # bytes; glibc adapts to blocks of less than 32 MB

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


_at_work = Lock()


def one_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a function use BLAS with one thread.

    Matrices here are small — histograms, blocks of rows, tables of cuts — and steps are many:
    threads of BLAS wait for one another longer than they work. On two busy cores they made a path
    of rankers ten times as slow. One thread also makes results independent of the machine's number
    of cores.

    Of several threads of Python, the first sets the limit and lifts it; the others leave it alone,
    for what they would restore is not what was there before.
    """

    @wraps(work)
    def calm(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        if not _at_work.acquire(blocking=False):
            return work(*args, **options)
        try:
            with _libraries().limit(limits=1, user_api="blas"):
                return work(*args, **options)
        finally:
            _at_work.release()

    return calm


@cache
def _libraries() -> ThreadpoolController:
    """The libraries in use; NumPy's and SciPy's are loaded by the first call."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def keep_freed_memory() -> None:
    """Let the process keep up to 64 MB of freed memory, for the next arrays.

    The C library of Linux (glibc) returns large arrays to the system when they are freed. Steps of
    a fit allocate the same arrays again and again, and new pages from the system took more than
    half of their time. glibc adapts to the largest block that was freed: it keeps up to twice its
    size.
    """
    import numpy as np

    np.empty(MOST_KEPT, dtype=np.uint8)  # its pages are never touched

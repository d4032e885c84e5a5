"""One thread for linear algebra.

Matrices here are small — histograms, blocks of rows, tables of cuts — and steps are many: threads
of BLAS wait for one another longer than they work. On two busy cores they made a path of rankers
ten times as slow. One thread also makes results independent of the machine's number of cores.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@cache
def _libraries() -> ThreadpoolController:
    """The libraries in use; NumPy's and SciPy's are loaded by the first call."""
    return ThreadpoolController()


def one_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a function use BLAS with one thread."""

    @wraps(work)
    def calm(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        with _libraries().limit(limits=1, user_api="blas"):
            return work(*args, **options)

    return calm

"""One thread for linear algebra.

Matrices here are small — histograms, blocks of rows, tables of cuts — and steps are many: threads
of BLAS wait for one another longer than they work. On two busy cores they made a path of rankers
ten times as slow. One thread also makes results independent of the machine's number of cores.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@cache
def _libraries() -> ThreadpoolController:
    """The libraries in use; NumPy's and SciPy's are loaded by the first call."""
    return ThreadpoolController()


_at_work = Lock()


def one_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a function use BLAS with one thread.

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

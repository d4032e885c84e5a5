"""Progress of long computations on standard error; off by default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fairordinal._support._escapes import visible

_SHOWN: ContextVar[bool] = ContextVar("fairordinal_progress", default=False)

Say = Callable[[str], None]  # shows a message beside the title


@contextmanager
def show_progress(show: bool = True) -> Iterator[None]:
    """Context manager that shows the progress of long computations on standard error.

    Parameters
    ----------
    show : bool, default=True
        Whether to show progress; False hides it inside of another `show_progress`.

    Yields
    ------
    None
        Progress is shown inside of the ``with`` block.

    Examples
    --------
    >>> from fairordinal import optimize_thresholds, show_progress
    >>> with show_progress(False):
    ...     result = optimize_thresholds(
    ...         [0.1, 0.2, 0.3, 0.4], [1, 1, 2, 2], sensitive_features=list("abab"), trade_off=0.5)
    """
    token = _SHOWN.set(show)
    try:
        yield
    finally:
        _SHOWN.reset(token)


@contextmanager
def progress(title: str) -> Iterator[Say | None]:
    """Show a spinner; yield a function that changes its text, or None if progress is off."""
    if not _SHOWN.get():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    spinner = SpinnerColumn("dots" if console.encoding.startswith("utf") else "line")
    columns = (spinner, TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(visible(title), total=None)
        yield lambda state: bar.update(task, description=visible(f"{title}: {state}"))


@contextmanager
def progress_bar(title: str, total: int, *, done: int = 0) -> Iterator[Say]:
    """Show a bar with the remaining time; yield a function to call with each finished item."""
    if not _SHOWN.get():
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(visible(title), total=total, completed=done)
        yield lambda name: bar.update(task, advance=1, description=visible(f"{title}, last {name}"))

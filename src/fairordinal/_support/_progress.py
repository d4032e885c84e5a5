"""Progress of long computations on standard error: what is done, which share, and the time left.

`progress` opens a display. `part` and `steps` divide the work: a part of a part is a share of its
share. `advance` tells how much of the innermost part is done. They do nothing if no display is
open, so that functions deep inside can call them in any case.

Shares are estimates, and each says which work they count. The time left follows from the time
per share. It is hidden until it is known well enough (`TimeLeft`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fairordinal._support._messages import visible

Item = TypeVar("Item")

LEAST_SECONDS = 0.1  # between two updates with the same text
FIRST_SECONDS, FIRST_SHARE = 5.0, 0.1  # of the work, after which the time left may be shown
CHECKED_SHARE = 0.01  # of the work, after which its time is noted
AGREEING, DISAGREEING = 1.4, 2.0  # factors between the speeds of both halves: show, and hide again

_SHOWN: ContextVar[bool] = ContextVar("fairordinal_progress", default=False)
_DISPLAY: ContextVar[_Display | None] = ContextVar("fairordinal_display", default=None)


@contextmanager
def show_progress(show: bool = True) -> Iterator[None]:
    """Context manager that shows the progress of long computations on standard error.

    It shows what is done, the share of the work that is done, and the time left as soon as it is
    known well enough. Nothing is shown if standard error is neither a terminal nor a notebook.
    Results are the same with and without it.

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
def progress(title: str) -> Iterator[None]:
    """Open a display; inside of another one, the block is a part of that.

    The other one then has this title, unless it shows a part.
    """
    console = _console() if _SHOWN.get() and _DISPLAY.get() is None else None
    if console is None:
        _replace_title(title)
        yield
        return
    with _bar(console) as bar:
        token = _DISPLAY.set(_Display(title, bar))
        try:
            yield
        finally:
            _DISPLAY.reset(token)


def _replace_title(title: str) -> None:
    display = _DISPLAY.get()
    if display is not None and display.part is display.whole:
        display.whole.text = title


@contextmanager
def part(share: float = 1.0, text: str = "") -> Iterator[None]:
    """Work that takes a share of the enclosing part, at most the rest of it.

    Without a text, it has that of the enclosing part.
    """
    display = _DISPLAY.get()
    if display is None:
        yield
        return
    whole = display.part
    display.part = whole.next(share, text)
    display.show(0.0)
    try:
        yield
    finally:
        whole.done = display.part.end
        display.part = whole


def steps(items: Sequence[Item], text: str = "", *, share: float = 1.0) -> Iterator[Item]:
    """Go through items, which take equal parts of a share of the enclosing part.

    With a text, the number of the item is shown, too.
    """
    with part(share):
        for number, item in enumerate(items):
            with part(1.0 / len(items), text and f"{text} {number + 1} of {len(items)}"):
                yield item


def awaited(
    results: Iterable[Item], n_results: int, text: str, *, share: float = 1.0
) -> Iterator[Item]:
    """Pass on results of joblib's generators, each of which is computed while it is awaited.

    They take equal parts of a share of the enclosing part.
    """
    waiting = iter(results)
    for _ in steps(range(n_results), text, share=share):
        yield next(waiting)


def advance(share: float = 0.0, note: str = "") -> None:
    """Say which share of the innermost part is done; show a note beside its text.

    If the share is not known, a note alone shows that the work goes on. A note stays until there is
    another one, or another part with a text.
    """
    display = _DISPLAY.get()
    if display is not None:
        display.show(share, note)


@dataclass
class _Part:
    """A part of the work: from the share `done` of all work to the share `end`."""

    done: float
    end: float
    text: str
    width: float = field(init=False)

    def __post_init__(self) -> None:
        self.width = self.end - self.done

    def next(self, share: float, text: str) -> _Part:
        """The next part inside of this one, which takes a share of it, at most the rest."""
        end = min(self.done + share * self.width, self.end)
        return _Part(self.done, end, text or self.text)


class _Display:
    """A line in a terminal: what is done, its share of all work, and times."""

    def __init__(self, title: str, bar: Any) -> None:
        self.whole, self.share = _Part(0.0, 1.0, title), 0.0
        self.part = self.whole
        self._left, self._text, self._note, self._last = TimeLeft(), "", "", 0.0
        self._bar = bar
        self._task = bar.add_task(visible(title), total=None, share="", left=self._left)

    def show(self, share: float, note: str = "") -> None:
        """Show the share of a part that is done; the share of all work never falls."""
        part, now = self.part, time.monotonic()
        self.share = max(self.share, part.done + min(share, 1.0) * (part.end - part.done))
        self._left.add(now, self.share)
        is_new = part.text != self._text
        self._note = note if note or is_new else self._note
        if not is_new and now - self._last < LEAST_SECONDS:
            return
        self._text, self._last = part.text, now
        known = {"total": 1.0, "share": f"{int(100 * self.share)} %"} if self.share else {}
        text = f"{part.text}, {self._note}" if self._note else part.text
        self._bar.update(self._task, completed=self.share, description=visible(text), **known)


class TimeLeft:
    """The time left, as text: empty until it is known well enough.

    It is known well enough if the second half of the work so far was done about as fast as the
    first half: then shares are good estimates, and the rest will take as long for each share.
    """

    def __init__(self) -> None:
        self._known: list[tuple[float, float]] = []  # times and shares, `CHECKED_SHARE` apart
        self._share, self._is_known = 0.0, False

    def add(self, now: float, share: float) -> None:
        """Note that a share of the work is done."""
        self._share = share
        if not self._known or share - self._known[-1][1] >= CHECKED_SHARE:
            self._known.append((now, share))

    def seconds(self, now: float) -> float | None:
        """The seconds left; None if they are not known well enough."""
        if not self._known:
            return None
        start, first = self._known[0]
        done, elapsed = self._share - first, now - start
        if elapsed < FIRST_SECONDS or done < FIRST_SHARE * (1.0 - first):
            return None
        middle, half = next(known for known in self._known if known[1] >= first + done / 2)
        earlier, later = (half - first) / (middle - start), (self._share - half) / (now - middle)
        most = DISAGREEING if self._is_known else AGREEING
        self._is_known = earlier / most <= later <= earlier * most
        return (1.0 - self._share) * elapsed / done if self._is_known else None

    def __str__(self) -> str:
        seconds = self.seconds(time.monotonic())
        return "" if seconds is None else f"{_in_words(seconds)} left"


def _in_words(seconds: float) -> str:
    """A duration, not more precise than it is known."""
    if seconds < 55:
        return f"about {max(5 * round(seconds / 5), 5)} s"
    if seconds < 55 * 60:
        return f"about {round(seconds / 60)} min"
    return f"about {round(seconds / 3600)} h"


def _console() -> Any:
    """The console of standard error; None if it is neither a terminal nor a notebook."""
    from rich.console import Console

    console = Console(stderr=True)
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    is_terminal = is_terminal and not console.is_dumb_terminal
    return console if is_terminal or console.is_jupyter else None


def _bar(console: Any) -> Any:
    """One line: the text takes the width that the other columns leave."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    text = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    return Progress(
        SpinnerColumn("dots" if console.encoding.startswith("utf") else "line"),
        TextColumn("{task.description}", markup=False, table_column=text),
        BarColumn(bar_width=12),
        TextColumn("{task.fields[share]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=console,
        transient=console.is_terminal,
        expand=True,
    )

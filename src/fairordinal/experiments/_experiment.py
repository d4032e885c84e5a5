"""An experiment of the paper: what is computed, drawn, and compared with what is printed."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._files import write_whole
from fairordinal._render import text_table
from fairordinal.experiments._cell import Cell, Row


class Finding(NamedTuple):
    """Something that the paper says, and what is found here."""

    claim: str
    paper: str
    here: str
    agrees: bool | None = None  # None: nothing to agree with

    @property
    def verdict(self) -> str:
        return {True: "yes", False: "no", None: "–"}[self.agrees]


@dataclass(frozen=True)
class Options:
    """How much of an experiment is computed."""

    splits: int | None = None  # None: all that the paper uses
    quick: bool = False
    methods: tuple[str, ...] = ()  # of ORCA; none: all


@dataclass(frozen=True)
class Experiment:
    """By name: its cells, pictures and findings."""

    name: str
    title: str
    cells: Callable[[Options], Sequence[Cell]]
    findings: Callable[[Sequence[Row]], list[Finding]]
    pictures: dict[str, Callable[[Sequence[Row]], Any]] = field(default_factory=dict)
    takes_methods: bool = False  # whether Options.methods says anything


HEADER = ("claim", "paper", "here", "agrees")


def as_text(findings: Sequence[Finding]) -> str:
    """For a terminal."""
    return text_table(HEADER, [(*finding[:3], finding.verdict) for finding in findings], range(4))


def as_markdown(title: str, findings: Sequence[Finding]) -> str:
    """For a file."""
    rows = [HEADER, ("---",) * 4, *((*finding[:3], finding.verdict) for finding in findings)]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([f"# {title}", "", *lines, ""])


def draw(experiment: Experiment, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Pictures of an experiment, as files; ImportError if there is nothing to draw with."""
    paths = []
    for name, picture in experiment.pictures.items():
        figure, content = picture(rows), io.BytesIO()
        figure.savefig(content, dpi=100, format="png")
        figure.clear()
        paths.append(folder / f"{name}.png")
        write_whole(paths[-1], content.getvalue())
    return paths

"""An experiment of the paper: its cells, its pictures, and its findings as text and files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._render import text_table
from fairordinal._support import write_whole
from fairordinal.experiments._cells import ExperimentCell, Row

HEADER = ("claim", "paper", "here", "agrees")
NOT_STATED = "–"  # the paper says nothing about it


class ClaimCheck(NamedTuple):
    """A claim of the paper, and the result of this reproduction.

    Attributes
    ----------
    claim : str
        What is compared.
    paper : str
        What the paper says.
    here : str
        What was found here.
    agrees : bool or None
        Whether the two agree; None if the paper says nothing.
    """

    claim: str
    paper: str
    here: str
    agrees: bool | None = None

    @property
    def verdict(self) -> str:
        return {True: "yes", False: "no", None: "–"}[self.agrees]


@dataclass(frozen=True)
class Options:
    """How much of an experiment is computed.

    Attributes
    ----------
    splits : int or None
        Number of splits; None for all splits of the paper.
    quick : bool
        Use every other value of ORCA's grids.
    methods : tuple of str
        Names of ORCA's methods; empty for all.
    """

    splits: int | None = None
    quick: bool = False
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """An experiment with a name.

    Attributes
    ----------
    name : str
        Name on the command line and of files.
    title : str
        First line of the report.
    cells : callable
        Returns the cells for given options.
    findings : callable
        Returns the findings for the rows of the finished cells.
    pictures : dict of callable
        Functions that draw the rows, by the name of the file.
    takes_methods : bool
        Whether `Options.methods` has an effect.
    """

    name: str
    title: str
    cells: Callable[[Options], Sequence[ExperimentCell]]
    findings: Callable[[Sequence[Row]], list[ClaimCheck]]
    pictures: dict[str, Callable[[Sequence[Row]], Any]] = field(default_factory=dict)
    takes_methods: bool = False


# Findings and rows as text


def as_text(findings: Sequence[ClaimCheck]) -> str:
    """Return a table of findings for a terminal."""
    return text_table(HEADER, [(*finding[:3], finding.verdict) for finding in findings], range(4))


def as_markdown(title: str, findings: Sequence[ClaimCheck]) -> str:
    """Return a table of findings in Markdown."""
    rows = [HEADER, ("---",) * 4, *((*finding[:3], finding.verdict) for finding in findings)]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([f"# {title}", "", *lines, ""])


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV, with the columns of all rows."""
    columns = [*dict.fromkeys(key for row in rows for key in row)]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


# Files


def write_texts(
    experiment: Experiment, rows: Sequence[Row], findings: Sequence[ClaimCheck], folder: Path
) -> list[Path]:
    """Write the rows as CSV and the findings as Markdown, and return the paths."""
    texts = {"csv": as_csv(rows), "md": as_markdown(experiment.title, findings)}
    for suffix, text in texts.items():
        write_whole(folder / f"{experiment.name}.{suffix}", text)
    return [folder / f"{experiment.name}.{suffix}" for suffix in texts]


def draw_pictures(experiment: Experiment, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write the pictures as PNG, and return the paths; ImportError without matplotlib."""
    paths = []
    for name, picture in experiment.pictures.items():
        figure, content = picture(rows), io.BytesIO()
        figure.savefig(content, dpi=100, format="png")
        figure.clear()
        paths.append(folder / f"{name}.png")
        write_whole(paths[-1], content.getvalue())
    return paths

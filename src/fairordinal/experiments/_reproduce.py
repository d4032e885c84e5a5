"""Run an experiment: finish its cells, write the rows, the pictures and the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairordinal._escapes import visible
from fairordinal._files import write_whole
from fairordinal._validation import check_choice, check_whole
from fairordinal.baselines import orca_methods
from fairordinal.experiments._cell import Row
from fairordinal.experiments._experiment import (
    Experiment,
    Finding,
    Options,
    as_markdown,
    as_text,
    draw,
)
from fairordinal.experiments._run import Failure, run
from fairordinal.experiments._store import Store, as_csv, check_folder
from fairordinal.experiments.figures import figure1, figure2, lemmas, simulation, tables, tshirts

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for module in (figure1, figure2, simulation, lemmas, tshirts, tables)
    for experiment in module.EXPERIMENTS
}


@dataclass(frozen=True)
class Report:
    """What an experiment found, and where it was written."""

    experiment: Experiment
    findings: list[Finding]
    files: list[Path]
    failures: list[Failure]
    seconds: float
    note: str = ""  # why there are no pictures

    def __str__(self) -> str:
        lines = [self.experiment.title, "", as_text(self.findings), ""]
        lines += [visible(f"not finished: {title}: {why}") for title, why in self.failures]
        lines += [self.note] if self.note else []
        files = visible(", ".join(map(str, self.files)))
        lines += [f"{self.seconds:.0f} s of CPU time. Written: {files}"]
        return "\n".join(lines)


def reproduce(
    name: str,
    *,
    splits: int | None = None,
    quick: bool = False,
    methods: tuple[str, ...] = (),
    n_jobs: int = 1,
    out: str | Path = "results",
) -> Report:
    """Reproduce an experiment of the paper.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    splits : int, default=None
        How many splits into training and test rows; None takes all of the paper.
    quick : bool, default=False
        Take three splits, unless `splits` is given, and every other value of ORCA's grids.
    methods : tuple of str, default=()
        Of ORCA, by name, in figure 2; none means all.
    n_jobs : int, default=1
        How many processes; -1 means one for each core.
    out : path, default="results"
        Folder for finished cells, rows (CSV), pictures (PNG) and the comparison (Markdown). What
        is finished there is not computed again, whatever ended an earlier run. Without matplotlib
        there are no pictures, and the report says so.

    Returns
    -------
    report : Report
        What the paper says and what is found here.
    """
    experiment = EXPERIMENTS[check_choice(name, "name", tuple(EXPERIMENTS))]
    options = read_options(experiment, splits, quick, methods)
    if n_jobs != -1:
        check_whole(n_jobs, "n_jobs", least=1)
    folder = check_folder(Path(out))
    outcome = run(experiment.cells(options), Store(folder), n_jobs=n_jobs)
    findings = experiment.findings(outcome.rows)
    files = write_texts(experiment, outcome.rows, findings, folder)
    note = ""
    try:
        files += draw(experiment, outcome.rows, folder)
    except ImportError as error:
        note = f"No pictures: {error}"
    return Report(experiment, findings, files, outcome.failures, outcome.seconds, note)


def read_options(
    experiment: Experiment, splits: int | None, quick: bool, methods: tuple[str, ...]
) -> Options:
    """Refuse at once what would fail after hours, or be ignored."""
    if splits is not None:
        check_whole(splits, "splits", least=1)
    for method in methods:
        check_choice(method, "methods", orca_methods())
    if methods and not experiment.takes_methods:
        raise ValueError(
            f"methods must be left out: {experiment.name} does not compare methods of ORCA, "
            f"got {list(methods)}."
        )
    return Options(splits or (3 if quick else None), quick, methods)


def write_texts(
    experiment: Experiment, rows: Sequence[Row], findings: Sequence[Finding], folder: Path
) -> list[Path]:
    """Tidy rows, and the comparison with the paper."""
    texts = {"csv": as_csv(rows), "md": as_markdown(experiment.title, findings)}
    for suffix, text in texts.items():
        write_whole(folder / f"{experiment.name}.{suffix}", text)
    return [folder / f"{experiment.name}.{suffix}" for suffix in texts]

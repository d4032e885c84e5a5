"""Run an experiment by name, and write its rows, its pictures and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairordinal._support import visible
from fairordinal._validation import check_choice, check_whole
from fairordinal.baselines import orca_methods
from fairordinal.experiments._experiment import (
    ClaimCheck,
    Experiment,
    Options,
    as_text,
    draw_pictures,
    write_texts,
)
from fairordinal.experiments._run import Failure, Store, check_folder, run
from fairordinal.experiments.figures import figure1, figure2, lemmas, simulation, tables, tshirts

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for module in (figure1, figure2, simulation, lemmas, tshirts, tables)
    for experiment in module.EXPERIMENTS
}


@dataclass(frozen=True)
class Reproduction:
    """Findings of an experiment, and the files that were written.

    Attributes
    ----------
    experiment : Experiment
        The experiment.
    findings : list of Finding
        Claims of the paper, compared with the results.
    files : list of Path
        Files that were written.
    failures : list of Failure
        Titles and errors of cells that are not finished.
    seconds : float
        CPU time of all cells, including earlier runs.
    note : str
        Why there are no pictures; empty if there are.
    """

    experiment: Experiment
    findings: list[ClaimCheck]
    files: list[Path]
    failures: list[Failure]
    seconds: float
    note: str = ""

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
) -> Reproduction:
    """Reproduce an experiment of the paper.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    splits : int, default=None
        Number of splits into training and test rows; None takes all splits of the paper.
    quick : bool, default=False
        Take three splits, unless `splits` is given, and every other value of ORCA's grids.
    methods : tuple of str, default=()
        Names of ORCA's methods in figure 2; empty means all.
    n_jobs : int, default=1
        Number of processes; -1 means one for each core.
    out : path, default="results"
        Folder for finished cells, rows (CSV), pictures (PNG) and findings (Markdown). Cells that
        are finished there are not computed again, so that an interrupted run can be resumed.
        Without matplotlib there are no pictures, and the report says so.

    Returns
    -------
    report : Reproduction
        The claims of the paper, compared with the results.
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
        files += draw_pictures(experiment, outcome.rows, folder)
    except ImportError as error:
        note = f"No pictures: {error}"
    return Reproduction(experiment, findings, files, outcome.failures, outcome.seconds, note)


def read_options(
    experiment: Experiment, splits: int | None, quick: bool, methods: tuple[str, ...]
) -> Options:
    """Check the options, so that wrong ones are refused before anything is computed."""
    if splits is not None:
        check_whole(splits, "splits", least=1)
    for method in methods:
        check_choice(method, "methods", orca_methods())
    if methods and not experiment.takes_methods:
        raise ValueError(
            f"methods must be empty: {experiment.name} does not compare methods of ORCA, "
            f"got {list(methods)}."
        )
    return Options(splits or (3 if quick else None), quick, methods)

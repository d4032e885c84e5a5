"""Run an experiment: finish its cells, write the rows, the pictures and the comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairordinal._validation import check_choice
from fairordinal.experiments._experiment import (
    Experiment,
    Finding,
    Options,
    as_markdown,
    as_text,
    draw,
)
from fairordinal.experiments._run import run
from fairordinal.experiments._store import Store, as_csv, write_whole
from fairordinal.experiments.figures import figure1, figure2

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (*figure1.EXPERIMENTS, *figure2.EXPERIMENTS)
}


@dataclass(frozen=True)
class Report:
    """What an experiment found, and where it was written."""

    experiment: Experiment
    findings: list[Finding]
    files: list[Path]
    failures: dict[str, str]
    seconds: float

    def __str__(self) -> str:
        lines = [self.experiment.title, "", as_text(self.findings), ""]
        lines += [f"not finished: {title}: {why}" for title, why in self.failures.items()]
        lines += [f"{self.seconds:.0f} s of CPU time. Written: {', '.join(map(str, self.files))}"]
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
        How many processes.
    out : path, default="results"
        Folder for finished cells, rows (CSV), pictures (PNG) and the comparison (Markdown). What
        is finished there is not computed again, whatever ended an earlier run.

    Returns
    -------
    report : Report
        What the paper says and what is found here.
    """
    check_choice(name, "name", tuple(EXPERIMENTS))
    experiment, folder = EXPERIMENTS[name], Path(out)
    options = Options(splits or (3 if quick else None), quick, methods)
    outcome = run(experiment.cells(options), Store(folder), n_jobs=n_jobs)
    findings = experiment.findings(outcome.rows)
    texts = {".csv": as_csv(outcome.rows), ".md": as_markdown(experiment.title, findings)}
    for suffix, text in texts.items():
        write_whole(folder / f"{name}{suffix}", text)
    files = [folder / f"{name}{suffix}" for suffix in texts]
    files += draw(experiment, outcome.rows, folder)
    return Report(experiment, findings, files, outcome.failures, outcome.seconds)

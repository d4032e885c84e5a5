"""`fairordinal reproduce`: an experiment of the paper, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairordinal._progress import show_progress
from fairordinal.cli._app import resumable
from fairordinal.cli._streams import show

# the experiments themselves are imported when one is run
NAMES = (
    "figure1, figure1-finer, three-groups, asymmetric-cost, figure2, simulation, lemmas, tshirts, "
    "tables"
)


def reproduce(
    name: Annotated[str, typer.Argument(help=f"One of {NAMES}.")],
    splits: Annotated[
        int | None, typer.Option(min=1, help="How many splits; all of the paper by default.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Three splits, and small grids for the methods of ORCA.")
    ] = False,
    method: Annotated[
        list[str] | None,
        typer.Option(help="A method of ORCA, in figure2; repeat it for more. All by default."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="How many processes; -1 takes all cores.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("results"),
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Reproduce an experiment of the paper: rows, pictures, and what the paper says.

    Finished parts are kept in the folder and not computed again, so that a run that was stopped,
    or killed, goes on where it was.

    Examples
    --------
        fairordinal reproduce figure1 --splits 1 --jobs 2

        fairordinal reproduce figure2 --quick --method POM --method SVORIM
    """
    from fairordinal.experiments import reproduce as run_experiment

    with resumable(), show_progress(not quiet):
        report = run_experiment(
            name, splits=splits, quick=quick, methods=tuple(method or ()), n_jobs=jobs, out=out
        )
    show(str(report))
    if report.failures:
        raise typer.Exit(1)

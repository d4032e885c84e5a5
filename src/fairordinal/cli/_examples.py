"""`fairordinal demo` and `fairordinal reproduce`: commands that bring their own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._support import show_progress, visible
from fairordinal.cli._frontier import as_text, describe, write_report
from fairordinal.cli._output import resumable, show, shows_progress
from fairordinal.cli._wording import as_shown

LIMIT = 0.1  # of the violation in the demo
# of experiments; the experiments themselves are imported when one is run
NAMES = (
    "figure1, figure1-finer, three-groups, asymmetric-cost, figure2, simulation, lemmas, tshirts, "
    "tables"
)


def demo(
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for the model and the report.", metavar="FOLDER"),
    ] = Path("fairordinal-demo"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.", metavar="")] = False,
) -> None:
    """Audit a model, show the frontier, choose a fair model, and write a report.

    Five levels of the progression of diabetes are predicted for 442 patients, on data that comes
    with scikit-learn. The groups are their sexes, which are not inputs of any model.
    """
    frame = table_of_patients()
    show("1. Is a linear regression fair between the sexes, if the sex is not an input?\n")
    show(as_shown(audit_regression(frame).__str__))
    show("\n2. What does it cost to be fair?\n")
    with show_progress(shows_progress(quiet)):
        rows, models = fit_frontier(frame)
    chosen = models.select(max_violation=LIMIT)
    show(as_text(models, chosen, "the report"))
    show(describe(models, chosen, LIMIT))
    show("\n3. Written for you to look at, and to predict with:")
    for path in write_results(out, rows, models, chosen):
        show(f"   {visible(str(path))}")


def table_of_patients() -> dict[str, Any]:
    """Return the data as a table with named columns."""
    from fairordinal.datasets import load_diabetes

    data = load_diabetes()
    columns = dict(zip(data.feature_names, data.data.T, strict=True))
    return columns | {"sex": data.sensitive_features, "level": data.target}


def audit_regression(frame: dict[str, Any]) -> Any:
    """Audit the rounded out-of-fold predictions of a linear regression."""
    import numpy as np
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_predict

    from fairordinal._audit import audit

    X = np.column_stack([column for name, column in frame.items() if name not in ("sex", "level")])
    scores = cross_val_predict(LinearRegression(), X, frame["level"])
    predicted = scores.round().clip(0, 4)
    return audit(frame["level"], predicted, sensitive_features={"sex": frame["sex"]})


def fit_frontier(frame: dict[str, Any]) -> tuple[Any, Any]:
    """Return the training rows, and a frontier that is fitted to them."""
    from fairordinal.frontier import FairOrdinalFrontier
    from fairordinal.models import TrainingTable

    rows = TrainingTable.read(frame, y="level", sensitive_features="sex")
    models = FairOrdinalFrontier("equal_opportunity", cv=3)
    return rows, models.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)


def write_results(folder: Path, rows: Any, models: Any, chosen: Any) -> list[Path]:
    """Write the report and the chosen model; return the paths."""
    from fairordinal.models import save_model

    report, model = folder / "report.html", folder / "model.json"
    save_model(rows.model(chosen), model)
    write_report(report, "Progression of diabetes", rows, models, chosen, LIMIT)
    return [report, model]


def reproduce(
    name: Annotated[str, typer.Argument(help=f"One of {NAMES}.", metavar="NAME")],
    splits: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of splits; all of the paper by default.", metavar="NUMBER"
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Three splits, and small grids for the methods of ORCA.", metavar=""
        ),
    ] = False,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="A method of ORCA, in figure2; repeat it for more. All by default.",
            metavar="METHOD",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Number of processes; -1 for all cores.", metavar="NUMBER")
    ] = 1,
    out: Annotated[Path, typer.Option(help="Folder for results.", metavar="FOLDER")] = Path(
        "results"
    ),
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.", metavar="")] = False,
) -> None:
    """Reproduce an experiment of the paper: results, figures, and the claims of the paper.

    Finished parts are kept in the folder and not computed again, so that a run that was stopped or
    killed can be continued.

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

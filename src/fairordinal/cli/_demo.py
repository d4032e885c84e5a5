"""`fairordinal demo`: from an unfair model to a fair one, on data that comes with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._escapes import visible
from fairordinal._progress import show_progress
from fairordinal.cli._frontier import describe, write_report
from fairordinal.cli._output import wanted
from fairordinal.cli._streams import show

LIMIT = 0.1


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the model and the report.")
    ] = Path("fairordinal-demo"),
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Audit a model, see what fairness costs, choose a fair model, and write a report.

    Five levels of the progression of diabetes are predicted for 442 patients; the groups are their
    sexes, which no model sees.
    """
    frame = table_of_patients()
    show("1. Is a linear regression, which does not know the sex, fair between the sexes?\n")
    found = audit_regression(frame)
    show(str(found))
    show("\n2. What does it cost to be fair?\n")
    with show_progress(wanted(quiet)):
        rows, models = learn_frontier(frame)
    show(str(models))
    chosen = models.select(max_violation=LIMIT)
    show(describe(chosen, LIMIT))
    show("\n3. Written for you to look at, and to predict with:")
    for path in write_results(out, found, rows, models, chosen):
        show(f"   {visible(str(path))}")


def table_of_patients() -> dict[str, Any]:
    """The data as a table with named columns."""
    from fairordinal.datasets import load_diabetes

    data = load_diabetes()
    columns = dict(zip(data.feature_names, data.data.T, strict=True))
    return columns | {"sex": data.sensitive_features, "level": data.target}


def audit_regression(frame: dict[str, Any]) -> Any:
    """The audit of rounded predictions, each of a patient that the model was not fitted to."""
    import numpy as np
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_predict

    from fairordinal._audit import audit

    X = np.column_stack([column for name, column in frame.items() if name not in ("sex", "level")])
    scores = cross_val_predict(LinearRegression(), X, frame["level"])
    predicted = scores.round().clip(0, 4)
    return audit(frame["level"], predicted, sensitive_features={"sex": frame["sex"]})


def learn_frontier(frame: dict[str, Any]) -> tuple[Any, Any]:
    """Rows to learn from, and models between accurate and fair."""
    from fairordinal.frontier import FairOrdinalFrontier
    from fairordinal.models import TrainingTable

    rows = TrainingTable.read(frame, y="level", sensitive_features="sex")
    models = FairOrdinalFrontier("equal_opportunity", cv=3)
    return rows, models.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)


def write_results(folder: Path, found: Any, rows: Any, models: Any, chosen: Any) -> list[Path]:
    """The report and the chosen model."""
    from fairordinal.models import save_model

    report, model = folder / "report.html", folder / "model.json"
    save_model(rows.model(chosen), model)
    write_report(report, "Progression of diabetes", rows, models, chosen, LIMIT, audit=found)
    return [report, model]

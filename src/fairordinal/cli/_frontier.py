"""`fairordinal frontier`: fit the Pareto frontier of cost and violation, and choose a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._render import paragraphs
from fairordinal._source import describe_missing, open_table
from fairordinal._validation import check_fraction
from fairordinal.cli._app import (
    Basis,
    Cost,
    Criterion,
    Decimal,
    Encoding,
    Features,
    File,
    Groups,
    HigherIs,
    Html,
    Ignored,
    Json,
    Label,
    LimitConfidence,
    Missing,
    ModelFile,
    Order,
    Quiet,
    Separator,
    Sheet,
    Weight,
    Weights,
    check_different,
)
from fairordinal.cli._choices import kind_of_weights
from fairordinal.cli._input import Table, described_weights, read_table, reading, rows_located
from fairordinal.cli._output import (
    check_outputs,
    progress_and_notes,
    show,
    show_note,
    show_written,
    wrapped,
    write_json,
    write_page,
)
from fairordinal.cli._wording import in_options


def frontier(
    file: File,
    y: Label,
    group: Groups,
    max_violation: Annotated[
        float | None,
        typer.Option(
            help="Choose the cheapest model within this limit; else the knee.",
            min=0.0,
            metavar="NUMBER",
        ),
    ] = None,
    confidence: LimitConfidence = None,
    out: ModelFile = None,
    html: Html = None,
    json_file: Json = None,
    criterion: Criterion = "demographic_parity",
    cost: Cost = "absolute",
    basis: Basis = "auto",
    higher_is: HigherIs = None,
    feature: Features = None,
    ignore: Ignored = None,
    weight: Weight = None,
    weights: Weights = "frequency",
    order: Order = None,
    jobs: Annotated[
        int, typer.Option(help="Number of processes; -1 for all cores.", metavar="NUMBER")
    ] = 1,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Fit models from accurate to fair, show the frontier, and choose one.

    Examples
    --------
        fairordinal frontier data.csv --y grade --group sex --html report.html

        fairordinal frontier data.csv --y grade --group sex --max-violation 0.05 -o model.json
    """
    from fairordinal.models import save_model

    if confidence is not None:
        check_fraction(confidence, "--confidence")
        if max_violation is None:
            raise ValueError("--confidence needs --max-violation, such as 0.05.")
    if jobs == 0:
        raise ValueError("--jobs must be a number of processes, or -1 for all cores, got 0.")
    weights = kind_of_weights(weights, weight)
    check_outputs({"--out": out, "--html": html, "--json": json_file}, [file])
    check_different(
        {"--y": y, "--group": group, "--feature": feature, "--ignore": ignore, "--weight": weight}
    )
    table_file = open_table(
        file,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
        sheet=sheet,
    )
    with progress_and_notes(quiet), reading(table_file), rows_located(table_file):
        table = read_table(
            table_file, y, group, order, feature or [], ignore or [], weight, weights
        )
        for note in table.notes if not quiet else ():
            show_note(note)
        rows, found = fit_frontier(
            *(table, y, group, feature, ignore, criterion, cost, jobs, basis), weight=weight
        )
    if max_violation is None:
        chosen = found.select(knee=True)
    else:
        chosen = found.select(max_violation=max_violation, confidence=confidence)
    show(in_options(as_text(found, chosen, "--json")))
    show(describe(found, chosen, max_violation))
    one = chosen.result_.near_constant
    if one is not None:
        show(
            wrapped(
                f"{one}: this model hardly tells people apart. To choose another one, pass a "
                "higher --max-violation."
            )
        )
    table.show_missing(rows.data)
    if json_file:
        near_constant = {"near_constant": None if one is None else one._asdict()}
        write_json(json_file, as_json(found, table, rows.data) | near_constant)
    if out:
        save_model(rows.model(chosen), out)
    if html:
        data = describe_data(rows.data) | _describe_missing(table, rows.data)
        data |= described_weights(weight, weights, effective=True)
        write_report(
            *(html, f"Models for {table_file.path.name}", rows, found, chosen, max_violation),
            data=data,
            higher_is=higher_is,
        )
    show_written(out, html, json_file)


def fit_frontier(
    table: Table,
    y: str,
    groups: list[str],
    features: list[str] | None,
    ignore: list[str] | None,
    criterion: str,
    cost: str,
    jobs: int,
    basis: str = "auto",
    *,
    weight: str | None = None,
) -> tuple[Any, Any]:
    """Return the training rows of a table, and a frontier that is fitted to them."""
    from fairordinal.frontier import FairOrdinalFrontier
    from fairordinal.models import TrainingTable

    rows = TrainingTable.read(
        table.frame,
        y=y,
        sensitive_features=groups,
        features=features or None,
        ignore=ignore or (),
        sample_weight=weight,
    )
    found = FairOrdinalFrontier(
        criterion, cost_matrix=cost, labels=table.labels, n_jobs=jobs, basis=basis
    )
    return rows, rows.fit(found)


def as_text(found: Any, chosen: Any, has_all: str) -> str:
    """Return a frontier as text, with the chosen model marked; `has_all` has all models."""
    from fairordinal.frontier import frontier_text

    return frontier_text(found, number_of(found, chosen), has_all=has_all, closing=())


def number_of(found: Any, chosen: Any) -> int:
    """Return the number of a model that was selected from a frontier."""
    from fairordinal.plotting import model_number

    number = model_number(found, chosen)
    assert number is not None
    return number


def describe(found: Any, chosen: Any, limit: float | None) -> str:
    """Return sentences about the chosen model: its estimates, and the price of fairness."""
    from fairordinal.estimators import describe_basis
    from fairordinal.frontier import price_of_fairness

    why = "at the knee" if limit is None else f"for violations of at most {limit:g}"
    low, high = chosen.expected_violation_interval_
    lines = [
        f"Chosen {why}: {describe_basis(chosen)}, expected cost {chosen.expected_cost_:.3f}, "
        f"expected violation {chosen.expected_violation_:.3f} ({low:.3f} … {high:.3f}, which "
        "includes the optimism of the choice) in new rows.",
        price_of_fairness(found, chosen),
    ]
    return f"\n{paragraphs(lines)}"


def write_report(
    path: Path,
    title: str,
    rows: Any,
    found: Any,
    chosen: Any,
    limit: float | None,
    *,
    data: dict[str, str] | None = None,
    higher_is: str | None = None,
) -> None:
    """Write an HTML report about a frontier, with the model file of each point."""
    from fairordinal.models import model_text
    from fairordinal.report import report

    texts = [model_text(rows.model(found.model(i))) for i in range(len(found.points_))]
    page = report(
        frontier=found,
        chosen=chosen,
        models=texts,
        max_violation=limit,
        higher_is=higher_is,
        title=title,
        data=data or describe_data(rows.data),
    )
    write_page(path, page)


def as_json(found: Any, table: Table, record: Any) -> dict[str, Any]:
    """Return the points of a frontier, and counts of missing cells."""
    inputs = [each._asdict() for each in table.missing_inputs(record)]
    missing = table.left_out(record).as_json() | {"inputs": inputs}
    models = [row for i, point in enumerate(found.points_) for row in point.rows(i)]
    return {"missing": missing, "models": models}


def _describe_missing(table: Table, record: Any) -> dict[str, str]:
    """Return a description of missing cells for a report."""
    parts = {
        "Left out": str(table.left_out(record)),
        "Inputs taken as missing": describe_missing(table.missing_inputs(record)),
    }
    return {name: text for name, text in parts.items() if text}


def describe_data(record: Any) -> dict[str, str]:
    """Return a description of the training rows for a report."""
    return {
        "Labels to predict": record.label_column,
        "Groups by": ", ".join(record.group_columns),
        "Inputs offered": ", ".join(record.columns),
        "Rows used": f"{record.rows_used:,} of {record.rows:,}",
        "SHA-256 of the data": record.sha256,
    }

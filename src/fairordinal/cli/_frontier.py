"""`fairordinal frontier`: what does fairness cost?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._source import listed
from fairordinal._validation import check_choice, check_fraction
from fairordinal.cli._columns import (
    Decimal,
    Encoding,
    File,
    Groups,
    Label,
    Missing,
    Order,
    Quiet,
    Separator,
    check_different,
    opened,
    placed,
)
from fairordinal.cli._output import check_outputs, say, say_written, told, write_json, write_page
from fairordinal.cli._streams import show
from fairordinal.cli._tables import (
    MODELS,
    Basis,
    Cost,
    Criterion,
    Features,
    Html,
    Ignored,
    ModelFile,
    Table,
    whole_table,
)


def frontier(
    file: File,
    y: Label,
    group: Groups,
    max_violation: Annotated[
        float | None,
        typer.Option(help="Choose the cheapest model within it; the knee by default.", min=0.0),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="Keep the limit in new rows with this confidence, such as 0.9."),
    ] = None,
    out: ModelFile = None,
    html: Html = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all numbers there.", metavar="FILE")
    ] = None,
    criterion: Criterion = "demographic_parity",
    cost: Cost = "absolute",
    basis: Basis = "auto",
    feature: Features = None,
    ignore: Ignored = None,
    order: Order = None,
    jobs: Annotated[int, typer.Option(help="How many processes.")] = 1,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    quiet: Quiet = False,
) -> None:
    """Show models between accurate and fair, and choose one.

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
    check_choice(basis, "--model", MODELS)
    check_outputs({"--out": out, "--html": html, "--json": json_file}, [file])
    check_different({"--y": y, "--group": group, "--feature": feature, "--ignore": ignore})
    source = opened(file, separator, encoding, decimal, missing)
    table = whole_table(source, y, group, order, feature or [], ignore or [])
    say([table.note], quiet)
    with told(quiet), placed(source):
        rows, found = learn(table, y, group, feature, ignore, criterion, cost, jobs, basis)
    if max_violation is None:
        chosen = found.select(knee=True)
    else:
        chosen = found.select(max_violation=max_violation, confidence=confidence)
    show(str(found))
    show(describe(chosen, max_violation))
    table.tell(rows.data)
    if json_file:
        write_json(json_file, as_json(found, table, rows.data))
    if out:
        save_model(rows.model(chosen), out)
    if html:
        data = described(rows.data) | described_missing(table, rows.data)
        write_report(html, source.path.name, rows, found, chosen, max_violation, data=data)
    say_written(out, html, json_file)


def learn(
    table: Table,
    y: str,
    groups: list[str],
    features: list[str] | None,
    ignore: list[str] | None,
    criterion: str,
    cost: str,
    jobs: int,
    basis: str = "auto",
) -> tuple[Any, Any]:
    """The training rows of a table, and the frontier of models for them."""
    from fairordinal.frontier import FairOrdinalFrontier
    from fairordinal.models import TrainingTable

    rows = TrainingTable.read(
        table.frame,
        y=y,
        sensitive_features=groups,
        features=features or None,
        ignore=ignore or (),
    )
    found = FairOrdinalFrontier(
        criterion, cost_matrix=cost, categories=table.categories, n_jobs=jobs, basis=basis
    )
    return rows, found.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)


def describe(chosen: Any, limit: float | None) -> str:
    """The chosen model in a sentence."""
    from fairordinal.estimators import describe_basis

    why = "at the knee" if limit is None else f"for violations of at most {limit:g}"
    low, high = chosen.expected_violation_interval_
    return (
        f"\nChosen {why}: {describe_basis(chosen)}, expected cost {chosen.expected_cost_:.3f}, "
        f"expected violation {chosen.expected_violation_:.3f} ({low:.3f} … {high:.3f}) in new rows."
    )


def write_report(
    path: Path,
    title: str,
    rows: Any,
    found: Any,
    chosen: Any,
    limit: float | None,
    *,
    audit: Any = None,
    data: dict[str, str] | None = None,
) -> None:
    """A page about the frontier, with a model file for each point."""
    from fairordinal.models import model_text
    from fairordinal.report import report

    texts = [model_text(rows.model(found.model(i))) for i in range(len(found.points_))]
    page = report(
        audit,
        frontier=found,
        chosen=chosen,
        models=texts,
        max_violation=limit,
        title=title,
        data=data or described(rows.data),
    )
    write_page(path, page)


def as_json(found: Any, table: Table, record: Any) -> dict[str, Any]:
    """The points of the frontier, and what was missing."""
    inputs = [each._asdict() for each in table.missing_inputs(record)]
    missing = table.left_out(record).as_json() | {"inputs": inputs}
    models = [row for i, point in enumerate(found.points_) for row in point.rows(i)]
    return {"missing": missing, "models": models}


def described_missing(table: Table, record: Any) -> dict[str, str]:
    """What was missing, for people."""
    parts = {
        "Left out": str(table.left_out(record)),
        "Inputs taken as missing": listed(table.missing_inputs(record)),
    }
    return {name: text for name, text in parts.items() if text}


def described(record: Any) -> dict[str, str]:
    """The rows that models were fitted to, for people."""
    return {
        "Labels to predict": record.label_column,
        "Groups by": ", ".join(record.group_columns),
        "Inputs offered": ", ".join(record.columns),
        "Rows used": f"{record.rows_used:,} of {record.rows:,}",
        "SHA-256 of the data": record.sha256,
    }

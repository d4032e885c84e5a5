"""`fairordinal compare`: compare predictions and models on the rows of one table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import narwhals as nw
import typer

import fairordinal
from fairordinal._source import (
    ColumnValues,
    LabelOrder,
    TableFile,
    count_missing,
    open_table,
    order_of,
    read_counts,
    read_labels,
    read_names,
    read_values,
)
from fairordinal._validation import check_fraction, listed
from fairordinal.cli._app import (
    Cost,
    Decimal,
    Encoding,
    File,
    Groups,
    HigherIs,
    Html,
    Json,
    Label,
    Missing,
    Order,
    Quiet,
    Separator,
    Sheet,
    Weight,
    Weights,
    check_different,
)
from fairordinal.cli._choices import COMPARED, criterion_of, described, kind_of_weights
from fairordinal.cli._input import (
    CompleteRows,
    LeftOut,
    clean_columns,
    described_weights,
    drop_incomplete,
    reading,
    rows_located,
)
from fairordinal.cli._output import (
    check_outputs,
    progress_and_notes,
    show,
    show_written,
    write_json,
    write_page,
)
from fairordinal.criteria import as_criterion


def compare(
    file: File,
    y: Label,
    group: Groups,
    pred: Annotated[
        list[str] | None,
        typer.Option("--pred", help="Column of predicted labels; repeat it.", metavar="COLUMN"),
    ] = None,
    model_file: Annotated[
        list[Path] | None,
        typer.Option("--model-file", help="A model file of fit; repeat it.", metavar="FILE"),
    ] = None,
    criterion: Annotated[
        str,
        typer.Option(
            help=f"Criterion of fairness: {described(COMPARED)}.",
            callback=criterion_of(COMPARED),
            metavar="NAME",
        ),
    ] = "demographic_parity",
    cost: Cost = "absolute",
    confidence: Annotated[
        float, typer.Option(help="Confidence of the intervals.", metavar="NUMBER")
    ] = 0.95,
    max_violation: Annotated[
        float | None,
        typer.Option(help="Limit to compare with, in the report.", min=0.0, metavar="NUMBER"),
    ] = None,
    higher_is: HigherIs = None,
    weight: Weight = None,
    weights: Weights = "frequency",
    order: Order = None,
    json_file: Json = None,
    html: Html = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Compare predictions, or models, on the same rows: cost, violation, and their differences.

    Name at least two columns of predictions or model files. Differences are those to the first one,
    columns before models. Rows are paired, so that intervals of differences are short. Models
    should not have been fitted to these rows.

    Examples
    --------
        fairordinal compare rated.csv --y grade --group sex --pred today --pred proposed

        fairordinal compare new.csv --y grade --group sex --model-file a.json --model-file b.json
    """
    from fairordinal.frontier import compare as compare_rows
    from fairordinal.report import report_compare

    columns, paths = pred or [], model_file or []
    weights = kind_of_weights(weights, weight)
    check_fraction(confidence, "--confidence")
    _check_number(len(columns) + len(paths), html)
    check_different({"--model-file": [str(path) for path in paths]}, "file")
    check_outputs({"--json": json_file, "--html": html}, [file, *paths])
    check_different({"--y": y, "--pred": columns, "--group": group, "--weight": weight})
    table_file = open_table(
        file,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
        sheet=sheet,
    )
    with progress_and_notes(quiet), reading(table_file), rows_located(table_file):
        rows, labels = read_rows(table_file, y, group, columns, paths, order, weight)
        compared = {name: rows.columns[name] for name in rows.columns if name not in (y, *group)}
        groups = {name: rows.columns[name] for name in group}
        sample_weight = rows.weights[0] if weight else None
        with rows.left_out.explained():
            found = compare_rows(
                compared,
                None,
                rows.columns[y],
                sensitive_features=groups,
                criterion=as_criterion(criterion, cost, higher_is),
                cost_matrix=cost,
                confidence=confidence,
                labels=labels,
                sample_weight=sample_weight,
                weights=weights,
            )
    differences = nw.from_native(found.frame(), eager_only=True).rows(named=True)
    show(str(found))
    rows.left_out.show()
    if json_file:
        write_json(json_file, as_json(differences, rows.left_out, labels, criterion, confidence))
    if html:
        first, second = compared.values()
        page = report_compare(
            first,
            second,
            y=rows.columns[y],
            sensitive_features=groups,
            names=[*compared],
            criterion=criterion,
            cost_matrix=cost,
            confidence=confidence,
            labels=labels,
            sample_weight=sample_weight,
            weights=weights,
            higher_is=higher_is,
            max_violation=max_violation,
            title=f"Comparison on {table_file.path.name}",
            data=describe_data(table_file.path.name, y, group, rows.left_out)
            | described_weights(weight, weights),
        )
        write_page(html, page)
    show_written(html, json_file)


def _check_number(n_compared: int, html: Path | None) -> None:
    if n_compared < 2:
        raise ValueError(
            "compare needs two columns of predictions or model files: repeat --pred or "
            f"--model-file, got {n_compared}."
        )
    if html and n_compared > 2:
        raise ValueError(f"--html compares two, got {n_compared}. Leave --html out, or name two.")


def read_rows(
    file: TableFile,
    y: str,
    groups: list[str],
    predictions: list[str],
    paths: list[Path],
    order: str | None,
    weight: str | None = None,
) -> tuple[CompleteRows, list[Any]]:
    """Return labels, groups and all predictions of the rows, and the labels in ascending order."""
    options = {y: "--y"} | dict.fromkeys(predictions, "--pred") | dict.fromkeys(groups, "--group")
    options |= {weight: "--weight"} if weight else {}
    named = {name: file.column(name, option) for name, option in options.items()}
    table = file.raw_table([*named.values()])
    raw = {name: table.column(there) for name, there in named.items()}
    clean = clean_columns(file, raw, [y, *predictions], order)
    read = [read_counts(clean.pop(weight), weight, file.decimal, "--weight")] if weight else []
    by_model, classes = predict_by_models(file, paths, taken=[*named])
    labelled = {
        name: read_labels(clean[name].to_pylist(), file.decimal, order)
        for name in (y, *predictions)
    }
    labels = _labels(file, named[y], labelled, classes, order)
    labels.check(labelled[y], "--y")
    for name in predictions:
        numbers = read_values(clean[name].to_pylist(), file.decimal)
        if numbers.are_numbers:
            _check_labels(name, numbers.distinct, labels.labels)
        labels.check(labelled[name], f"--pred {name}")
    columns = {name: column.values for name, column in labelled.items()} | by_model
    columns |= {name: read_names(clean[name].to_pylist()) for name in groups}
    rows = drop_incomplete(columns, count_missing(raw, clean))
    return replace(rows, weights=[each.to_numpy()[rows.places] for each in read]), labels.labels


def predict_by_models(
    file: TableFile, paths: list[Path], *, taken: list[str]
) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return the predictions of models by their names, and the labels of the models."""
    from fairordinal.models import load_model

    found: dict[str, list[Any]] = {}
    classes: list[Any] = []
    for path in paths:
        model = load_model(path)
        categories = model.preparation.categories
        frame = file.table([*categories], labels=categories)
        name = path.stem if path.stem not in (*taken, *found) else str(path)
        if name in (*taken, *found):
            raise ValueError(f"--model-file names {name!r} twice; name it once.")
        found[name] = model.predict(frame).tolist()
        classes += [label for label in model.classes_.tolist() if label not in classes]
    return found, classes


def _labels(
    file: TableFile,
    name: str,
    labelled: dict[str, ColumnValues],
    classes: list[Any],
    order: str | None,
) -> LabelOrder:
    """Return the order of the labels: as given, of the models, or of the numbers in all columns."""
    true, *predicted = labelled.values()
    if order is None and classes and not true.are_numbers:
        _check_known(true.distinct, classes)
        return LabelOrder(classes)
    known = order_of(file, name, true, order, "--y")
    if order is not None or not all(column.are_numbers for column in (true, *predicted)):
        return known
    for option, column in [*labelled.items()][1:]:
        _check_labels(option, column.distinct, known.labels)
    values = {value for column in predicted for value in column.distinct}
    numbers = {value for value in classes if not isinstance(value, str)}
    return LabelOrder(sorted({*known.labels, *values, *numbers}))


def _check_known(values: list[Any], classes: list[Any]) -> None:
    """Raise ValueError for a true label that no model knows."""
    unknown = [value for value in values if value not in classes]
    if unknown:
        raise ValueError(
            f"--y: {unknown[0]!r} is not one of the labels of the models, {listed(classes)}. Name "
            "the column of what they predict, or correct it."
        )


def _check_labels(name: str, values: list[Any], labels: list[Any]) -> None:
    """Raise ValueError for a column of scores, by the rule of an audit (`are_labels`)."""
    others = [value for value in values if value not in labels]
    fractional = [value for value in (*others, *labels) if isinstance(value, float)]
    if others and (fractional or len(others) >= len(labels)):
        raise ValueError(
            f"--pred: column {name!r} must hold labels, but {others[0]!r} is not "
            f"one of {listed(labels)}. Cut scores into labels first (see thresholds), or list all "
            "labels with --labels."
        )


def describe_data(file: str, y: str, groups: list[str], left_out: LeftOut) -> dict[str, str]:
    """Return a description of the rows for a report."""
    data = {"File": file, "True labels": y, "Groups by": ", ".join(groups)}
    return {**data, **({"Left out": str(left_out)} if left_out.cells else {})}


def as_json(
    rows: list[dict[str, Any]],
    left_out: LeftOut,
    labels: list[Any],
    criterion: str,
    confidence: float,
) -> dict[str, Any]:
    """Return cost and violation of each predictor, and the differences to the first."""
    return {
        "fairordinal": fairordinal.__version__,
        "missing": left_out.as_json(),
        "labels": labels,
        "criterion": criterion,
        "confidence": confidence,
        "compared": rows,
    }

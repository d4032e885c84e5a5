"""`fairordinal fit` and `fairordinal predict`: fit a fair model to a table, and apply it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._source import TableFile, count_missing, open_table
from fairordinal._support import visible, write_whole
from fairordinal.cli._app import (
    Basis,
    Cost,
    Criterion,
    Decimal,
    Encoding,
    Features,
    File,
    Groups,
    Ignored,
    Label,
    LimitConfidence,
    Missing,
    Order,
    Quiet,
    Separator,
    Sheet,
    TradeOff,
    Weight,
    Weights,
    check_different,
)
from fairordinal.cli._choices import kind_of_weights
from fairordinal.cli._input import read_table, reading, rows_located, show_missing_inputs
from fairordinal.cli._output import (
    check_extension,
    check_outputs,
    is_text,
    progress_and_notes,
    show,
    show_note,
    show_written,
    wrapped,
    write_table,
)

# first characters of text that spreadsheets run as a formula (OWASP, "CSV injection")
FORMULA = (*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20")


def fit(
    file: File,
    y: Label,
    group: Groups,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Write the model to this file, as JSON.", metavar="FILE"),
    ],
    max_violation: Annotated[
        float | None,
        typer.Option(
            help="Largest violation in new rows; 0.05 by default.", min=0.0, metavar="NUMBER"
        ),
    ] = None,
    trade_off: TradeOff = None,
    confidence: LimitConfidence = None,
    criterion: Criterion = "demographic_parity",
    cost: Cost = "absolute",
    basis: Basis = "auto",
    feature: Features = None,
    ignore: Ignored = None,
    weight: Weight = None,
    weights: Weights = "frequency",
    order: Order = None,
    onnx: Annotated[
        Path | None, typer.Option(help="Also export the model to this file.", metavar="FILE")
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Fit a fair model to a table, and write it to a file.

    Columns of numbers are standardised; a missing number is replaced by the mean, and another input
    marks it. Columns of text get an input for each category; missing text is a category, and
    unknown categories count as missing. Codes such as 00123 are text. Columns of dates are left
    out, and so are columns of text in which no two cells are equal. The group is never an input,
    and is not needed to predict. Rows without a label or a group are left out.

    Examples
    --------
        fairordinal fit data.csv --y grade --group sex --max-violation 0.05 -o model.json
    """
    from fairordinal.models import export_onnx, fit_table, save_model

    weights = kind_of_weights(weights, weight)
    check_outputs({"--out": out, "--onnx": onnx}, [file])
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
        model = fit_table(
            table.frame,
            y=y,
            sensitive_features=group,
            features=feature or None,
            ignore=ignore or (),
            sample_weight=weight,
            labels=table.labels,
            criterion=criterion,
            trade_off=trade_off,
            max_violation=max_violation,
            confidence=confidence,
            cost_matrix=cost,
            basis=basis,
        )
    if model.certificate.stopped_by == "interrupt":  # Ctrl-C ended the last search
        raise KeyboardInterrupt
    save_model(model, out)
    if onnx:
        export_onnx(model, onnx)
    show("\n".join(map(wrapped, str(model).split("\n"))))
    table.show_missing(model.data)
    if missing is not None:
        show("Give the same --missing to predict.")
    show("")
    show_written(out, onnx)


def predict(
    model: Annotated[
        Path, typer.Argument(help="A model file.", show_default=False, metavar="MODEL")
    ],
    file: File,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="CSV, TSV, Parquet or Arrow to write.", metavar="FILE"),
    ],
    name: Annotated[
        str, typer.Option("--as", help="Name of the new column.", metavar="NAME")
    ] = "predicted",
    score: Annotated[
        str | None, typer.Option(help="Name of a column for the scores.", metavar="NAME")
    ] = None,
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv/--no-safe-csv",
            help="In CSV, write ' before predicted labels that a spreadsheet would run.",
            metavar="",
        ),
    ] = True,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    sheet: Sheet = None,
) -> None:
    """Predict labels for the rows of a table; all its columns are kept.

    There is a prediction for each row. In a CSV of one column, a blank line is a row whose cell is
    missing.

    Spreadsheets run text that begins with =, +, - or @ as a formula. In CSV and TSV, such labels of
    a model get a ' in front, unless --no-safe-csv is passed; numbers stay. Cells of the table that
    is read are written as they are: check them if you do not trust the table. A CSV keeps its
    separator, quotes and decimal mark.

    Examples
    --------
        fairordinal predict model.json new.csv -o out.csv
    """
    from fairordinal.models import load_model

    check_extension(out)
    check_outputs({"--out": out}, [model, file])
    fitted = load_model(model)
    table_file = open_table(
        file,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
        sheet=sheet,
    )
    categories = fitted.preparation.categories  # cells of a category are never missing
    frame = table_file.table([*categories], labels=categories)
    columns = table_file.columns
    raw = table_file.raw_table([*columns.values()]).rename_columns([*columns])
    _check_new_columns(table_file, {"--as": name, "--score": score})
    with rows_located(table_file):
        labels, n_changed = fitted.predict(frame), 0
        scores = fitted.scores(frame) if score else None
    if safe_csv and is_text(out):
        labels, n_changed = without_formulas(labels, fitted.classes_)
    added = {name: labels} | ({score: scores} if score else {})
    if not write_beside(out, table_file, added):
        for new, column in added.items():
            raw = raw.append_column(new, [column])
        write_table(out, raw)
    show(f"Written: {visible(str(out))}, {len(labels):,} rows")
    if n_changed:
        show(
            f"{n_changed:,} predicted labels got a ' in front: a spreadsheet could run them as "
            "formulas. --no-safe-csv writes them as they are."
        )
    inputs = [column.name for column in fitted.preparation.columns]
    raw_inputs, clean = ({name: table.column(name) for name in inputs} for table in (raw, frame))
    show_missing_inputs(count_missing(raw_inputs, clean))


def write_beside(path: Path, file: TableFile, added: dict[str, Any]) -> bool:
    """Write the text of a CSV with new columns to a text file; return whether this was possible.

    The text keeps its separator and its decimal mark, unless the ending of the path forbids it.
    """
    is_tab = path.suffix.lower() == ".tsv"
    if file.format != "csv" or not is_text(path) or is_tab != (file.separator == "\t"):
        return False
    columns = [
        [_cell(value, file.decimal) for value in column.tolist()] for column in added.values()
    ]
    text = file.with_columns([*added], columns)
    if text is not None:
        write_whole(path, text)
    return text is not None


def _cell(value: Any, decimal: str) -> str:
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)


def _check_new_columns(file: TableFile, added: dict[str, str | None]) -> None:
    """Raise ValueError if a table already has a column that an option adds."""
    for option, name in added.items():
        if name in file.columns:
            raise ValueError(
                f"{option}: {file.path.name} has a column {name!r} already. Name another, such as "
                f"{option} {name}_by_model."
            )


def without_formulas(labels: Any, classes: Any) -> tuple[Any, int]:
    """Return labels that no spreadsheet runs as formulas, and how many were changed."""
    texts = [label for label in classes.tolist() if isinstance(label, str)]
    safe, n_changed = labels.astype(object), 0
    for label in texts:
        if label.startswith(FORMULA):
            places = labels == label
            safe[places] = f"'{label}"
            n_changed += int(places.sum())
    return (safe, n_changed) if n_changed else (labels, 0)

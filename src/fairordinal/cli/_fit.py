"""`fairordinal fit` and `fairordinal predict`: a fair model of a table, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._escapes import visible
from fairordinal._source import missing_cells
from fairordinal._validation import check_choice
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
from fairordinal.cli._output import (
    check_ending,
    check_outputs,
    is_text,
    say,
    say_written,
    told,
    write_table,
)
from fairordinal.cli._streams import show
from fairordinal.cli._tables import (
    MODELS,
    Basis,
    Cost,
    Criterion,
    Features,
    Ignored,
    tell_missing,
    whole_table,
)

# how text begins that spreadsheets run (OWASP, "CSV injection")
FORMULA = (*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20")


def fit(
    file: File,
    y: Label,
    group: Groups,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Write the model there, as JSON.", metavar="FILE")
    ],
    max_violation: Annotated[
        float | None,
        typer.Option(help="The greatest violation in new rows; 0.05 by default.", min=0.0),
    ] = None,
    trade_off: Annotated[
        float | None, typer.Option(help="A price on the violation instead, from 0 to below 1.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Keep the limit with an upper bound at this confidence.")
    ] = None,
    criterion: Criterion = "demographic_parity",
    cost: Cost = "absolute",
    basis: Basis = "auto",
    feature: Features = None,
    ignore: Ignored = None,
    order: Order = None,
    onnx: Annotated[
        Path | None, typer.Option(help="Export the model there, too.", metavar="FILE")
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
    quiet: Quiet = False,
) -> None:
    """Fit a fair model to a table, and keep it in a file.

    Columns of numbers are standardised; missing ones take the mean, and an input says that they are
    missing. Columns of text get an input for each category, missing being one of them and unknown
    ones counting as missing. Codes such as 00123 are text; dates are left out, and so is text of
    which no two cells are equal. The group is never an input, and is not needed to predict. Rows
    without a label or a group are left out.

    Examples
    --------
        fairordinal fit data.csv --y grade --group sex --max-violation 0.05 -o model.json
    """
    from fairordinal.models import export_onnx, fit_table, save_model

    check_choice(basis, "--model", MODELS)
    check_outputs({"--out": out, "--onnx": onnx}, [file])
    check_different({"--y": y, "--group": group, "--feature": feature, "--ignore": ignore})
    source = opened(file, separator, encoding, decimal, missing)
    table = whole_table(source, y, group, order, feature or [], ignore or [])
    say([table.note], quiet)
    with told(quiet), placed(source):
        model = fit_table(
            table.frame,
            y=y,
            sensitive_features=group,
            features=feature or None,
            ignore=ignore or (),
            categories=table.categories,
            criterion=criterion,
            trade_off=trade_off,
            max_violation=max_violation,
            confidence=confidence,
            cost_matrix=cost,
            basis=basis,
        )
    save_model(model, out)
    if onnx:
        export_onnx(model, onnx)
    show(str(model))
    table.tell(model.data)
    if missing is not None:
        show("Give the same --missing to predict.")
    show("")
    say_written(out, onnx)


def predict(
    model: Annotated[Path, typer.Argument(help="A model file.", show_default=False)],
    file: File,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="CSV, TSV, Parquet or Arrow to write.", metavar="FILE"),
    ],
    name: Annotated[str, typer.Option("--as", help="Name of the new column.")] = "predicted",
    score: Annotated[
        str | None, typer.Option(help="Name of a column for the scores.", metavar="NAME")
    ] = None,
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv/--no-safe-csv",
            help="In CSV, write ' before predicted labels that a spreadsheet could run.",
        ),
    ] = True,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = None,
) -> None:
    """Predict labels for the rows of a table; all its columns are kept.

    There is a prediction for each row. In a CSV of one column, a blank line is a row whose cell is
    missing.

    Spreadsheets run text that begins with =, +, - or @ as a formula. In CSV and TSV, such labels of
    a model get a ' in front, unless --no-safe-csv is passed; numbers stay. Cells of the table that
    is read are written as they are: check them if you do not trust the table.

    Examples
    --------
        fairordinal predict model.json new.csv -o out.csv
    """
    from fairordinal.models import load_model

    check_ending(out)
    check_outputs({"--out": out}, [model, file])
    fitted = load_model(model)
    source = opened(file, separator, encoding, decimal, missing)
    categories = fitted.preparation.categories  # never missing
    frame = source.table([*categories], labels=categories)
    kept = source.written([*source.columns.values()]).rename_columns([*source.columns])
    for added in (name, score):
        if added in frame.column_names:
            option = "--as" if added == name else "--score"
            raise ValueError(
                f"{option}: {file.name} has a column {added!r} already. Name another, such as "
                f"{option} {added}_by_model."
            )
    with placed(source):
        labels, n_changed = fitted.predict(frame), 0
        scores = fitted.scores(frame) if score else None
    if safe_csv and is_text(out):
        labels, n_changed = without_formulas(labels, fitted.classes_)
    found = kept.append_column(name, [labels])
    if score:
        found = found.append_column(score, [scores])
    write_table(out, found)
    show(f"Written: {visible(str(out))}, {found.num_rows:,} rows")
    if n_changed:
        show(
            f"{n_changed:,} predicted labels got a ' in front: a spreadsheet could run them as "
            "formulas. --no-safe-csv writes them as they are."
        )
    inputs = [column.name for column in fitted.preparation.columns]
    written, meant = ({name: table.column(name) for name in inputs} for table in (kept, frame))
    tell_missing(missing_cells(written, meant))


def without_formulas(labels: Any, classes: Any) -> tuple[Any, int]:
    """Labels that no spreadsheet runs, and how many were changed."""
    texts = [label for label in classes.tolist() if isinstance(label, str)]
    safe, n_changed = labels.astype(object), 0
    for label in texts:
        if label.startswith(FORMULA):
            places = labels == label
            safe[places] = f"'{label}"
            n_changed += int(places.sum())
    return (safe, n_changed) if n_changed else (labels, 0)

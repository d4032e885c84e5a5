"""Read a sheet of an Excel file (.xlsx), as the text of a CSV.

The sheet then goes the way of any CSV: missing cells, numbers, dates and codes are found by the
same rules. Row i of the sheet is record i of the CSV, so that messages can name it.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._support import visible
from fairordinal._validation import listed

EXACT = 2**53  # whole numbers up to it are exact in a spreadsheet


class Sheet(NamedTuple):
    """A sheet of a workbook: its name, and its rows from the first one of the workbook on."""

    name: str
    rows: list[list[str]]  # no cells in a blank row
    others: list[str]  # names of the other sheets

    @property
    def n_blank(self) -> int:
        """Number of blank rows above the header."""
        return next(number for number, row in enumerate(self.rows) if row)

    def write_csv(self, path: Path) -> None:
        """Write the rows as a CSV in UTF-8; a blank row is a blank line."""
        with path.open("w", newline="", encoding="utf8") as file:
            csv.writer(file, lineterminator="\n").writerows(self.rows)


def read_sheet(path: Path, name: str | None) -> Sheet:
    """Read the sheet of this name, or the first one; columns without any content are left out."""
    workbook = _open(path)
    name = _sheet_name(workbook, name, path)
    cells = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
    rows = [[_text(cell) for cell in row] for row in cells]
    if not any(map(any, rows)):
        raise ValueError(
            f"{path.name}: the sheet {name!r} is empty. Its sheets are "
            f"{listed(workbook.sheet_names)}; --sheet names another."
        )
    used = [j for j in range(len(rows[0])) if any(row[j] for row in rows)]
    others = [other for other in workbook.sheet_names if other != name]
    return Sheet(name, [[row[j] for j in used] if any(row) else [] for row in rows], others)


def _open(path: Path) -> Any:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise ImportError(
            "Reading Excel files needs python-calamine: pip install 'fairordinal[files]'."
        ) from error
    try:
        return CalamineWorkbook.from_path(path)
    except CalamineError as error:
        raise ValueError(
            f"{path.name} is not an Excel file, or it is damaged or has a password "
            f"({visible(str(error)):.80}). Save it again as .xlsx, or as 'CSV UTF-8'."
        ) from error


def _sheet_name(workbook: Any, name: str | None, path: Path) -> str:
    """Return the name of a sheet that exists; raise ValueError if there is none of this name."""
    known: Sequence[str] = workbook.sheet_names
    if name is None:
        return known[0]
    if name not in known:
        raise ValueError(f"--sheet: {path.name} has no sheet {name!r}. It has {listed(known)}.")
    return name


def _text(cell: Any) -> str:
    """Return a cell as the text of a CSV: 3.0 is 3, dates are as in 2020-01-31."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= EXACT:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return str(cell)

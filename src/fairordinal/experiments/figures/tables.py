"""Tables 1 to 4 of appendix B.2: statistics of all data sets, printed and computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal.datasets import mean_test_statistics
from fairordinal.experiments._cell import Cell, Row, WholeCell
from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments._split import CRIME, CRIME_THREE, DRUGS, fetch
from fairordinal.experiments.figures.panel import panels
from fairordinal.experiments.figures.printed_tables import (
    DEVIATIONS,
    MAIN,
    ORCA,
    SIZES,
    STATISTICS,
)

Numbers = dict[str, float]


@dataclass(frozen=True)
class Statistics(WholeCell):
    """What the paper prints of a data set, and what the data says."""

    data: str
    printed: tuple[tuple[str, str], ...]  # name and number

    @property
    def title(self) -> str:
        return f"{self.data} statistics"

    def rows(self) -> list[Row]:
        found = MEASURES.get(self.data, benchmark_numbers)(fetch(self.data))
        return [
            {"data": self.data, "statistic": name, "printed": printed, "value": found[name]}
            for name, printed in self.printed
        ]


def benchmark_numbers(source: Any) -> Numbers:
    """Columns of tables 3 and 4."""
    train, test = source.splits[0]
    sizes = len(train), len(test), source.data.shape[1], len(np.unique(source.target))
    return dict(zip(SIZES, map(float, sizes), strict=True)) | mean_test_statistics(source)._asdict()


def main_numbers(group: str, source: Any) -> Numbers:
    """Columns of tables 1 and 2, and the difference between groups of section 5.1."""
    tests = [source.target[test] for _, test in source.splits]
    groups = [groups == 1 for _, groups in source.split_sensitive_features]
    shares = {
        f"P[y={label}]": float(np.mean([np.mean(test == label) for test in tests]))
        for label in np.unique(source.target)
    }
    difference = mean_test_statistics(source).difference
    return {group: float(np.mean(groups)), **shares, "difference": difference}


def group_shares(source: Any) -> Numbers:
    """Shares of three groups in all rows."""
    return {
        f"P[a={name}]": float(np.mean(source.sensitive_features == group))
        for group, name in source.sensitive_names.items()
    }


MEASURES: dict[str, Callable[[Any], Numbers]] = {
    DRUGS: lambda source: main_numbers("P[a=f]", source),
    CRIME: lambda source: main_numbers("P[a=white]", source),
    CRIME_THREE: group_shares,
}


def cells(options: Options) -> list[Cell]:
    """One for each data set; there are no splits to choose."""
    return [Statistics(data, tuple(printed.items())) for data, printed in (MAIN | ORCA).items()]


def rounded(row: Row) -> str:
    """A number, to the digits that are printed."""
    digits = len(row["printed"].partition(".")[2])
    return f"{row['value']:.{digits}f}"


def equal(row: Row) -> bool:
    """Whether what is printed is what the data says."""
    return rounded(row) == row["printed"]


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Numbers that are equal, by table, and each that is not."""
    counts = [main_finding(rows, data, table) for data, table in TABLES.items()]
    counts += [sizes_finding(rows), statistics_finding(rows)]
    return counts + [deviation(row) for row in rows if not equal(row)]


TABLES = {
    DRUGS: "table 1, drug consumption, and section 5.1",
    CRIME: "table 2, communities and crime, and section 5.1",
    CRIME_THREE: "appendix B.3, shares of three groups",
}


def main_finding(rows: Sequence[Row], data: str, table: str) -> Finding:
    """Of a data set of section 5.1."""
    same = [equal(row) for row in rows if row["data"] == data]
    return Finding(table, f"{len(MAIN[data])} numbers", f"{sum(same)} equal", all_of(same))


def sizes_finding(rows: Sequence[Row]) -> Finding:
    """Of rows, features and classes of the benchmark sets."""
    same = [equal(row) for row in rows if row["statistic"] in SIZES]
    said = f"{len(ORCA) * len(SIZES)} numbers"
    return Finding("tables 3 and 4, sizes", said, f"{sum(same)} equal", all_of(same))


def statistics_finding(rows: Sequence[Row]) -> Finding:
    """Of groups and labels of the benchmark sets, set by set."""
    same = [
        sum(equal(row) for row in rows if row["data"] == data and row["statistic"] in STATISTICS)
        for data in ORCA
    ]
    whole, three = same.count(4), same.count(3)
    here = f"{whole} equal in all four, {three} in three, {len(ORCA) - whole - three} in fewer"
    claim, said = "tables 3 and 4, four statistics of each set", f"{len(ORCA)} sets"
    return Finding(claim, said, here, whole == len(ORCA))


def all_of(same: Sequence[bool]) -> bool:
    """Nothing compared is nothing equal."""
    return bool(same) and all(same)


def deviation(row: Row) -> Finding:
    """A number that is not what is printed, and why if that is known."""
    known, why = DEVIATIONS.get((row["data"], row["statistic"]), ("", ""))
    reason = f" ({why})" if rounded(row) == known else ""
    claim = f"{row['data']}: {row['statistic'].replace('_', ' ')}"
    return Finding(claim, row["printed"], rounded(row) + reason, False)


def picture(rows: Sequence[Row]) -> Any:
    """Printed against computed shares."""
    figure, axes = panels(1, 1, width=4.4, height=4.2)
    shares = [row for row in rows if row["statistic"] not in SIZES]
    ax = axes[0, 0]
    ax.axline((0, 0), slope=1, color="0.7", lw=0.8)
    for same, look in {True: {"color": "C0", "s": 14}, False: {"color": "C3", "s": 40}}.items():
        chosen = [row for row in shares if equal(row) == same]
        x, y = [row["value"] for row in chosen], [float(row["printed"]) for row in chosen]
        name = "equal to two digits" if same else "not equal"
        ax.scatter(x, y, alpha=0.7, linewidths=0, label=f"{name}: {len(chosen)}", **look)
    ax.set_xlabel("computed", fontsize=8)
    ax.set_ylabel("printed", fontsize=8)
    ax.set_title("Statistics of tables 1 to 4", fontsize=9)
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=8)
    return figure


EXPERIMENTS = (
    Experiment(
        "tables",
        "Appendix B.2: statistics of the data sets, tables 1 to 4",
        cells,
        findings,
        {"tables": picture},
    ),
)

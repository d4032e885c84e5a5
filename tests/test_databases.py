"""Every recipe of docs/databases.md gives the audit of the rows.

Spark, BigQuery and PostgreSQL are played by DuckDB: it runs the very text of their queries,
BigQuery's after sqlglot has rewritten its quotes, and each must parse in its own dialect.
"""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

from fairordinal import audit

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "databases.md").read_text()
SECTIONS = re.findall(r"^##+ (.*?)\n.*?```python\n(.*?)```", PAGE, flags=re.DOTALL | re.MULTILINE)
DIALECTS = {"Spark SQL": "spark", "BigQuery": "bigquery", "PostgreSQL": "postgres"}


def decisions(n=900):
    random = np.random.default_rng(0)
    grade = random.integers(0, 4, n)
    predicted = np.clip(grade + random.integers(-1, 2, n), 0, 3)
    region = pd.Series(random.choice(["north", "south", "none"], n)).replace("none", None)
    return pd.DataFrame(
        {
            "grade": grade,
            "predicted": predicted,
            "sex": random.choice(["f", "m"], n),
            "region": region,
            "score": predicted + random.random(n),  # no halves, which libraries round differently
            "weight": random.integers(1, 5, n) / 2,
            "month": random.choice(["2026-01", "2026-02"], n),
        }
    )


ROWS = decisions()
NAMES = pd.Series(["poor", "fair", "good", "very good"])
BOTH = {"sensitive_features": ["sex", "region"], "missing_group": "own"}
EXPECTED = {
    "Pass the data source": {},
    "Run the query yourself: DuckDB": {},
    "Intersections of groups": {**BOTH, "data": ROWS[ROWS.region.notna()]},
    "Rows without a group": {"sensitive_features": "region", "missing_group": "own"},
    "Weights": {"sample_weight": "weight"},
    "Months and shards": {},
    "Rounded scores": {"y_pred": "score", "data": ROWS.assign(score=ROWS.score.round(1))},
    "Spark SQL": {**BOTH, "sample_weight": "weight"},
    "BigQuery": BOTH,
    "PostgreSQL": {},
    "Labels that are names": {
        "labels": NAMES.tolist(),
        "data": ROWS.assign(
            grade=NAMES[ROWS.grade].to_numpy(), predicted=NAMES[ROWS.predicted].to_numpy()
        ),
    },
}


@pytest.fixture
def database(tmp_path, monkeypatch):
    """A folder of Parquet files and a database with the same rows; others are played by it."""
    (tmp_path / "decisions").mkdir()
    for month, rows in ROWS.groupby("month"):
        rows.to_parquet(tmp_path / "decisions" / f"{month}.parquet", index=False)
    monkeypatch.chdir(tmp_path)
    connection = duckdb.connect()
    connection.sql("CREATE TABLE decisions AS FROM 'decisions/*.parquet'")
    connection.sql("CREATE SCHEMA bank; CREATE VIEW bank.decisions AS FROM main.decisions")
    psycopg = SimpleNamespace(connect=lambda _: connection)
    monkeypatch.setitem(sys.modules, "psycopg", psycopg)
    return connection


def players(connection):
    """What sections take for granted: a session of Spark and a client of BigQuery."""

    def bigquery(query):
        (translated,) = sqlglot.transpile(query, read="bigquery", write="duckdb")
        return SimpleNamespace(to_dataframe=connection.sql(translated).df)

    spark = SimpleNamespace(sql=lambda query: SimpleNamespace(toPandas=connection.sql(query).df))
    return {"spark": spark, "client": SimpleNamespace(query=bigquery)}


def test_every_recipe_is_tested():
    assert [title for title, _ in SECTIONS] == [*EXPECTED]
    assert PAGE.count("```python") == PAGE.count("```") / 2 == len(SECTIONS)


def test_recipes_give_the_audit_of_the_rows(database):
    namespace = players(database)
    for title, code in SECTIONS:
        namespace.pop("result", None)
        exec(code, namespace)
        options = {"sensitive_features": "sex", "data": ROWS, **EXPECTED[title]}
        expected = audit(**{"y_true": "grade", "y_pred": "predicted", **options})
        found = namespace["result"]
        assert found.table.groups.tolist() == expected.table.groups.tolist(), title
        assert found.table.labels.tolist() == expected.table.labels.tolist(), title
        assert (found.table.counts != expected.table.counts).nnz == 0, title
        assert str(found) == str(expected), title


@pytest.mark.parametrize(("title", "code"), SECTIONS, ids=[title for title, _ in SECTIONS])
def test_queries_are_well_formed_in_their_dialect(title, code):
    for query in re.findall(r'query = """(.*?)"""', code, flags=re.DOTALL):
        sqlglot.parse_one(query, read=DIALECTS.get(title, "duckdb"))

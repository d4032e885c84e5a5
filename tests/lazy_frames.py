"""A frame of pandas as data of each lazy library: Dask, pyarrow, polars, DuckDB."""

import itertools
from functools import partial
from operator import getitem

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds

OPEN = []


def dask_frame(parts):
    """A Dask DataFrame of exactly these partitions, which may differ in dtypes."""
    places = range(len(parts))
    return dd.from_map(partial(getitem, parts), places, meta=parts[0], enforce_metadata=False)


def split(frame, cuts):
    """Consecutive parts of a frame; some may be empty."""
    places = [0, *sorted(cut % (len(frame) + 1) for cut in cuts), len(frame)]
    return [frame.iloc[i:j] for i, j in itertools.pairwise(places)]


def arrow_tables(parts):
    """Tables of one schema, also of parts without rows."""
    schema = pa.Schema.from_pandas(pd.concat(parts), preserve_index=False)
    return [pa.Table.from_pandas(part, schema, preserve_index=False) for part in parts]


def arrow_dataset(parts):
    return ds.dataset(arrow_tables(parts))


def arrow_stream(parts):
    return arrow_dataset(parts).scanner().to_reader()


def polars_lazy(parts):
    return pl.concat([pl.from_pandas(part) for part in parts]).lazy()


def duckdb_connection():
    """A connection that stays open: relations of DuckDB 1 do not keep theirs."""
    OPEN.append(duckdb.connect())
    return OPEN[-1]


def duckdb_relation(parts):
    return duckdb_connection().from_arrow(pa.concat_tables(arrow_tables(parts)))


HOLDERS = {
    "dask": dask_frame,
    "dataset": arrow_dataset,
    "stream": arrow_stream,
    "polars": polars_lazy,
    "duckdb": duckdb_relation,
}

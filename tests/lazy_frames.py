"""A frame of pandas as data of each lazy library: Dask, pyarrow, polars, DuckDB."""

import itertools
from functools import partial
from operator import getitem

import dask.dataframe as dd
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds


def dask_frame(parts):
    """A Dask DataFrame of exactly these partitions, which may differ in dtypes."""
    places = range(len(parts))
    return dd.from_map(partial(getitem, parts), places, meta=parts[0], enforce_metadata=False)


def split(frame, cuts):
    """Consecutive parts of a frame; some may be empty."""
    places = [0, *sorted(cut % (len(frame) + 1) for cut in cuts), len(frame)]
    return [frame.iloc[i:j] for i, j in itertools.pairwise(places)]


def arrow_dataset(parts):
    return ds.dataset([pa.Table.from_pandas(part, preserve_index=False) for part in parts])


def arrow_stream(parts):
    return arrow_dataset(parts).scanner().to_reader()


def polars_lazy(parts):
    return pl.concat([pl.from_pandas(part) for part in parts]).lazy()


def duckdb_relation(parts):
    table = pa.concat_tables([pa.Table.from_pandas(part, preserve_index=False) for part in parts])
    return duckdb.connect().from_arrow(table)


HOLDERS = {
    "dask": dask_frame,
    "dataset": arrow_dataset,
    "stream": arrow_stream,
    "polars": polars_lazy,
    "duckdb": duckdb_relation,
}

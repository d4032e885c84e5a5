"""Rows on disk, in a cluster or in a database against rows in memory."""

import numpy as np
import pandas as pd
import polars as pl

from fairordinal import audit
from fuzz import chance, choose
from fuzz.audits import AUDITED, assert_close
from fuzz.rows import draw_names, draw_rows
from lazy_frames import HOLDERS, split


def draw_frame(generator, drawn):
    """Rows as a frame of pandas; some groups are missing."""
    names = draw_names(generator, drawn.n_groups)
    groups = [names[i] for i in drawn.a]
    regions = generator.choice(["north", "south", "NA"], len(groups)).astype(object)
    missing = chance(generator, 0.4)
    if missing:
        regions[generator.random(len(groups)) < 0.3] = None
    frame = pd.DataFrame({"grade": drawn.y, "predicted": drawn.s})
    frame["sex"] = pd.Series(groups, dtype="str")
    frame["region"] = pd.Series(regions.tolist(), dtype="str")
    frame["w"] = drawn.w or [1.0] * len(groups)
    return frame, missing


def engines_count_as_memory_does(generator):
    scores = chance(generator, 0.3)
    drawn = draw_rows(generator, scores=scores, most_rows=30)
    frame, missing = draw_frame(generator, drawn)
    several = chance(generator, 0.4)
    options = {
        "sensitive_features": ["sex", "region"] if several else "sex",
        "sample_weight": "w" if chance(generator, 0.7) else None,
        "missing_group": choose(generator, "own", "drop") if missing and several else "error",
        "criteria": AUDITED[:4] if scores else AUDITED,
        "predictions": "auto" if scores else "labels",
    }
    name, hold = choose(generator, *HOLDERS.items())
    cuts = generator.integers(0, 40, int(generator.integers(0, 4))).tolist()
    expected, wrong = outcome(frame, options)
    found, refused = outcome(hold(split(frame, cuts)), options)
    what = f"{name}, {options}, cuts {cuts} of\n{frame.to_dict('list')}"
    assert (wrong is None) == (refused is None), f"{wrong!r} but {refused!r}: {what}"
    if expected is None or found is None:
        return False
    assert found.table.groups.tolist() == expected.table.groups.tolist(), what
    np.testing.assert_allclose(found.table.rows, expected.table.rows, rtol=1e-12)
    for first, second in zip(found.findings, expected.findings, strict=True):
        assert_close(first.violation, second.violation, f"{first.criterion.name}: {what}")
    return True


def outcome(data, options):
    """An audit, or why there is none."""
    try:
        return audit("grade", "predicted", data=data, **options), None
    except ValueError as error:
        return None, error


def large_numbers_stay_apart(generator):
    """Groups and labels beyond 2**53, which no float tells apart."""
    drawn = draw_rows(generator)
    base = int(choose(generator, 2**53, 2**60, 2**62, -(2**62)))
    frame = pd.DataFrame({"grade": drawn.y, "predicted": drawn.s})
    frame["sex"] = pd.Series([base + i for i in drawn.a], dtype="Int64")
    own = chance(generator, 0.5)
    if own:
        gaps = generator.random(len(frame)) < 0.2
        frame.loc[gaps, "sex"] = pd.NA
    present = frame.dropna(subset="sex")
    if present.sex.nunique() < 2 or present.grade.nunique() < 2:
        return False
    data = choose(generator, frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy())
    found = audit(
        "grade", "predicted", data=data, sensitive_features="sex",
        missing_group="own" if own else "error",
    )  # fmt: skip
    missing = bool(frame.sex.isna().any())
    assert len(found.table.groups) == present.sex.nunique() + missing, frame.to_dict("list")
    return True


LAWS = {engines_count_as_memory_does: 500, large_numbers_stay_apart: 300}

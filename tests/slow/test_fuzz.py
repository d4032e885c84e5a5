"""Random inputs against slow and obvious answers; `tests/fuzz` says how to have one again."""

import pytest

import fuzz
from fuzz import audits, command_line, engines, estimators, model_files, thresholds

AREAS = [audits, thresholds, engines, model_files, estimators, command_line]
CHUNK = 250  # inputs of a test, so that several processes share a law

pytestmark = pytest.mark.slow


def chunks():
    for area in AREAS:
        for law, number in area.LAWS.items():
            for start in range(0, number, CHUNK):
                inputs = range(start, min(start + CHUNK, number))
                yield pytest.param(law, inputs, id=f"{law.__name__}-{start}")


def test_there_are_ten_thousand_inputs():
    assert sum(number for area in AREAS for number in area.LAWS.values()) >= 10_000


@pytest.mark.parametrize(("law", "inputs"), list(chunks()))
def test_law(law, inputs):
    fuzz.fuzz(law, inputs)

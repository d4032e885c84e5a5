"""Fits of models at little cost, for tests that do not ask how well a model is chosen."""

from contextlib import contextmanager

import joblib
import pytest

from fairordinal.thresholds import _evaluation
from fairordinal.thresholds._evaluation import FULL, SEVERAL_GROUPS, SMALL

FEW_CANDIDATES = SMALL._replace(most_proving=FULL.most_proving)  # as for many groups
_FITTED = {}


@contextmanager
def effort(few=FEW_CANDIDATES, several=FEW_CANDIDATES):
    """How many candidates are tried, for few groups and for several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_evaluation, "FULL", few)
        patch.setattr(_evaluation, "SEVERAL_GROUPS", several)
        yield


def full_effort():
    """As many candidates as users have tried for them."""
    return effort(FULL, SEVERAL_GROUPS)


def fitted(model, *rows, **columns):
    """`model` fitted, or the one that was fitted to equal rows before; do not change it."""
    key = joblib.hash((model, rows, columns, _evaluation.FULL, _evaluation.SEVERAL_GROUPS))
    if key not in _FITTED:
        _FITTED[key] = model.fit(*rows, **columns)
    return _FITTED[key]

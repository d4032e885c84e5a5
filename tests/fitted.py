"""Fits of models at little cost, for tests that do not ask how well a model is chosen."""

from contextlib import contextmanager

import joblib
import pytest

from fairordinal.thresholds import _evaluation
from fairordinal.thresholds._evaluation import FULL, SEVERAL_GROUPS, SMALL

_FITTED = {}


@contextmanager
def effort(few=SMALL, several=SMALL):
    """How many candidates are tried, for few groups and for several; SMALL is for many groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_evaluation, "FULL", few)
        patch.setattr(_evaluation, "SEVERAL_GROUPS", several)
        yield


def full_effort():
    """As many candidates as users have tried for them."""
    return effort(FULL, SEVERAL_GROUPS)


def fitted(model, X, y, a, **columns):
    """`model` fitted, or the one that was fitted to equal rows before; do not change it."""
    key = joblib.hash((model, X, y, a, columns, _evaluation.FULL, _evaluation.SEVERAL_GROUPS))
    if key not in _FITTED:
        _FITTED[key] = model.fit(X, y, sensitive_features=a, **columns)
    return _FITTED[key]

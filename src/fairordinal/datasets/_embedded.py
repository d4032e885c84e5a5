"""Data sets with ordered labels and sensitive groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

__all__ = ["load_diabetes"]

N_LEVELS = 5


def load_diabetes() -> Any:
    """Load scikit-learn's diabetes data as an ordinal task: five levels of disease progression.

    Embedded in scikit-learn; nothing is downloaded.

    Returns
    -------
    data : Bunch
        `data` of shape (442, 9), without the sensitive feature; `target`, levels 0 to 4 of equal
        size (progression after a year, cut at its quintiles); `sensitive_features`, ``"sex 1"``
        or ``"sex 2"`` as the source codes them; `feature_names`; `DESCR`.

    Examples
    --------
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> data.data.shape, np.bincount(data.target).tolist()
    ((442, 9), [91, 87, 89, 87, 88])
    """
    source = sklearn_datasets.load_diabetes()
    sex = source.feature_names.index("sex")
    cuts = np.quantile(source.target, np.arange(1, N_LEVELS) / N_LEVELS)
    return Bunch(
        data=np.delete(source.data, sex, axis=1),
        target=np.searchsorted(cuts, source.target, side="left"),
        sensitive_features=np.where(source.data[:, sex] < 0, "sex 1", "sex 2"),
        feature_names=[name for name in source.feature_names if name != "sex"],
        DESCR=source.DESCR,
    )

"""The methods of ORCA by name: skordinal's, scikit-learn's, and compositions of both."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR

from fairordinal._validation import check_choice
from fairordinal.baselines._decompositions import (
    HierarchicalClassifier,
    OrderedPartitionsClassifier,
    ProjectionEnsembleClassifier,
)
from fairordinal.baselines._proportional_odds import ProportionalOddsClassifier

Grid = dict[str, list[Any]]


def _skordinal(name: str, **options: Any) -> Any:
    """A classifier of skordinal, which is imported only here."""
    try:
        classifiers = importlib.import_module("skordinal.classifiers")
    except ImportError as error:
        raise ImportError(
            f"{name} comes from skordinal, which is not installed: pip install "
            "'fairordinal[baselines]'."
        ) from error
    return getattr(classifiers, name)(**options)


def _scaled_regression() -> Any:
    """Regression on labels scaled to [0, 1], rounded."""
    inner = TransformedTargetRegressor(SVR(), transformer=MinMaxScaler())
    return _skordinal("RegressorWrapper", estimator=inner)


MAKERS: dict[str, Callable[[], Any]] = {
    "SVC1V1": SVC,
    "SVC1VA": lambda: OneVsRestClassifier(SVC()),
    "SVR": _scaled_regression,
    "CSSVC": lambda: _skordinal("CostSensitiveWrapper", estimator=SVC()),
    "SVMOP": lambda: OrderedPartitionsClassifier(SVC()),
    "NNOP": lambda: _skordinal("NNOP", random_state=0),
    "ELMOP": lambda: _skordinal("ELMOP", random_state=0),
    "OPBE": lambda: ProjectionEnsembleClassifier(_skordinal("SVOR")),
    "POM": ProportionalOddsClassifier,
    "NNPOM": lambda: _skordinal("NNPOM", random_state=0),
    "SVOREX": lambda: _skordinal("SVOR", constraints="explicit"),
    "SVORIM": lambda: _skordinal("SVOR"),
    "SVORLin": lambda: _skordinal("SVOR", kernel="linear"),
    "KDLOR": lambda: _skordinal("KDLOR"),
    "REDSVM": lambda: _skordinal("REDSVM"),
    "ORBoost": lambda: _skordinal("ORBoost", n_estimators=2000, loss_form="full"),
    "HPOLD": lambda: HierarchicalClassifier(SVC(), _skordinal("SVOR")),
}

POWERS = [10.0**exponent for exponent in range(-3, 4)]


def _grid(**values: list[Any]) -> Grid:
    return {f"method__{name}": value for name, value in values.items()}


def _kernel_grid(prefix: str = "") -> Grid:
    """Price of errors and width of the kernel."""
    return _grid(**{f"{prefix}C": POWERS, f"{prefix}gamma": POWERS})


def _shared_grid() -> list[Grid]:
    """Both parts of a hierarchy with the same parameters."""
    return [
        _grid(binary__C=[c], ordinal__C=[c], binary__gamma=[g], ordinal__gamma=[g])
        for c in POWERS
        for g in POWERS
    ]


NETWORK_GRID = _grid(
    n_hidden=[5, 10, 20, 30, 40, 50], max_iter=[250, 500], alpha=[1e-12, 0.01, 1.0]
)  # skordinal takes no alpha of 0

# those of src/config-files in github.com/ayrna/orca, where k is the width of a kernel
ORCA_GRIDS: dict[str, Grid | list[Grid]] = {
    "SVC1V1": _kernel_grid(),
    "SVC1VA": _kernel_grid("estimator__"),
    "SVR": _kernel_grid("estimator__regressor__")
    | _grid(estimator__regressor__epsilon=[1e-3, 1e-2, 1e-1, 1.0]),
    "CSSVC": _kernel_grid("estimator__"),
    "SVMOP": _kernel_grid("estimator__"),
    "NNOP": NETWORK_GRID,
    "ELMOP": _grid(n_hidden=[5, *range(10, 101, 10)]),
    "OPBE": _kernel_grid("estimator__"),
    "POM": {},
    "NNPOM": NETWORK_GRID,
    "SVOREX": _kernel_grid(),
    "SVORIM": _kernel_grid(),
    "SVORLin": _grid(C=POWERS),
    "KDLOR": _kernel_grid() | _grid(u=[1e-2, 1e-3, 1e-4, 1e-5, 1e-6]),
    "REDSVM": _kernel_grid(),
    "ORBoost": {},
    "HPOLD": _shared_grid(),
}


def orca_methods() -> list[str]:
    """Names of the 17 methods of ORCA.

    Returns
    -------
    names : list of str
        For `make_orca` and `ORCA_GRIDS`.

    Examples
    --------
    >>> from fairordinal.baselines import orca_methods
    >>> len(orca_methods())
    17
    """
    return list(MAKERS)


def make_orca(name: str) -> Pipeline:
    """A method of ORCA by name, after standardising features as ORCA does.

    Parameters
    ----------
    name : str
        One of `orca_methods`.

    Returns
    -------
    model : Pipeline
        Steps ``"scale"`` and ``"method"``, not fitted, with default hyperparameters; tune them
        over ``ORCA_GRIDS[name]`` by five folds and the mean absolute error, as ORCA does. Labels
        are whole numbers.

    Notes
    -----
    Gutiérrez, Pérez-Ortiz, Sánchez-Monedero, Fernández-Navarro, Hervás-Martínez: Ordinal Regression
    Methods: Survey and Experimental Study, IEEE Transactions on Knowledge and Data Engineering 28,
    2016. Thirteen methods are those of skordinal, by the authors of ORCA, or need it (the extra
    ``baselines``). Not as in ORCA: ORBoost grows stumps, for skordinal does not seed perceptrons;
    probabilities of SVMOP come from scikit-learn's calibration; POM is
    :class:`ProportionalOddsClassifier`.

    Examples
    --------
    >>> from fairordinal.baselines import make_orca
    >>> make_orca("SVC1V1").fit([[0], [1], [2], [3]], [1, 1, 2, 2]).predict([[0], [3]])
    array([1, 2])
    """
    maker = MAKERS[check_choice(name, "name", tuple(MAKERS))]
    return Pipeline([("scale", StandardScaler()), ("method", maker())])

"""The methods of ORCA by name, made of estimators of skordinal, scikit-learn and this package."""

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
    """Return a classifier of skordinal, which is an optional dependency."""
    try:
        classifiers = importlib.import_module("skordinal.classifiers")
    except ImportError as error:
        raise ImportError(
            f"{name} comes from skordinal, which is not installed: pip install "
            "'fairordinal[baselines]'."
        ) from error
    return getattr(classifiers, name)(**options)


def _scaled_regression() -> Any:
    """Return a support vector regression on labels scaled to [0, 1], rounded to labels."""
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
    """Return a grid for the step "method" of a pipeline."""
    return {f"method__{name}": value for name, value in values.items()}


def _kernel_grid(prefix: str = "") -> Grid:
    """Return a grid for the penalty of errors and the width of the kernel."""
    return _grid(**{f"{prefix}C": POWERS, f"{prefix}gamma": POWERS})


def _shared_grid() -> list[Grid]:
    """Return grids in which both classifiers of a hierarchy have the same parameters."""
    return [
        _grid(binary__C=[c], ordinal__C=[c], binary__gamma=[g], ordinal__gamma=[g])
        for c in POWERS
        for g in POWERS
    ]


NETWORK_GRID = _grid(
    n_hidden=[5, 10, 20, 30, 40, 50], max_iter=[250, 500], alpha=[1e-12, 0.01, 1.0]
)  # ORCA has an alpha of 0, which skordinal refuses

# from src/config-files in github.com/ayrna/orca, where the width of a kernel is called k
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
    """Return the names of the 17 methods of ORCA.

    Returns
    -------
    names : list of str
        Names for `make_orca` and `ORCA_GRIDS`.

    See Also
    --------
    make_orca : A method by its name.

    Examples
    --------
    >>> from fairordinal.baselines import orca_methods
    >>> len(orca_methods())
    17
    """
    return list(MAKERS)


def make_orca(name: str) -> Pipeline:
    """Return a method of ORCA by its name, with standardised features as in ORCA.

    Parameters
    ----------
    name : str
        One of `orca_methods`.

    Returns
    -------
    model : Pipeline
        Pipeline with steps ``"scale"`` and ``"method"``, not fitted, with default hyperparameters.
        ORCA tunes them over ``ORCA_GRIDS[name]``, by five folds and the mean absolute error. Labels
        must be integers.

    See Also
    --------
    orca_methods : Names of the methods.
    fairordinal.datasets.fetch_orca : ORCA's benchmark sets.

    Notes
    -----
    The methods are those of [1]_. Thirteen of them need skordinal, by the authors of ORCA, which
    ``pip install fairordinal[baselines]`` installs. Differences from ORCA: ORBoost uses stumps,
    because skordinal does not seed perceptrons; probabilities of SVMOP are calibrated by
    scikit-learn; POM is :class:`ProportionalOddsClassifier`.

    References
    ----------
    .. [1] Gutiérrez, Pérez-Ortiz, Sánchez-Monedero, Fernández-Navarro, Hervás-Martínez: Ordinal
       Regression Methods: Survey and Experimental Study, IEEE Transactions on Knowledge and Data
       Engineering 28, 2016.

    Examples
    --------
    >>> from fairordinal.baselines import make_orca
    >>> make_orca("SVC1V1").fit([[0], [1], [2], [3]], [1, 1, 2, 2]).predict([[0], [3]])
    array([1, 2])
    """
    maker = MAKERS[check_choice(name, "name", tuple(MAKERS))]
    return Pipeline([("scale", StandardScaler()), ("method", maker())])

"""Methods of other packages for `bench_peers`, where these packages are installed.

OxonFair (0.3), blind. One binary task for each question "is the label above c?"; the label is the
number of answers "yes", as in `fairordinal.baselines.CumulativeClassifier`. Each task has cut-offs
for the groups that a second classifier infers from the features, and for rows of which it is
unsure. Demographic parity of every answer stands for ours, equal opportunity (recall) for ours.
The limit of this criterion is swept; the search for cut-offs is done once. Cut-offs are fitted to
the training rows, which OxonFair's documentation allows for small data: on test rows of some
splits of the main data sets this did better than a held-out fifth.

holisticai (1.0.14), aware; both fitted to predictions for training rows, as in its pipeline.

- `LPDebiaserMulticlass` draws new labels, given group and predicted label. EO only: it has no
  parity constraint. Nothing to sweep, but two constraints: equal recall of each label ("equalized
  opportunity"), and also equal false-positive rates ("equalized odds"). It is measured as it is
  shipped. Its `transform` uses the probabilities of new labels given the *true* label where those
  given the *predicted* label belong, so that labels change even if the groups do not differ.
- `MLDebiaser` changes the probabilities of labels towards statistical parity. DP only. Its
  tolerance `eps` is swept, for two values of the regularisation `gamma`. It has no model of the
  training rows: `transform` solves its problem for the rows to predict, all at once, with their
  groups. So its CPU seconds are those of the classifier alone.

The classifier is the logistic regression of `bench_peers`. An adapter raises ValueError if a
package has nothing for the criterion.
"""

from __future__ import annotations

import logging
import sys
from copy import copy
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
from sklearn.linear_model import LogisticRegression

FEW_LIMITS = (0.0, 0.05, 0.1, 0.2)  # of MLDebiaser, which has two parameters
LIMITS = (0.0, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0)
UNSURE = 2 / 3  # OxonFair's default: below this probability, the group of a row is unknown
GAMMAS = (1.0, 0.1)  # holisticai's default, and nearer to a deterministic rule
MITIGATION = "holisticai.bias.mitigation"
DEBIASERS = {
    "LPDebiaserMulticlass": "postprocessing.lp_debiaser.multiclass_balancer.transformer",
    "MLDebiaser": "postprocessing.ml_debiaser.transformer",
}


def logistic():
    return LogisticRegression(C=0.1, max_iter=2000, tol=1e-3)


# OxonFair -------------------------------------------------------------------------------------


def oxonfair_inferred(short, X, y, a):
    logging.getLogger("oxonfair").setLevel(logging.ERROR)
    labels, guess = np.unique(y), logistic().fit(X, a)
    tasks = [fair_answers(short, X, (y > label).astype(int), a, guess) for label in labels[:-1]]
    return [counted(labels, models) for models in zip(*tasks, strict=True)]


def fair_answers(short, X, above, a, guess):
    """Predictors of a binary task, one for each limit."""
    from oxonfair import DataDict, FairPredictor, group_metrics

    metric = {"DP": group_metrics.demographic_parity, "EO": group_metrics.equal_opportunity}[short]
    model = FairPredictor(
        logistic().fit(X, above),
        DataDict(above, X, a),
        inferred_groups=guess,
        threshold=certainty(guess.predict_proba(X)),
    )
    # A search is only made for the first limit; every copy has offsets of its own.
    found = [
        copy(model.fit(group_metrics.accuracy, metric, limit, recompute=False)) for limit in LIMITS
    ]
    for one in found:
        one.offset = with_all_groups(one.offset, len(guess.classes_))
    return found


def certainty(probabilities):
    """OxonFair's threshold for unknown groups; 0, without, where its `fit` would fail.

    It numbers unknown groups 0, the others from 1, and does not allow gaps in these numbers.
    """
    known = probabilities.max(axis=1) >= UNSURE
    numbers = np.unique(np.where(known, probabilities.argmax(axis=1) + 1, 0))
    return UNSURE if len(numbers) == numbers.max() + 1 else 0


def with_all_groups(offset, n_groups):
    """Offsets also of groups inferred for no training row, which `predict` would not find."""
    return np.pad(offset, (0, n_groups + 1 - len(offset)))


def counted(labels, models):
    return lambda X, a: labels[np.sum([model.predict(X) for model in models], axis=0)]


# holisticai -----------------------------------------------------------------------------------


def lp_debiaser(short, X, y, a):
    if short != "EO":
        raise ValueError("LPDebiaserMulticlass has no constraint for demographic parity.")
    base, kind = logistic().fit(X, y), debiaser("LPDebiaserMulticlass")
    codes, predicted = np.searchsorted(base.classes_, (y, base.predict(X)))
    found = []
    for constraint in ("EqualizedOpportunity", "EqualizedOdds"):
        model = kind(constraint=constraint, loss="macro")
        found.append(model.fit(codes, predicted, *two_columns(a)))
    return [redrawn(base, model) for model in found]


def redrawn(base, model):
    def predict(X, a):
        predicted = np.searchsorted(base.classes_, base.predict(X))
        return base.classes_[model.transform(predicted, *two_columns(a))["y_pred"]]

    return predict


def ml_debiaser(short, X, y, a):
    if short != "DP":
        raise ValueError("MLDebiaser knows statistical parity only.")
    two_columns(a)
    base, kind = logistic().fit(X, y), debiaser("MLDebiaser")
    return [reweighed(base, kind, gamma, eps) for gamma, eps in product(GAMMAS, FEW_LIMITS)]


def reweighed(base, kind, gamma, eps):
    """A new debiaser for every call: it would keep rates of labels from its first one.

    With 10 stochastic steps, labels are those of its default of 10 000: full gradients follow.
    """

    def predict(X, a):
        probabilities, columns = base.predict_proba(X), two_columns(a)
        model = kind(gamma=gamma, eps=eps, sgd_steps=10, verbose=False)
        changed = model.fit(probabilities, *columns).transform(probabilities, *columns)
        return base.classes_[changed["y_pred"]]

    return predict


def two_columns(a):
    """Two or three groups as holisticai's pair of columns; the third group is in neither."""
    if np.max(a) > 2:
        raise ValueError("More than three groups.")
    return a == 0, a == 1


def debiaser(name):
    """A class of holisticai, also without jax, which its packages import for other methods."""
    if find_spec("jax") is None:
        for package in ("", ".inprocessing", ".postprocessing"):
            stand_in(MITIGATION + package)
    return getattr(import_module(f"{MITIGATION}.{DEBIASERS[name]}"), name)


def stand_in(package):
    """An empty package in the place of one, so that its modules can be imported without it."""
    if package not in sys.modules:
        module, (parent, _, name) = ModuleType(package), package.rpartition(".")
        module.__path__ = [str(Path(import_module(parent).__path__[0]) / name)]
        sys.modules[package] = module


BLIND = {"OxonFair, inferred groups": oxonfair_inferred} if find_spec("oxonfair") else {}
AWARE = {}
if find_spec("holisticai"):
    AWARE = {"LPDebiaserMulticlass": lp_debiaser, "MLDebiaser": ml_debiaser}

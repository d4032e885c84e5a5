"""Probabilities of labels, given the score: monotone curves learned from held-out scores.

For each boundary l between labels, the share of rows with a label above l is fitted by isotonic
regression on the score: neighbouring rows are pooled until the share does not fall from one block
to the next. The curves of all boundaries do not cross, because isotonic regression keeps the order
of what is fitted: more rows are above a lower boundary, at each score.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.isotonic import isotonic_regression

from fairordinal._rows import lazy_table
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, is_dask


class LabelCurves(NamedTuple):
    """For each boundary between labels, the share of rows above it as a function of the score.

    Linear between the knots, which are the ends of blocks of pooled rows, and constant beyond them.
    """

    scores: Array  # (n_knots,)    ascending
    above: Array  # (n_labels - 1, n_knots)    not falling along the knots, not rising with l

    def probabilities(self, scores: Array) -> Array:
        """The probability of each label, (n_rows, n_labels)."""
        above = [np.interp(scores, self.scores, shares) for shares in self.above]
        falling = np.stack([np.ones(len(scores)), *above, np.zeros(len(scores))], axis=1)
        return np.maximum(-np.diff(falling, axis=1), 0.0)  # rounding may make it less than 0


def label_curves(table: ScoreTable, shift: float = 0.0) -> LabelCurves:
    """Learn curves from counts of scores, to which `shift` is added.

    The lowest and the highest score get a pseudo-row each, whose label is divided as those of all
    rows, so that a few rows at an end do not make a curve 0 or 1.
    """
    n_groups, n_labels, _ = table.shape
    by_label = np.tile(np.eye(n_labels), n_groups) @ table.counts
    shares = by_label.sum(axis=1) / by_label.sum()
    for end in (0, -1):
        by_label[:, end] += table.one * shares
    weight = by_label.sum(axis=0)
    above = np.cumsum(by_label[:0:-1], axis=0)[::-1] / weight
    curves = np.stack([isotonic_regression(shares, sample_weight=weight) for shares in above])
    jumps = np.concatenate([[True], np.diff(curves).any(axis=0), [True]])
    knots = jumps[:-1] | jumps[1:]
    return LabelCurves(table.axis[knots] + shift, np.minimum.accumulate(curves[:, knots]))


class LabelProbabilitiesMixin:
    """Probabilities of labels for classifiers with `decision_function` and `label_curves_`."""

    label_curves_: LabelCurves
    classes_: Array

    def predict_proba(self, X: Any) -> Array:
        """Estimate the probability of each label, given the score.

        `predict` does not return the most probable label: it compares the score with thresholds
        that keep a limit to the violation and minimise the cost.

        Parameters
        ----------
        X : array-like, or Dask collection, of shape (n_samples, n_features)
            Features.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_labels)
            Columns in the order of `classes_`; rows sum to 1. Lazy for Dask collections.

        Notes
        -----
        For each boundary between labels, the share of rows above it is a monotone function of the
        score, fitted by isotonic regression to the scores by which the thresholds were chosen:
        out-of-fold scores, or those of the fitted model if `FairOrdinalClassifier` is fitted to
        more than 2¹⁷ rows. At each end, a row of weight 1 with the shares of all labels is added. A
        constant model gives these shares. Probabilities are calibrated for all groups together, and
        do not depend on the group: within a group, a label may be more frequent than they say.
        """
        scores = self.decision_function(X)  # type: ignore[attr-defined]
        if is_dask(scores):
            return lazy_table(self.label_curves_.probabilities, scores, self.classes_.tolist())
        return self.label_curves_.probabilities(scores)

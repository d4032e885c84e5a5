r"""Confidence intervals of disparities, computed from the table of counts.

A disparity is a smooth function of the counts. With the influence ``psi_e(u, b)`` of one more row
at cell u and position b (`Criterion.influence`), the covariance of the disparities e and e' is
estimated by::

    cov[e, e'] = sum_g n_g / (n_g - 1) * sum_{u in g, b} T[u, b] psi_e(u, b) psi_e'(u, b)

This is DeLong's estimator for demographic parity, and the delta method for the ratios of equal
opportunity. Three refinements improve the coverage in small samples. ``tests/slow`` measures it:
intervals of pairwise criteria are reliable, those of the standard criteria, which have a part for
each label, less so in small groups.

* Fisher's scale: the interval is symmetric in ``atanh(disparity / scale)``, and so stays in the
  possible range.
* One uninformative pseudo-row per group (`ScoreTable.padded`): the variance is positive even if
  groups are perfectly separated or all predictions are equal.
* Intervals hold for all pairs of groups simultaneously: the critical value is the quantile of the
  greatest absolute entry of a Gaussian vector with the estimated correlations (max-t).

A frequency weight of 2 is equivalent to a row repeated twice. Sums are in units of the table, in
which one row has the weight ``table.one``, so that very large weights do not overflow.

With survey weights w, a row changes a disparity by ``w * psi``. The sum of the squares of the
weights at (u, b) then replaces ``T[u, b]``, and n_g is the effective number of rows,
``(Σw)² / Σw²``; this is the linearised (sandwich) variance of weighted means. One row of a group,
such as the pseudo-row, has the weight ``Σw² / Σw``.

``_delta_method`` has the estimates and their covariance, ``_intervals`` the intervals, bounds and
sample sizes that are made of them.

References
----------
DeLong, DeLong, Clarke-Pearson, Biometrics 1988. Feng and Cliff, J. Mod. Appl. Stat. Methods
2004. Hothorn, Bretz, Westfall, Biometrical Journal 2008. Gavinsky, Lovett, Saks, Srinivasan,
Random Structures & Algorithms 2015 (the tail bound of appendix A.4 of the paper). Binder,
International Statistical Review 1983 (survey weights). Kish, Survey Sampling, 1965.
"""

from fairordinal._inference._delta_method import (
    fisher_estimates,
    measured_contrasts,
    row_effects,
)
from fairordinal._inference._intervals import (
    METHODS,
    Intervals,
    intervals,
    least_known_pair,
    rows_for_power,
    violation_bound,
)

__all__ = [
    "METHODS",
    "Intervals",
    "fisher_estimates",
    "intervals",
    "least_known_pair",
    "measured_contrasts",
    "row_effects",
    "rows_for_power",
    "violation_bound",
]

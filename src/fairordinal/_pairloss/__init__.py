r"""The loss of all pairs of rows, computed without forming pairs.

With cells u = (group, true label), row weights w, signed weights W of pairs of cells and a loss ℓ::

    L(s) = sum_uv |W_uv| sum_{i in u, j in v} w_i w_j ℓ(sgn(W_uv) (s_i - s_j))

A positive weight asks that rows of u score above rows of v, a negative one the reverse. There are
two ways to compute L and its gradient by the scores; `make_pair_loss` takes the one that suits ℓ:

* **Histograms** for a smooth ℓ (`logistic`, `smooth_hinge`). L depends on the scores only through
  the histograms of the cells, which are convolved with ℓ by FFT. Beyond a distance of 40 these
  losses are linear up to rounding. Longer gaps between scores are therefore shortened to 40, and a
  linear term is added, so that outliers need no bins. Histograms of blocks of rows add up. The cost
  is O(n + m·B·log B) with m cells and B bins.
* **Sorting** for the `squared_hinge`, whose derivative has a kink that bins would blur. The cost is
  O(n·log n + n·m).

The modules, in the order of their imports:

=============== =====================================================================
`_losses`       ℓ, and a smooth step in place of wins
`_bins`         scores spread over bins by cubic B-splines, and potentials read off bins
`_histogram`    potentials of all pairs by FFT; cells that are merged
`_pair_loss`    the loss and its derivatives by the score of each row; sums by sorting
=============== =====================================================================
"""

from fairordinal._pairloss._bins import (
    Bins,
    GridCounts,
    add_grid_counts,
    count_on_grid,
    slopes_at,
    spread,
)
from fairordinal._pairloss._histogram import Histogram, MergedCells, merge_equal_rows
from fairordinal._pairloss._losses import LOSSES, STEP, Kernel
from fairordinal._pairloss._pair_loss import PairLoss, make_pair_loss

__all__ = [
    "LOSSES",
    "STEP",
    "Bins",
    "GridCounts",
    "Histogram",
    "Kernel",
    "MergedCells",
    "PairLoss",
    "add_grid_counts",
    "count_on_grid",
    "make_pair_loss",
    "merge_equal_rows",
    "slopes_at",
    "spread",
]

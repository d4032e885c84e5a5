r"""A loss of all pairs of rows, without forming one.

With cells u = (group, true label), signed weights of pairs of cells W and a loss ℓ::

    L(s) = sum_uv |W_uv| sum_{i in u, j in v} w_i w_j ℓ(sgn(W_uv) (s_i - s_j))

A positive weight asks that rows of u score above rows of v, a negative one the reverse. `measure`
sums it in the way that suits ℓ, and gives its derivatives by the score of each row.

A smooth ℓ, `logistic` or `smooth_hinge`, sees the scores only through the cells' histograms
(`Histogram`):

* spread each score over the 4 nearest of B bins with cubic B-spline weights;
* convolve the histograms with the kernel ℓ(bin · h), by FFT, and mix them by W into a potential
  φ_u for each cell; the kernel is sharpened so that spreading twice gives ℓ back;
* L = ½ Σ_i w_i φ_u(i)(s_i), and its gradient is w_i φ'_u(i)(s_i).

Histograms of blocks of rows add up, so that rows may lie anywhere. Cost O(n + m·B·log B) with m
cells and B = range/h bins. Beyond 40 units of distance these losses
are linear to rounding, so that gaps in the scores are shortened to 40 without changing anything but
a linear term: outliers cost nothing.

The `squared_hinge` has a kink, and is summed exactly by sorting the scores (`Sorted`), in
O(n·log n + n·m).
"""

from fairordinal._pairloss._alike import Alike, alike_rows
from fairordinal._pairloss._bins import Bins, Tally, added, slopes_at, spread, tally
from fairordinal._pairloss._histogram import Histogram
from fairordinal._pairloss._kernels import LOSSES, STEP, Kernel
from fairordinal._pairloss._loss import PairLoss
from fairordinal._pairloss._measure import measure

__all__ = [
    "LOSSES",
    "STEP",
    "Alike",
    "Bins",
    "Histogram",
    "Kernel",
    "PairLoss",
    "Tally",
    "added",
    "alike_rows",
    "measure",
    "slopes_at",
    "spread",
    "tally",
]

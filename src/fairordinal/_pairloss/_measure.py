"""Which way of summing suits a loss."""

from __future__ import annotations

import numpy as np

from fairordinal._pairloss._kernels import Kernel
from fairordinal._pairloss._loss import Binned, PairLoss
from fairordinal._pairloss._sorted import Sorted
from fairordinal._validation import Array


def measure(
    kernel: Kernel,
    scores: Array,
    cells: Array,
    n_cells: int,
    weight: Array,
    *,
    detail: float = np.inf,
) -> PairLoss:
    """All pairs of rows, for a loss; `detail` is that of other kernels that share its bins."""
    way = Sorted if kernel.kinked else Binned
    return way(kernel, scores, cells, n_cells, weight, detail=min(kernel.detail, detail))

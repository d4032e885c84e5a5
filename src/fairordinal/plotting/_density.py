"""Smooth densities of weighted values: a fine histogram, blurred."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._validation import Array

N_BINS = 400
NARROWEST = 1.5  # bins that the blur spreads over at least
TAIL = 0.002  # share of the rows on either side that may lie outside the picture
FAR = 1.5  # how far the picture reaches beyond the rest, in units of its length


def picture_range(values: Array, weights: Array, marks: Array) -> tuple[float, float]:
    """From where to where values are shown: all of them, but for far outliers, and the marks."""
    order = np.argsort(values)
    share = np.cumsum(weights[order]) / weights.sum()
    inner = values[order][np.searchsorted(share, [TAIL, 1.0 - TAIL]).clip(0, len(values) - 1)]
    reach = FAR * (inner[1] - inner[0])
    seen = values[(values >= inner[0] - reach) & (values <= inner[1] + reach)]
    seen = np.concatenate([seen, marks[np.isfinite(marks)]])
    low, high = float(seen.min()), float(seen.max())
    margin = 0.06 * (high - low) or max(abs(low), 1.0) * 0.5
    return low - margin, high + margin


def density(values: Array, weights: Array, edges: Array) -> Array:
    """Density at the middle of each bin, by Silverman's rule of thumb."""
    share = weights / weights.sum()
    counts, _ = np.histogram(values, bins=edges, weights=share)
    width = edges[1] - edges[0]
    blur = max(_spread(values, share) * 0.9 * _rows(weights) ** -0.2, NARROWEST * width)
    steps = np.arange(len(counts)) * width / blur
    kernel = np.exp(-0.5 * (steps[:, None] - steps[None, :]) ** 2)
    smooth: Array = (kernel / kernel.sum(axis=0)) @ counts / width  # mass stays in the picture
    return smooth


def _rows(weights: Array) -> float:
    """How many rows of equal weight tell as much."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 1.0


def _spread(values: Array, share: Array) -> float:
    """Standard deviation, or less if the quartiles are close."""
    order = np.argsort(values)
    places = np.searchsorted(np.cumsum(share[order]), [0.25, 0.75]).clip(0, len(values) - 1)
    quartiles: Any = values[order][places]
    deviation = float(np.sqrt(max(share @ values**2 - (share @ values) ** 2, 0.0)))
    between = float(quartiles[1] - quartiles[0]) / 1.34
    return min(deviation, between) if between > 0 else deviation

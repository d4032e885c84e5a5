"""Figures in the style of scikit-learn's displays; they need ``pip install fairordinal[plot]``.

Each display has `from_*` methods that compute and draw, `plot` to draw again, `ax_` and `figure_`
for changes by the caller, and `frame`, which returns the plotted numbers. New figures have a layout
that keeps all text inside; if you pass axes, make their figure with ``layout="constrained"``.

Names that are not in `__all__` are for other packages of this library.
"""

from fairordinal.plotting._canvas import distinct_names as distinct_names
from fairordinal.plotting._canvas import pyplot as pyplot
from fairordinal.plotting._confusion import GroupConfusionDisplay
from fairordinal.plotting._disparity import DisparityDisplay
from fairordinal.plotting._disparity import colour_limit as colour_limit
from fairordinal.plotting._disparity import worst_parts as worst_parts
from fairordinal.plotting._frontier import FrontierDisplay
from fairordinal.plotting._importance import ImportanceDisplay
from fairordinal.plotting._points import Points
from fairordinal.plotting._points import model_number as model_number
from fairordinal.plotting._score_data import Cuts
from fairordinal.plotting._score_data import density as density
from fairordinal.plotting._score_data import group_weights as group_weights
from fairordinal.plotting._score_data import picture_range as picture_range
from fairordinal.plotting._score_data import score_shift as score_shift
from fairordinal.plotting._scores import MOST_OVERLAID as MOST_OVERLAID
from fairordinal.plotting._scores import ScoreDisplay

__all__ = [
    "Cuts",
    "DisparityDisplay",
    "FrontierDisplay",
    "GroupConfusionDisplay",
    "ImportanceDisplay",
    "Points",
    "ScoreDisplay",
]

"""Pictures, as scikit-learn's displays draw them; they need ``pip install fairordinal[plot]``.

Each has `from_*` methods that compute and draw, `plot` to draw again, `ax_` and `figure_` to go on
with, and `frame`, which gives the plotted numbers back. Figures made here keep all names inside;
axes that you pass do so if their figure has ``layout="constrained"``.
"""

from fairordinal.plotting._confusion import GroupConfusionDisplay
from fairordinal.plotting._disparity import DisparityDisplay
from fairordinal.plotting._frontier import FrontierDisplay
from fairordinal.plotting._importance import ImportanceDisplay
from fairordinal.plotting._points import Points
from fairordinal.plotting._scores import Cuts, ScoreDisplay

__all__ = [
    "Cuts",
    "DisparityDisplay",
    "FrontierDisplay",
    "GroupConfusionDisplay",
    "ImportanceDisplay",
    "Points",
    "ScoreDisplay",
]

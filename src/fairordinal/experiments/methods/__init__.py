"""What is compared: a file for each kind of predictor in the paper's figures."""

from fairordinal.experiments.methods.constant import Constant
from fairordinal.experiments.methods.limits import Limits
from fairordinal.experiments.methods.odds import Odds
from fairordinal.experiments.methods.orca import Orca
from fairordinal.experiments.methods.recipe import Recipe

__all__ = ["Constant", "Limits", "Odds", "Orca", "Recipe"]

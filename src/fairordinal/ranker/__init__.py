"""Step 1 of the method: linear rankers, learned from all pairs of rows, from accurate to fair.

============== ======================================================================
`_inputs`      from the arguments of ``fit`` to rows
`_pairs`       rows and a criterion as weights of pairs of cells
`_objective`   what a ranker minimises, as a function of its coefficients
`_solver`      how it is minimised: L-BFGS in whitened coordinates
`_paths`       paths from accurate to fair; the strength of the l2 penalty
`_plug_in`     plug-in rules: costs of labels by group instead of coefficients
`_linear`      the ranker as an estimator
`_gradient`    the objective by scores, for other learners
============== ======================================================================

Names that are not in `__all__` are for other packages of this library.
"""

from fairordinal.ranker._gradient import PairwiseGradient, pairwise_gradient
from fairordinal.ranker._inputs import lazy_features as lazy_features
from fairordinal.ranker._inputs import numbers_needed as numbers_needed
from fairordinal.ranker._inputs import read_features as read_features
from fairordinal.ranker._inputs import read_rows as read_rows
from fairordinal.ranker._linear import FairLinearRanker
from fairordinal.ranker._objective import Aim as Aim
from fairordinal.ranker._pairs import PairData as PairData
from fairordinal.ranker._pairs import pair_data as pair_data
from fairordinal.ranker._pairs import require_pairwise as require_pairwise
from fairordinal.ranker._pairs import require_sorting as require_sorting
from fairordinal.ranker._paths import ALPHAS as ALPHAS
from fairordinal.ranker._paths import accuracies_by_alpha as accuracies_by_alpha
from fairordinal.ranker._paths import constant_ranker as constant_ranker
from fairordinal.ranker._paths import fit_path as fit_path
from fairordinal.ranker._paths import is_small as is_small
from fairordinal.ranker._paths import measured_in_folds as measured_in_folds
from fairordinal.ranker._paths import methods_of as methods_of
from fairordinal.ranker._paths import sample_of as sample_of
from fairordinal.ranker._plug_in import PlugIn as PlugIn
from fairordinal.ranker._plug_in import PlugInTrees as PlugInTrees
from fairordinal.ranker._plug_in import costs_of_rules as costs_of_rules
from fairordinal.ranker._solver import Fit as Fit
from fairordinal.ranker._solver import Training as Training
from fairordinal.ranker._solver import warn_unconverged as warn_unconverged

__all__ = ["FairLinearRanker", "PairwiseGradient", "pairwise_gradient"]

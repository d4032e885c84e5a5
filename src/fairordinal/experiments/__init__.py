"""The paper's experiments: run them by name, resume them, and compare with the paper."""

from fairordinal.experiments._experiment import ClaimCheck, Experiment, Options
from fairordinal.experiments._reproduce import EXPERIMENTS, Reproduction, reproduce

__all__ = ["EXPERIMENTS", "ClaimCheck", "Experiment", "Options", "Reproduction", "reproduce"]

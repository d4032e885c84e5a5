"""The paper's experiments: run them by name, resume them, and compare with the paper."""

from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments._reproduce import EXPERIMENTS, Report, reproduce

__all__ = ["EXPERIMENTS", "Experiment", "Finding", "Options", "Report", "reproduce"]

"""The paper's experiments by name, resumable."""

from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments._reproduce import EXPERIMENTS, Report, reproduce

__all__ = ["EXPERIMENTS", "Experiment", "Finding", "Options", "Report", "reproduce"]

"""Fair ordinal regression: audit, repair and train predictors of ordered labels.

Submodules are imported on first use, so that `import fairordinal` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairordinal._audit import (
        Audit,
        Finding,
        assert_pairwise_fair,
        audit,
        audit_counts,
        rows_needed,
    )
    from fairordinal._support import show_progress
    from fairordinal.estimators import FairOrdinalClassifier, FairThresholdClassifier
    from fairordinal.frontier import FairOrdinalFrontier, compare
    from fairordinal.thresholds import ThresholdResult, optimize_thresholds

__version__ = "0.2.0.dev0"

__all__ = [
    "Audit",
    "FairOrdinalClassifier",
    "FairOrdinalFrontier",
    "FairThresholdClassifier",
    "Finding",
    "ThresholdResult",
    "__version__",
    "assert_pairwise_fair",
    "audit",
    "audit_counts",
    "compare",
    "optimize_thresholds",
    "rows_needed",
    "show_progress",
]

_HOMES = {
    "_audit": "Audit Finding assert_pairwise_fair audit audit_counts rows_needed",
    "_support": "show_progress",
    "estimators": "FairOrdinalClassifier FairThresholdClassifier",
    "frontier": "FairOrdinalFrontier compare",
    "thresholds": "ThresholdResult optimize_thresholds",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
_MODULES = ("baselines", "criteria", "datasets", "metrics", "models", "plotting", "ranker",
            "report", *_HOMES)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name or a submodule on first access."""
    if name in _HOME:
        found = getattr(importlib.import_module(f"fairordinal.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    if name in _MODULES:
        return importlib.import_module(f"fairordinal.{name}")
    raise AttributeError(f"module 'fairordinal' has no attribute {name!r}")


def __dir__() -> list[str]:
    public = {name for name in _MODULES if not name.startswith("_")}
    return sorted({*__all__, *public})

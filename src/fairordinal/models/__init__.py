"""Fair models of tables with named columns: fit, save to a file, load, predict.

`TrainingTable` and `fit_table` are imported on first use, because a process that only predicts does
not need the estimators. Names that are not in `__all__` are for other packages of this library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fairordinal.models._file import load_model, model_text, save_model
from fairordinal.models._model import TableModel
from fairordinal.models._onnx import export_onnx
from fairordinal.models._preparation import TablePreparation
from fairordinal.models._suspects import Suspects as Suspects

if TYPE_CHECKING:
    from fairordinal.models._training import TrainingTable, fit_table

__all__ = [
    "TableModel",
    "TablePreparation",
    "TrainingTable",
    "export_onnx",
    "fit_table",
    "load_model",
    "model_text",
    "save_model",
]


def __getattr__(name: str) -> Any:
    """Import a public name of training."""
    if name in ("TrainingTable", "fit_table"):
        return getattr(importlib.import_module("fairordinal.models._training"), name)
    raise AttributeError(f"module 'fairordinal.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]

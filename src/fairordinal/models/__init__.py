"""Fair models of tables with named columns: fit, keep in a file, predict.

What fits is imported when it is asked for: who predicts does not wait for training.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fairordinal.models._file import load_model, model_text, save_model
from fairordinal.models._model import TableModel
from fairordinal.models._onnx import export_onnx
from fairordinal.models._preparation import TablePreparation

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
    """A public name of training."""
    if name in ("TrainingTable", "fit_table"):
        return getattr(importlib.import_module("fairordinal.models._training"), name)
    raise AttributeError(f"module 'fairordinal.models' has no attribute {name!r}")

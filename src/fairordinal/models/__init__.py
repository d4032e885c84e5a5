"""Fair models of tables with named columns: fit, keep in a file, predict."""

from fairordinal.models._file import load_model, model_text, save_model
from fairordinal.models._model import TableModel
from fairordinal.models._onnx import export_onnx
from fairordinal.models._preparation import TablePreparation
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

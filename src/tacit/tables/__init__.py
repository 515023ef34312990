"""Tables as people have them: mixed columns, few labels, files; and models that can be saved."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.tables.errors import ModelFileError, TableError
    from tacit.tables.features import make_features
    from tacit.tables.fitting import MODELS, fit_streamed, fit_table
    from tacit.tables.model_card import ModelCard
    from tacit.tables.model_file import Model, load_model, read_card, save_model
    from tacit.tables.predicting import predict_file, predict_frame
    from tacit.tables.streaming import StreamedTable, read_streamed
    from tacit.tables.table import Table, read_table

__all__ = [
    "MODELS",
    "Model",
    "ModelCard",
    "ModelFileError",
    "StreamedTable",
    "Table",
    "TableError",
    "fit_streamed",
    "fit_table",
    "load_model",
    "make_features",
    "predict_file",
    "predict_frame",
    "read_card",
    "read_streamed",
    "read_table",
    "save_model",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        "errors": ("ModelFileError", "TableError"),
        "features": ("make_features",),
        "fitting": ("MODELS", "fit_streamed", "fit_table"),
        "model_card": ("ModelCard",),
        "model_file": ("Model", "load_model", "read_card", "save_model"),
        "predicting": ("predict_file", "predict_frame"),
        "streaming": ("StreamedTable", "read_streamed"),
        "table": ("Table", "read_table"),
    },
)

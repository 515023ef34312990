"""Tables as people have them: mixed columns, few labels, files; and models that can be saved."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.tables._errors import ModelFileError, TableError
    from tacit.tables._features import make_features
    from tacit.tables._fitting import MODELS, fit_streamed, fit_table
    from tacit.tables._model_card import ModelCard
    from tacit.tables._model_file import Model, load_model, read_card, save_model
    from tacit.tables._predicting import predict_file, predict_frame
    from tacit.tables._streaming import StreamedTable, read_streamed
    from tacit.tables._table import Table, read_table

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
        "_errors": ("ModelFileError", "TableError"),
        "_features": ("make_features",),
        "_fitting": ("MODELS", "fit_streamed", "fit_table"),
        "_model_card": ("ModelCard",),
        "_model_file": ("Model", "load_model", "read_card", "save_model"),
        "_predicting": ("predict_file", "predict_frame"),
        "_streaming": ("StreamedTable", "read_streamed"),
        "_table": ("Table", "read_table"),
    },
)

"""Tables as people have them: mixed columns, few labels, files; and models that can be saved."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.tables._comparing import TableComparison, compare_table
    from tacit.tables._errors import ModelFileError, TableError, TableWarning
    from tacit.tables._features import make_features
    from tacit.tables._fitting import MODELS, fit_table
    from tacit.tables._model_card import ModelCard
    from tacit.tables._model_file import Model, load_model, read_card, save_model
    from tacit.tables._predicting import predict_file, predict_frame
    from tacit.tables._table import MixedTable, read_table
    from tacit.tables._text import ReadOptions

__all__ = [
    "MODELS",
    "MixedTable",
    "Model",
    "ModelCard",
    "ModelFileError",
    "ReadOptions",
    "TableComparison",
    "TableError",
    "TableWarning",
    "compare_table",
    "fit_table",
    "load_model",
    "make_features",
    "predict_file",
    "predict_frame",
    "read_card",
    "read_table",
    "save_model",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        "_comparing": ("TableComparison", "compare_table"),
        "_errors": ("ModelFileError", "TableError", "TableWarning"),
        "_features": ("make_features",),
        "_fitting": ("MODELS", "fit_table"),
        "_model_card": ("ModelCard",),
        "_model_file": ("Model", "load_model", "read_card", "save_model"),
        "_predicting": ("predict_file", "predict_frame"),
        "_table": ("MixedTable", "read_table"),
        "_text": ("ReadOptions",),
    },
)

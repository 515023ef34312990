"""Tables as people have them: mixed columns, few labels, files; and models that can be saved."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.tables._comparing import TableComparison as TableComparison
    from tacit.tables._comparing import compare_table as compare_table
    from tacit.tables._errors import ModelFileError as ModelFileError
    from tacit.tables._errors import TableError as TableError
    from tacit.tables._errors import TableWarning as TableWarning
    from tacit.tables._features import make_features as make_features
    from tacit.tables._fitting import MODELS as MODELS
    from tacit.tables._fitting import fit_table as fit_table
    from tacit.tables._model_card import ModelCard as ModelCard
    from tacit.tables._model_file import Model as Model
    from tacit.tables._model_file import load_model as load_model
    from tacit.tables._model_file import read_card as read_card
    from tacit.tables._model_file import save_model as save_model
    from tacit.tables._predicting import predict_file as predict_file
    from tacit.tables._predicting import predict_frame as predict_frame
    from tacit.tables._table import MixedTable as MixedTable
    from tacit.tables._table import read_table as read_table
    from tacit.tables._text import ReadOptions as ReadOptions

__getattr__, __dir__, __all__ = public_names(__name__)

"""Leave out numbers that describe text but say nothing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from tacit._typing import AnyArray

# Texts are described by numbers whose squares sum to about one over all of them. A direction with
# a ten-thousandth of the spread is what rounding has left of one that does not exist.
FAINT = 1e-4


class WithoutFaintColumns(TransformerMixin, BaseEstimator):
    """Drop the columns made of text that hardly vary.

    A few hundred texts of a dozen words span fewer directions than a text is described by; the
    others are rounding noise, which scaling to unit variance would turn into features.

    Parameters
    ----------
    texts : sequence of str
        Names of the columns of text; what was made of `name` is called `name_0`, `name_1`, ...

    Attributes
    ----------
    kept_ : list of str
        The columns that stay.
    """

    kept_: list[str]

    def __init__(self, texts: Any = ()) -> None:
        self.texts = texts

    def fit(self, X: Any, y: Any = None) -> WithoutFaintColumns:
        """Find the columns that vary.

        Parameters
        ----------
        X : pandas.DataFrame
            What the vectorizer made.
        y : ignored
            Not used.

        Returns
        -------
        WithoutFaintColumns
            Itself.
        """
        made = re.compile("|".join(rf"{re.escape(name)}_\d+" for name in self.texts) or r"(?!)")
        self.kept_ = [
            str(name)
            for name in X.columns
            if made.fullmatch(str(name)) is None or float(X[name].std()) > FAINT
        ]
        return self

    def transform(self, X: Any) -> Any:
        """The columns that stay.

        Parameters
        ----------
        X : pandas.DataFrame
            Rows with the columns seen in `fit`.

        Returns
        -------
        pandas.DataFrame
            Fewer columns.
        """
        return X[self.kept_]

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """The names of the columns that stay.

        Parameters
        ----------
        input_features : ignored
            Not used.

        Returns
        -------
        ndarray of str
            In their order.
        """
        return np.array(self.kept_, dtype=object)

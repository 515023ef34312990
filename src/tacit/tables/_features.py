"""From columns of all kinds to numbers of unit variance."""

from __future__ import annotations

from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tacit.tables._columns import CATEGORY, DATE, MOST_VALUES, NUMBER, TEXT, Column
from tacit.tables._errors import TableError
from tacit.tables._faint_columns import WithoutFaintColumns
from tacit.tables._packages import import_skrub
from tacit.tables._typed_columns import TypedColumns, specifications

# With tens of labels more numbers for one text would drown the other columns.
TEXT_NUMBERS, LETTER_NUMBERS = 30, 10
DATE_PARTS = {"total_seconds": "time since 1970"}


def make_features(columns: tuple[Column, ...]) -> Pipeline:
    """A pipeline, not fitted, that turns the features among `columns` into numbers.

    skrub's TableVectorizer makes one column for each value of a category, a few for a date, and
    describes free text by the words in it (tf-idf, then a singular value decomposition) and names
    with very many values by their letters. Missing numbers become the median, with a column that
    says where; missing categories are a category of their own. In the end every column has mean
    zero and unit variance.

    Parameters
    ----------
    columns : tuple of Column
        As `judge_columns` found them.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps "columns", "vectorizer", "strong", "imputer" and "scaler"; without the second
        and the third where all columns are numbers.
    """
    names = [column.name for column in columns if column.is_feature]
    if not names:
        raise TableError(
            "No column is left to learn from; add columns, or keep one that was left out with "
            "--keep."
        )
    typed = ("columns", TypedColumns(specifications(columns)))
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    scaled: list[tuple[str, Any]] = [("imputer", imputer), ("scaler", StandardScaler())]
    numbers = [column.name for column in columns if column.kind == NUMBER]
    if len(numbers) == len(names):
        # On a table of numbers alone skrub would take longer than all classifiers together.
        return Pipeline([typed, *scaled])
    skrub = import_skrub()
    texts = [column for column in columns if column.kind == TEXT]
    # Half as many numbers as there are words, because a training set may lack some of them.
    words = [
        (
            skrub.StringEncoder(
                n_components=min(TEXT_NUMBERS, column.n_words // 2),
                analyzer="word",
                ngram_range=(1, 1),
                random_state=0,
            ),
            [column.name],
        )
        for column in texts
    ]
    named = [c for c in columns if c.kind == CATEGORY and c.n_values > MOST_VALUES]
    encoded = [column.name for column in (*texts, *named)]
    letters = skrub.StringEncoder(n_components=LETTER_NUMBERS, random_state=0)
    vectorizer = skrub.TableVectorizer(
        cardinality_threshold=MOST_VALUES,
        # A column for both of two values, so that a value never seen before is neither.
        low_cardinality=OneHotEncoder(
            dtype="float32", handle_unknown="ignore", sparse_output=False
        ),
        high_cardinality=letters,
        # Numbers are typed already, and skrub would look at each of them several times.
        specific_transformers=[*words, *([("passthrough", numbers)] if numbers else [])],
    )
    encoder = [("vectorizer", vectorizer), ("strong", WithoutFaintColumns(encoded))]
    return Pipeline([typed, *encoder, *scaled])


def feature_names(features: Any, columns: tuple[Column, ...]) -> list[str]:
    """Names of the numbers that fitted features make, as people can read them."""
    return [_readable(str(name), columns) for name in features.get_feature_names_out()]


def _readable(name: str, columns: tuple[Column, ...]) -> str:
    if name.startswith("missingindicator_"):
        return f"{name.removeprefix('missingindicator_')} is missing"
    origins = [c for c in columns if c.is_feature and name.startswith(f"{c.name}_")]
    if not origins or any(c.name == name for c in columns):
        return name
    origin = max(origins, key=lambda column: len(column.name))
    rest = name.removeprefix(f"{origin.name}_")
    if origin.kind == DATE:
        return f"{origin.name}: {DATE_PARTS.get(rest, rest)}"
    if origin.kind == TEXT:
        return f"{origin.name}: words, {int(rest) + 1}"
    if origin.kind == CATEGORY and origin.n_values > MOST_VALUES:
        return f"{origin.name}: letters, {int(rest) + 1}"
    return f"{origin.name} is missing" if rest == "nan" else f"{origin.name} = {rest}"

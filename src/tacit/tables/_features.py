"""From columns of all kinds to numbers of unit variance."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from tacit.tables._columns import CATEGORY, DATE, MOST_VALUES, NUMBER, TEXT, Column, typed_frame
from tacit.tables._errors import TableError, import_skrub
from tacit.tables._text import INFER, ReadOptions

# With tens of labels more numbers for one text would drown the other columns.
TEXT_NUMBERS, LETTER_NUMBERS = 30, 10
DATE_PARTS = {"total_seconds": "time since 1970"}
# Texts are described by numbers whose squares sum to about one over all of them. A direction with
# a ten-thousandth of the spread is what rounding has left of one that does not exist.
LOW_VARIANCE = 1e-4


def make_features(columns: Sequence[Column]) -> Pipeline:
    """A pipeline, not fitted, that turns the features among `columns` into numbers.

    skrub's TableVectorizer makes one column for each value of a category, a few for a date, and
    describes free text by the words in it (tf-idf, then a singular value decomposition) and names
    with very many values by their letters. Missing numbers become the median, with a column that
    says where; missing categories are a category of their own. In the end every column has mean
    zero and unit variance.

    Parameters
    ----------
    columns : sequence of Column
        As `read_table` found them.

    Returns
    -------
    sklearn.pipeline.Pipeline
        For the typed frame of a table. Its steps are "vectorizer", "variance", "imputer" and
        "scaler"; the last two alone where all columns are numbers.
    """
    names = [column.name for column in columns if column.is_feature]
    if not names:
        raise TableError(
            "No column is left to learn from; add columns, or keep one that was left out with "
            "--keep."
        )
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    scaled: list[tuple[str, Any]] = [("imputer", imputer), ("scaler", StandardScaler())]
    numbers = [column.name for column in columns if column.kind == NUMBER]
    if len(numbers) == len(names):
        # On a table of numbers alone skrub would take longer than all classifiers together.
        return Pipeline(scaled)
    skrub = import_skrub()
    texts = [column for column in columns if column.kind == TEXT]
    by_word = {"analyzer": "word", "ngram_range": (1, 1), "random_state": 0}
    # Half as many numbers as there are words, because a training set may lack some of them.
    words = [
        (skrub.StringEncoder(min(TEXT_NUMBERS, c.n_words // 2), **by_word), [c.name]) for c in texts
    ]
    named = [column for column in columns if column.kind == CATEGORY and not column.is_one_hot]
    vectorizer = skrub.TableVectorizer(
        cardinality_threshold=MOST_VALUES,
        # A column for both of two values, so that a value never seen before is neither.
        low_cardinality=OneHotEncoder(
            dtype="float32", handle_unknown="ignore", sparse_output=False
        ),
        high_cardinality=skrub.StringEncoder(n_components=LETTER_NUMBERS, random_state=0),
        # Numbers are typed already, and skrub would look at each of them several times.
        specific_transformers=[*words, *([("passthrough", numbers)] if numbers else [])],
    )
    noise = skrub.selectors.filter(hardly_varies, [c.name for c in (*texts, *named)])
    return Pipeline([("vectorizer", vectorizer), ("variance", skrub.DropCols(noise)), *scaled])


def feature_names(features: Any, columns: Sequence[Column]) -> list[str]:
    """Names of the numbers that fitted features make, as people can read them."""
    return [_readable(str(name), columns) for name in features.get_feature_names_out()]


def _readable(name: str, columns: Sequence[Column]) -> str:
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
    if not origin.is_one_hot:
        return f"{origin.name}: letters, {int(rest) + 1}"
    return f"{origin.name} is missing" if rest == "nan" else f"{origin.name} = {rest}"


def typing_step(columns: Sequence[Column], options: ReadOptions = INFER) -> FunctionTransformer:
    """The first step of a saved model: choose columns by name and type them as when it was fitted.

    A value that cannot be read as what its column holds becomes a missing one.
    """
    settings = {"columns": list(columns), "options": options}
    return FunctionTransformer(typed_frame, kw_args=settings)


def hardly_varies(column: Any, texts: Collection[str]) -> bool:
    """Whether a column that was made of one of these texts is nothing but rounding noise.

    A few hundred texts of a dozen words span fewer directions than a text is described by, and
    scaling to unit variance would turn the others into features. What was made of a text called
    `name` is called `name_0`, `name_1`, ...
    """
    origin, _, number = str(column.name).rpartition("_")
    return origin in texts and number.isdigit() and not float(column.std()) > LOW_VARIANCE

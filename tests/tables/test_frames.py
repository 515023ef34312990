"""Frames of pandas and polars take the same path as files, whatever types their columns have."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import StandardScaler

from tacit import LeastSquaresClassifier
from tacit.selection import compare, default_contestants
from tacit.tables import TableError, compare_table, fit_table, predict_frame, read_table

N_ROWS, N_LABELS = 60, 30


def customers():
    random = np.random.default_rng(0)
    days = pd.to_timedelta(random.integers(0, 300, N_ROWS), "D")
    frame = pd.DataFrame(
        {
            "calls": random.integers(0, 50, N_ROWS),
            "spent": random.normal(size=N_ROWS),
            "contract": random.choice(["monthly", "yearly", "none yet"], N_ROWS),
            "online": random.random(N_ROWS) < 0.5,
            "since": pd.Timestamp("2024-01-01") + days,
            "waited": pd.to_timedelta(random.integers(0, 300, N_ROWS), "h"),
        }
    )
    frame.loc[[3, 5], "spent"] = np.nan
    frame["churned"] = np.where(frame["spent"].fillna(0) > 0, "yes", "no").astype(object)
    frame.loc[N_LABELS:, "churned"] = None
    return frame


FRAME = customers()
OTHERWISE = {
    "nullable": FRAME.convert_dtypes(),
    "Arrow-backed": FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "categorical": FRAME.astype({"contract": "category", "churned": "category"}),
    "with time zone": FRAME.assign(since=FRAME["since"].dt.tz_localize("UTC")),
    "dates as objects": FRAME.assign(since=FRAME["since"].dt.date),
    "numbers as text": FRAME.assign(calls=FRAME["calls"].astype(str)),
    "another index": FRAME.set_index(pd.Index(np.arange(N_ROWS)[::-1] * 7)),
    "one index for all": FRAME.set_index(pd.Index([0] * N_ROWS)),
    "polars": pl.from_pandas(FRAME),
    "polars categorical": pl.from_pandas(FRAME).with_columns(
        pl.col("contract").cast(pl.Categorical), pl.col("since").cast(pl.Date)
    ),
}


@pytest.fixture(scope="module")
def of_file(tmp_path_factory):
    """The predictions of a model that was fitted on a file, for that file."""
    path = tmp_path_factory.mktemp("frames") / "customers.parquet"
    FRAME.to_parquet(path)
    return predict_frame(fit_table(path, "ridge", target="churned"), path)


@pytest.mark.parametrize("kind", OTHERWISE)
def test_a_frame_gives_the_predictions_that_its_file_gives(of_file, kind):
    frame = OTHERWISE[kind]
    predicted = predict_frame(fit_table(frame, "ridge", target="churned"), frame)
    assert list(predicted.columns) == list(of_file.columns)
    for name in of_file.columns:
        assert predicted[name].to_list() == of_file[name].to_list(), name
    if isinstance(frame, pl.DataFrame):
        assert isinstance(predicted, pl.DataFrame)
    else:
        assert predicted.index.equals(frame.index)


def test_every_gap_of_nullable_columns_is_a_missing_value():
    plain = FRAME.astype({"calls": float})
    plain.loc[[1, 2], "calls"] = np.nan
    plain.loc[[4], "contract"] = None
    for backend in ("numpy_nullable", "pyarrow"):
        frame = plain.convert_dtypes(dtype_backend=backend)
        table, expected = read_table(frame, "churned"), read_table(plain, "churned")
        assert table.columns == expected.columns
        pd.testing.assert_frame_equal(table.frame, expected.frame)


@pytest.mark.parametrize("kind", ["boolean", "Int64", "int64[pyarrow]", "bool[pyarrow]"])
def test_labels_of_nullable_types_leave_gaps_unlabeled(kind):
    labels = pd.array([1, 0, None] * 20, dtype="Int64").astype(kind)
    table = read_table(FRAME.assign(churned=labels), "churned")
    assert list(table.target.counts.values()) == [20, 20]


def test_odd_columns_are_left_out_with_a_reason_or_read_as_what_they_are():
    frame = FRAME.assign(
        wave=FRAME["spent"] + 1j,
        half=FRAME["spent"].astype("float16"),
        at=[datetime.time(k % 24, 30) for k in range(N_ROWS)],
        both=[[1, 2]] * N_ROWS,
    )
    kinds = {c.name: c.kind for c in read_table(frame, "churned").columns}
    assert [kinds[name] for name in ("wave", "half", "at", "both")] == [
        *("complex", "number", "number", "nested")
    ]


def test_a_column_named_twice_is_refused_wherever_it_stands():
    model = fit_table(FRAME, "ridge", target="churned")
    twice = pd.concat([FRAME, FRAME[["calls"]]], axis=1)
    for call in (
        lambda: fit_table(twice, target="churned"),
        lambda: compare_table(twice, "churned"),
        lambda: predict_frame(model, twice),
    ):
        with pytest.raises(TableError, match="more than one column named 'calls'"):
            call()


@pytest.mark.parametrize(
    ("table", "target", "words"),
    [
        (FRAME, None, "target is None; name the column of labels"),
        (FRAME, "churn", "did you mean 'churned'"),
        (pl.from_pandas(FRAME).lazy(), "churned", r"is a LazyFrame.*\.collect"),
        (FRAME["churned"], "churned", "is a Series; pass the path of a file, or a frame"),
        (read_table(FRAME, "churned"), "calls", "the table was read with 'churned'"),
    ],
)
def test_what_is_no_table_with_labels_is_said(table, target, words):
    with pytest.raises((TypeError, ValueError), match=words):
        fit_table(table, target=target)
    with pytest.raises((TypeError, ValueError), match=words):
        compare_table(table, target)


def test_numbers_mark_unlabeled_rows_too():
    frame = FRAME.assign(churned=[0, 1, -1] * 20)
    assert read_table(frame, "churned", -1).target.counts == {0: 20, 1: 20}
    assert read_table(frame, "churned", mark=[-1]).n_unlabeled == 20
    with pytest.raises(TableError, match="in Python, by mark or labels"):
        read_table(frame, "churned")


def test_a_frame_is_compared_like_the_table_that_is_read_from_it(monkeypatch):
    def two(*given):
        usual = default_contestants(*given)
        return {name: usual[name] for name in ("ridge", "ICLS")}  # the others take long

    monkeypatch.setattr("tacit.selection.default_contestants", two)
    frame = pl.from_pandas(FRAME)
    found = compare_table(frame, target="churned", cv=2, n_repeats=1)
    again = compare_table(read_table(FRAME, "churned"), cv=2, n_repeats=1)
    assert found.comparison.losses == again.comparison.losses


def test_compare_takes_a_frame_of_numbers_and_names_the_way_for_others():
    numbers = FRAME[["calls", "spent", "churned"]].fillna({"spent": 0.0})
    two = {"ridge": LeastSquaresClassifier(), "ICLS": default_contestants()["ICLS"]}
    settings = {"cv": 2, "n_repeats": 1}
    expected = compare(numbers[["calls", "spent"]], numbers["churned"], two, **settings)
    for frame in (numbers, pl.from_pandas(numbers)):
        assert compare(frame, target="churned", estimators=two, **settings).losses == (
            expected.losses
        )
    with pytest.raises(ValueError, match=r"use tacit\.tables\.compare_table\(frame, target="):
        compare(FRAME, target="churned")
    with pytest.raises(ValueError, match="no such column; its columns are 'calls'"):
        compare(numbers, target="churn")
    for wrong in ({}, {"y": FRAME["churned"], "target": "churned"}):
        with pytest.raises(ValueError, match=r"compare\(frame, target='churned'\)"):
            compare(numbers, **wrong)


def test_your_own_contestants_stand_beside_the_usual_ones():
    numbers = FRAME[["calls", "spent", "churned"]].fillna({"spent": 0.0})
    usual = default_contestants(StandardScaler(), n_labels=501)  # without tacit, which takes long
    own = {
        **usual,
        "mine": LeastSquaresClassifier(),
        "twin of mine": (usual["ICLS"].estimator, "mine"),
    }
    found = compare(numbers, target="churned", estimators=own, cv=2, n_repeats=1)
    assert list(found.losses) == [*usual, "mine", "twin of mine"]
    assert found.methods["twin of mine"].against_twin.reference == "mine"


@pytest.mark.parametrize("dtype", [bool, "boolean", object])
def test_labels_that_are_truth_values_come_back_as_such(dtype):
    truth = FRAME["spent"].fillna(0) > 0
    labeled = FRAME.assign(churned=truth)[:N_LABELS].astype({"churned": dtype})
    model = fit_table(labeled, "ridge", target="churned")
    assert model.card.classes == [False, True]
    predicted = predict_frame(model, FRAME)["label"]
    assert (predicted == truth).mean() > 0.8
    assert predicted.dtype == bool


@pytest.mark.parametrize("target", [1, ("a", "b")])
def test_a_column_that_is_not_named_by_a_text_is_refused(target):
    with pytest.raises(
        TableError, match=r"The column is given as .* give a text, such as 'churned'"
    ):
        fit_table(FRAME, target=target)


def test_a_frame_without_labels_is_told_in_a_sentence():
    with pytest.raises(TableError, match=r"^Column 'churned' of the table has no labels"):
        fit_table(FRAME.assign(churned=None), target="churned")

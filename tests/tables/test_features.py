import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

from tacit.tables import TableError, make_features, read_table
from tacit.tables._columns import describe_columns, typed_frame
from tacit.tables._features import feature_names, typing_step
from tests.tables import generated

N = 300


def mixed():
    random = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "fast", "slow", "good", "bad", "old", "new", "hot"])
    return pd.DataFrame(
        {
            "x": pd.Series(random.normal(5.0, 2.0, N)).mask(random.random(N) < 0.1),
            "colour": random.choice(np.array(["red", "blue", "green", None], dtype=object), N),
            "town": [f"Town {k % 60}" for k in range(N)],
            "day": [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(N)],
            "note": [" ".join(random.choice(words, 6)) for _ in range(N)],
        }
    )


def typed(frame):
    """The columns of a frame, and its features with their types."""
    columns = describe_columns(frame)
    return columns, typed_frame(frame, columns)


def test_columns_of_all_kinds_become_finite_numbers_of_unit_variance():
    columns, frame = typed(mixed())
    features = make_features(columns)
    Z = features.fit_transform(frame)
    names = feature_names(features, columns)
    assert np.isfinite(Z).all()
    assert Z.shape == (N, len(names))
    spread = Z.std(axis=0)
    assert np.allclose(spread[spread > 0], 1.0, atol=1e-3)
    assert {"x", "x is missing", "colour = red", "colour is missing"} <= set(names)
    assert any(name.startswith("note: words") for name in names)
    assert any(name.startswith("town: letters") for name in names)
    assert "day: time since 1970" in names


def test_long_text_makes_few_columns():
    random = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(3000)])
    frame = pd.DataFrame(
        {"x": np.arange(N) % 7, "t": [" ".join(random.choice(words, 500)) for _ in range(N)]}
    )
    columns, frame = typed(frame)
    Z = make_features(columns).fit_transform(frame)
    assert Z.shape[1] <= 31


def test_directions_that_do_not_exist_are_no_features():
    # Of many words only two vary from text to text, so that all other directions are rounding.
    same = " ".join(f"word{k}" for k in range(30))
    signs = ".,;!?:-+*/"
    texts = [f"{same} {'five' if k % 2 else 'six'}" for k in range(N)]
    # Signs are no words, but make the texts different.
    frame = pd.DataFrame(
        {"t": [f"{t} {signs[k % 10]}{signs[k // 10 % 10]}" for k, t in enumerate(texts)]}
    )
    frame["x"] = np.random.default_rng(0).normal(size=N)
    columns, frame = typed(frame)
    assert columns[0].kind == "text"
    features = make_features(columns)
    Z = features.fit_transform(frame)
    raw = features[:1].transform(frame)
    kept = [name for name in features.get_feature_names_out() if name.startswith("t_")]
    assert len(kept) < sum(str(name).startswith("t_") for name in raw.columns)
    assert all(raw[name].std() > 1e-4 for name in kept)
    assert np.isfinite(Z).all()


def model_features(frame):
    """What a saved model does to new rows before its classifier."""
    columns, features = typed(frame)
    steps = make_features(columns).fit(features).steps
    return Pipeline([("columns", typing_step(columns)), *steps])


def test_new_rows_may_have_values_never_seen_and_columns_in_another_order():
    frame = mixed()
    features = model_features(frame)
    new = frame.iloc[:5][frame.columns[::-1]].assign(colour="violet", x="n/a", other=1)
    Z = features.transform(new)
    assert np.isfinite(Z).all()
    assert Z.shape == (5, features.transform(frame).shape[1])


def test_numbers_alone_need_no_encoder_and_come_out_the_same():
    frame = mixed()[["x"]].assign(z=np.arange(N) % 7, gone=np.nan)
    frame.loc[0, "gone"] = 1.0
    columns, frame = typed(frame)
    features = make_features(columns)
    Z = features.fit_transform(frame)
    assert list(features.named_steps) == ["imputer", "scaler"]
    assert feature_names(features, columns) == ["x", "z", "gone", "x is missing", "gone is missing"]
    all_columns, mixed_up = typed(frame.assign(colour=mixed()["colour"]))
    both = make_features(all_columns)
    beside = both.fit_transform(mixed_up)
    names = feature_names(both, all_columns)
    for j, name in enumerate(feature_names(features, columns)):
        assert np.allclose(Z[:, j], beside[:, names.index(name)])


def test_a_missing_column_is_named():
    frame = mixed()
    features = model_features(frame)
    with pytest.raises(TableError, match="lacks the column 'colour'"):
        features.transform(frame.drop(columns="colour"))


def test_columns_whose_names_differ_in_capitals_spaces_or_signs_are_suggested():
    frame = mixed()
    features = model_features(frame)
    with pytest.raises(TableError, match="did you mean ' Colour' for 'colour'") as caught:
        features.transform(frame.rename(columns={"colour": " Colour"}))
    assert "\n" not in str(caught.value)


def test_what_is_learned_comes_from_the_rows_that_are_fitted():
    columns, frame = typed(mixed())
    shifted = frame.assign(x=frame["x"] + 100.0)
    first = make_features(columns).fit(frame).transform(frame)
    second = make_features(columns).fit(shifted).transform(frame)
    assert not np.allclose(first, second)  # the mean belongs to the rows that were fitted


def test_a_table_without_any_feature_is_refused():
    with pytest.raises(TableError, match="No column is left"):
        make_features(describe_columns(pd.DataFrame({"id": np.arange(50)})))


@pytest.mark.parametrize("make", [generated.churn, generated.medical, generated.sensor])
def test_realistic_tables_become_a_few_dozen_numbers(make, tmp_path):
    frame = make(n_rows=800)
    target = frame.columns[-1]
    table = read_table(generated.write(frame, tmp_path / "t.csv"), target)
    Z = make_features(table.columns).fit_transform(table.frame)
    assert np.isfinite(Z).all()
    assert 15 <= Z.shape[1] <= 80
    left_out = {column.name: column.kind for column in table.columns if not column.is_feature}
    assert "identifier" in left_out.values()

"""`tacit label`, run as a user does: rows to label, and the answers back in the table."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.process import assert_good, assert_one_sentence, started, tacit
from tests.tables import generated

SUGGEST = ("label", "table.csv", "-t", "churned", "-n", "6", "-o")
ANSWER = ("label", "table.csv", "-t", "churned", "--answers", "answers.csv", "-o", "out.csv")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table, and the rows of it to label."""
    path = tmp_path_factory.mktemp("label")
    generated.write(generated.churn(n_rows=300, n_labels=30), path / "table.csv")
    done = started(*SUGGEST, "to_label.csv", cwd=path)
    assert_good(
        done,
        "unlabeled rows around it",
        "6 rows to label, the most useful first: see to_label.csv.",
        "Next: fill in the column 'churned', then tacit label table.csv --target churned "
        "--answers to_label.csv -o labeled.csv",
    )
    return path


def written(file):
    return pd.read_csv(file, dtype=str, keep_default_na=False)


@pytest.fixture
def answered(made, tmp_path):
    """Runs `tacit label --answers` on rows that a function has filled in."""

    def run(fill, *options):
        (tmp_path / "table.csv").write_bytes((made / "table.csv").read_bytes())
        frame = fill(written(made / "to_label.csv"))
        frame.to_csv(tmp_path / "answers.csv", index=False)
        return tacit(*ANSWER, *options, cwd=tmp_path)

    return run


def with_answers(*texts):
    """Fills in the first rows."""
    return lambda frame: frame.assign(churned=[*texts, *[""] * (len(frame) - len(texts))])


def test_the_file_has_number_empty_label_reason_and_the_rows_as_they_are_written(made):
    table, found = written(made / "table.csv"), written(made / "to_label.csv")
    own = [name for name in table.columns if name != "churned"]
    assert list(found.columns) == ["row", "churned", "reason", *own]
    assert (found["churned"] == "").all()
    assert found["reason"].str.contains("yes|no").all()
    rows = table.iloc[found["row"].astype(int) - 1]
    assert (rows["churned"] == "").all()
    assert rows[own].to_numpy().tolist() == found[own].to_numpy().tolist()


def test_the_same_seed_gives_the_same_file_and_json_the_same_rows(made):
    done = tacit(*SUGGEST, "again.csv", "--json", cwd=made)
    assert_good(done)
    assert (made / "again.csv").read_bytes() == (made / "to_label.csv").read_bytes()
    told = json.loads(done.stdout)
    rows = [suggestion["row"] for suggestion in told["suggestions"]]
    assert list(map(str, rows)) == written(made / "again.csv")["row"].tolist()
    assert set(told["suggestions"][0]["probabilities"]) == {"no", "yes"}


def test_answers_are_in_the_table_and_nothing_else_has_changed(answered, made, tmp_path):
    done = answered(with_answers("yes", "no", "maybe"))
    assert_good(
        done,
        "3 answers filled in (yes: 1, no: 1, maybe: 1), 3 still empty.",
        "'maybe' is a class that the table did not have.",
        "The table with these labels is in out.csv.",
    )
    before, after = written(made / "table.csv"), written(tmp_path / "out.csv")
    rows = written(made / "to_label.csv")["row"].astype(int)[:3] - 1
    assert after["churned"].iloc[rows].tolist() == ["yes", "no", "maybe"]
    before.loc[rows, "churned"] = ["yes", "no", "maybe"]
    pd.testing.assert_frame_equal(before, after)


def test_answers_may_come_in_another_order_and_without_the_other_columns(answered, tmp_path):
    done = answered(lambda f: with_answers("no", "yes")(f)[["churned", "row"]][::-1], "--json")
    assert_good(done)
    told = json.loads(done.stdout)
    assert told["labels"] == {"yes": 1, "no": 1}
    assert (told["n_empty"], told["new_classes"]) == (4, [])
    assert (written(tmp_path / "out.csv")["churned"] != "").sum() == 32


def row_number(text):
    return lambda f: with_answers("no")(f).assign(row=[text, *f["row"][1:]])


WRONG = {
    "no answer": (with_answers(), "has no answers; fill in its column 'churned'"),
    "no numbers": (lambda f: with_answers("no")(f).drop(columns="row"), "has no column 'row'"),
    "no labels": (lambda f: f.drop(columns="churned"), "has no column 'churned'"),
    "a row too far": (row_number("301"), "row number '301'", "has the rows 1 to 300"),
    "row zero": (row_number("0"), "row number '0'"),
    "half a row": (row_number("1.5"), "row number '1.5'"),
    "no number": (row_number("first"), "row number 'first'"),
    "another row": (row_number("7"), "Row 7 of 'table.csv' has other values than row 7 in"),
    "twice": (
        lambda f: pd.concat([with_answers("no")(f), with_answers("yes")(f)]),
        "the answer 'yes' for row",
        "which has the label 'no' already",
    ),
}


@pytest.mark.parametrize(("fill", "words"), [(f, w) for f, *w in WRONG.values()], ids=WRONG)
def test_answers_that_do_not_fit_are_refused_in_a_sentence(answered, fill, words, tmp_path):
    assert_one_sentence(answered(fill), 1, *words)
    assert not (tmp_path / "out.csv").exists()


def test_a_label_that_the_table_has_is_not_overwritten(tmp_path):
    (tmp_path / "table.csv").write_text("x,churned\n1,no\n2,yes\n3,\n")
    (tmp_path / "answers.csv").write_text("row,churned\n1,no\n2,no\n")
    done = tacit(*ANSWER, cwd=tmp_path)
    assert_one_sentence(done, 1, "the answer 'no' for row 2, which has the label 'yes' already")


def test_marks_formulas_and_columns_of_the_same_names_stay_what_they_are(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=40), "row": "=A1+1", "churned": "?"})
    frame.loc[:9, "churned"] = ["no", "yes"] * 5
    frame.to_csv(tmp_path / "table.csv", sep=";", index=False)
    mark = ("--unlabeled", "?")
    assert_good(tacit(*SUGGEST, "answers.csv", *mark, cwd=tmp_path))
    found = written(tmp_path / "answers.csv")
    assert list(found.columns) == ["row_", "churned", "reason", "x", "row"]
    # As spreadsheets of other countries write it.
    found.assign(churned=["no", "?", *[""] * 4]).to_csv(
        tmp_path / "answers.csv", sep=";", index=False
    )
    assert_good(tacit(*ANSWER, *mark, cwd=tmp_path), "1 answer filled in (no: 1), 5 still empty.")
    table, out = pd.read_csv(tmp_path / "table.csv", sep=";"), pd.read_csv(tmp_path / "out.csv")
    place = int(found["row_"][0]) - 1
    assert out.loc[place, "churned"] == "no"
    assert table.loc[place, "churned"] == "?"
    out.loc[place, "churned"] = "?"
    pd.testing.assert_frame_equal(table, out)


@pytest.mark.parametrize(("answer", "kind"), [("1", "i"), ("unclear", "O")])
def test_a_parquet_file_keeps_its_types(answer, kind, tmp_path):
    frame = pd.DataFrame({"x": np.arange(30) % 7, "day": pd.date_range("2025-01-01", periods=30)})
    frame["y"] = pd.array([0, 1] * 5 + [None] * 20, dtype="Int64")
    frame.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "a.csv").write_text(f"row,y\n11,{answer}\n")
    command = ("label", "t.parquet", "-t", "y", "--answers", "a.csv", "-o", "out.parquet")
    assert_good(tacit(*command, cwd=tmp_path))
    out = pd.read_parquet(tmp_path / "out.parquet")
    pd.testing.assert_frame_equal(out[["x", "day"]], frame[["x", "day"]])
    assert str(out["y"].iloc[10]).removesuffix(".0") == answer
    assert out["y"].notna().sum() == 11
    assert out["y"].dropna().convert_dtypes().dtype.kind == kind


def test_what_cannot_be_written_or_numbered_is_told(made):
    assert_one_sentence(tacit(*SUGGEST, "rows.xlsx", cwd=made), 2, "must end in one of .csv")
    assert_one_sentence(tacit(*SUGGEST, "table.csv", cwd=made), 2, "which is read")
    piped = ("label", "-", "-t", "churned", "-o", "rows.csv")
    assert_one_sentence(tacit(*piped, cwd=made), 1, "name the files of table and answers")
    missing = ("label", "table.csv", "-t", "churned", "--answers", "no.csv", "-o", "rows.csv")
    assert_one_sentence(tacit(*missing, cwd=made), 1, "There is no file 'no.csv'")
    assert not (made / "rows.csv").exists()

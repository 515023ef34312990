"""`tacit fit`, `predict` and `explain`, run as a user does."""

import contextlib
import io
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from tacit.cli._tables import _no_formula
from tests.cli.process import assert_good, assert_one_sentence, started, tacit
from tests.cli.test_compare import broken
from tests.tables import generated


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, a model of it and new rows."""
    path = tmp_path_factory.mktemp("models")
    frame = generated.medical(n_rows=600)
    generated.write(frame, path / "table.parquet")
    generated.write(frame.drop(columns="diagnosis"), path / "new.csv")
    done = started(
        "fit", "table.parquet", "--target", "diagnosis", "--model", "icls", "-o", "model.skops",
        cwd=path,
    )  # fmt: skip
    assert_good(done, "Fitted icls", "The model is in model.skops.", "tacit predict model.skops")
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_fit_writes_the_model_and_nothing_else(folder):
    assert {"model.skops", "new.csv", "table.parquet"} <= set(names(folder))
    assert not [name for name in names(folder) if "partial" in name]


def test_predict_writes_a_label_a_score_and_how_sure_it_is(folder, tmp_path):
    out = tmp_path / "out.csv"
    done = tacit("predict", "model.skops", "new.csv", "-o", str(out), cwd=folder)
    assert_good(done)
    assert done.stdout == ""
    assert "Predicted 600 rows" in done.stderr
    found = pd.read_csv(out)
    assert found.columns[0] == "patient"
    assert {"label", "score", "sure"} <= set(found.columns)
    likely = found["probability_1"] > found["probability_0"]
    assert (likely == (found["label"] == 1)).all()
    assert len(found) == 600
    assert set(found["label"]) == {0, 1}


def test_one_row_is_one_row(folder, tmp_path):
    generated.write(pd.read_csv(folder / "new.csv").head(1), tmp_path / "new.csv")
    model = str(folder / "model.skops")
    done = tacit("predict", model, "new.csv", "-o", "out.csv", cwd=tmp_path)
    assert "Predicted 1 row (" in done.stderr


def test_predict_reads_and_writes_pipes(folder):
    rows = (folder / "new.csv").read_bytes()
    done = tacit("predict", "model.skops", "-", cwd=folder, stdin=rows)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(io.StringIO(done.stdout))) == 600


def test_predictions_can_be_had_as_json(folder):
    done = tacit("predict", "model.skops", "new.csv", "--json", cwd=folder)
    assert_good(done)
    records = json.loads(done.stdout)
    assert len(records) == 600
    assert {"patient", "label", "score", "sure", "probability_0"} <= set(records[0])


def test_explain_tells_certificate_coefficients_and_data(folder):
    done = tacit("explain", "model.skops", "--top", "5", cwd=folder)
    assert_good(
        done,
        "Fitted icls on table.parquet, column 'diagnosis'",
        "unlabeled",
        "labels that were held back",
        "Largest coefficients",
        "'patient' was left out",
        "tacit fit table.parquet --target diagnosis --model icls -o model.skops",
    )
    assert done.stderr == ""


def test_explain_speaks_json(folder):
    done = tacit("explain", "model.skops", "--json", cwd=folder)
    assert_good(done)
    found = json.loads(done.stdout)
    sizes = [abs(weight["coefficient"]) for weight in found["coefficients"]]
    assert sizes == sorted(sizes, reverse=True)
    assert found["certificate"]["n_unlabeled"] == found["n_unlabeled"]


def test_the_default_tells_its_evidence_and_streams_when_asked_for(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(500, 3)), columns=list("abc"))
    frame["y"] = np.where(np.arange(500) < 50, frame["a"] > 0, None)
    generated.write(frame, tmp_path / "t.parquet")
    done = tacit("fit", "t.parquet", "-t", "y", "--stream", "-o", "m.skops", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert card["streamed"]
    assert card["model"] == "tacit"
    assert card["n_unlabeled"] == 450
    done = tacit("predict", "m.skops", "t.parquet", "-o", "out.parquet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    right = pd.read_parquet(tmp_path / "out.parquet")["label"] == (frame["a"] > 0)
    assert right.mean() > 0.8
    told = "Each of the 50 labeled rows was predicted from the others", "left-out error"
    assert_good(tacit("explain", "m.skops", cwd=tmp_path), *told)
    found = json.loads(tacit("explain", "m.skops", "--json", cwd=tmp_path).stdout)
    assert found["evidence"]["n_unlabeled"] == 450


def test_logistic_regression_is_fitted_saved_explained_and_predicts(folder, tmp_path):
    model = str(tmp_path / "m.skops")
    done = tacit(
        "fit", "table.parquet", "-t", "diagnosis", "--model", "logistic", "-o", model, cwd=folder
    )
    assert_good(done, "Fitted logistic", "labeled rows alone")
    assert_good(
        tacit("explain", model, cwd=folder), "Fitted logistic on table.parquet, column 'diagnosis'"
    )
    done = tacit("predict", model, "new.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert set(pd.read_csv(io.StringIO(done.stdout))["label"]) == {0, 1}


BAD_TABLES = {
    "no such file": ("There is no file",),
    "no labels": ("has no labels",),
    "one class": ("only one class",),
    "empty": ("is empty",),
    "corrupt Parquet": ("is damaged",),
}


@pytest.mark.parametrize(("what", "words"), BAD_TABLES.items(), ids=BAD_TABLES)
def test_fit_says_in_one_sentence_what_is_wrong(what, words, tmp_path):
    done = tacit("fit", str(broken(tmp_path, what)), "-t", "y", "-o", "m.skops", cwd=tmp_path)
    assert_one_sentence(done, 1, *words)
    assert "m.skops" not in names(tmp_path)


FIT = ("fit", "table.parquet", "-t", "diagnosis")
BAD_FITS = {
    "no such column": (1, ("fit", "table.parquet", "-t", "sick", "-o", "m.skops"), "'sick'"),
    "no such folder": (1, (*FIT, "-o", "nowhere/m.skops"), "does not exist; create it"),
    "a folder as the model": (1, (*FIT, "-o", "."), "name a file in it"),
    "a CSV file to stream": (
        1,
        ("fit", "new.csv", "-t", "ward", "-o", "m.skops", "--stream"),
        "only Parquet files can be streamed",
    ),
    "an unknown method": (2, (*FIT, "-o", "m.skops", "--model", "magic"), "--model"),
    "a negative penalty": (2, (*FIT, "-o", "m.skops", "--alpha", "-3"), "no penalty"),
    "nowhere to write": (2, FIT, "--out"),
}


@pytest.mark.parametrize(("code", "command", "words"), BAD_FITS.values(), ids=BAD_FITS)
def test_fit_says_what_is_wrong_with_the_command(code, command, words, folder):
    before = names(folder)
    assert_one_sentence(tacit(*command, cwd=folder), code, words)
    assert names(folder) == before


def strange(folder, what, into):
    """A model file with one thing wrong with it."""
    path = into / "strange.skops"
    content = bytearray((folder / "model.skops").read_bytes())
    if what == "damaged":
        content[len(content) // 3] ^= 255
        path.write_bytes(content)
    elif what == "cut off":
        path.write_bytes(content[:1000])
    elif what == "text":
        path.write_text("a,b\n1,2\n")
    elif what == "tampered":
        with zipfile.ZipFile(folder / "model.skops") as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                member = old.read(name)
                if name == "schema.json":
                    member = member.replace(b'"StandardScaler"', b'"system"').replace(
                        b'"sklearn.preprocessing._data"', b'"os"'
                    )
                new.writestr(name, member)
    return path


BAD_MODELS = {
    "no such file": ("There is no model file", "tacit fit"),
    "damaged": ("is damaged",),
    "cut off": ("is damaged",),
    "text": ("is not a model file",),
    "tampered": ("was refused", "os.system"),
}


@pytest.mark.parametrize(("what", "words"), BAD_MODELS.items(), ids=BAD_MODELS)
def test_explain_says_in_one_sentence_what_is_wrong(what, words, folder, tmp_path):
    done = tacit("explain", str(strange(folder, what, tmp_path)), cwd=tmp_path)
    assert_one_sentence(done, 1, *words)


@pytest.mark.parametrize("what", ["damaged", "tampered"])
def test_predict_refuses_a_model_that_is_not_what_it_was(what, folder, tmp_path):
    model = strange(folder, what, tmp_path)
    done = tacit("predict", str(model), str(folder / "new.csv"), "-o", "out.csv", cwd=tmp_path)
    assert_one_sentence(done, 1, *BAD_MODELS[what])
    assert names(tmp_path) == ["strange.skops"]


@pytest.mark.parametrize("what", ["no such file", "empty", "missing column"])
def test_predict_says_in_one_sentence_what_is_wrong_with_the_table(what, folder, tmp_path):
    if what == "missing column":
        path, words = tmp_path / "new.csv", ("lacks the column 'ward'", "add it")
        generated.write(pd.read_csv(folder / "new.csv").drop(columns="ward"), path)
    else:
        path, words = broken(tmp_path, what), BAD_TABLES[what]
    done = tacit("predict", str(folder / "model.skops"), str(path), "-o", "o.csv", cwd=tmp_path)
    assert_one_sentence(done, 1, *words)
    assert "o.csv" not in names(tmp_path)


def test_predict_tells_of_values_that_it_cannot_read(folder, tmp_path):
    frame = pd.read_csv(folder / "new.csv").head(50)
    frame["age"] = frame["age"].astype(object)
    frame.loc[3, "age"] = "old"
    generated.write(frame, tmp_path / "new.csv")
    model, out = str(folder / "model.skops"), ("-o", "o.csv", "--json")
    done = tacit("predict", model, "new.csv", *out, cwd=tmp_path)
    assert_good(done)
    assert "column 'age': 1 of 50 values are not numbers" in done.stderr
    (unread,) = [d for d in json.loads(done.stdout)["unparsed_values"] if d["column"] == "age"]
    assert (unread["n_unparsed"], unread["example"]) == (1, "'old'")
    generated.write(frame.assign(age="old"), tmp_path / "new.csv")
    done = tacit("predict", model, "new.csv", "-o", "all.csv", cwd=tmp_path)
    assert_one_sentence(done, 1, "Column 'age'", "fitted with numbers")
    assert names(tmp_path) == ["new.csv", "o.csv"]


def test_how_a_text_is_written_is_said_once_and_remembered(tmp_path):
    rows = [f"1.{k + 100},5;0{1 + k % 9}/12/2024;{'ab'[k % 2] * (k < 40)}" for k in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["x;day;y", *rows]), "cp1252")
    command = ("fit", "t.csv", "--target", "y", "--model", "ridge", "-o", "m.skops", "--json")
    assert_one_sentence(tacit(*command, cwd=tmp_path), 1, "--decimal", "--thousands", "'x'")
    options = ("--decimal", ",", "--thousands", ".", "--date-format", "%d/%m/%Y")
    done = tacit(*command, *options, cwd=tmp_path)
    assert_good(done)
    card = json.loads(done.stdout)
    assert [column["kind"] for column in card["columns"]] == ["number", "date"]
    assert card["options"]["thousands"] == "."
    (tmp_path / "new.csv").write_text("x;day\n1.150,5;01/12/2024\n")
    done = tacit("predict", "m.skops", "new.csv", cwd=tmp_path)
    assert_good(done)
    (tmp_path / "plain.csv").write_text("x,day\n1150.5,01/12/2024\n")
    same = tacit(
        "predict", "m.skops", "plain.csv", "--decimal", ".", "--thousands", ",", cwd=tmp_path
    )
    assert same.stdout == done.stdout
    done = tacit("predict", "m.skops", "plain.csv", "--decimal", "x", cwd=tmp_path)
    assert_one_sentence(done, 2, "--decimal is 'x'")


STEERING = "\x1b[31mred\x9b0m\u202e\u2028\ufeff"
HARMLESS = "\\x1b[31mred\\x9b0m\\u202e\\u2028\\ufeff"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A table whose names and classes steer terminals and spreadsheets, and its model."""
    path = tmp_path_factory.mktemp("hostile")
    random = np.random.default_rng(0)
    frame = pd.DataFrame({f"{STEERING} size": random.normal(size=90)})
    frame["=cmd"] = [f"@SUM({k})" for k in range(90)]
    frame["sign"] = [f"-{k}" for k in range(90)]
    frame["colour"] = np.where(np.arange(90) % 3 > 0, STEERING, "blue")
    names = np.where(frame["colour"] == "blue", "=1+1", f"+ {STEERING}")
    frame["y"] = np.where(np.arange(90) < 40, names, None)
    generated.write(frame, path / "t.csv")
    command = ("fit", "t.csv", "-t", "y", "--model", "icls", "-o", "m.skops")
    done = tacit(*command, cwd=path)
    assert_good(done, HARMLESS)
    return path


def test_names_that_steer_a_terminal_are_spelled_out_on_it(hostile):
    for command in (
        ("explain", "m.skops"),
        ("compare", "t.csv", "-t", "y", "--jobs", "1", "--repeats", "1", "--folds", "2"),
        ("predict", "m.skops", "t.csv", "-o", "out.csv"),
        ("fit", "t.csv", "-t", f"{STEERING} size", "-o", "n.skops"),
    ):
        done = tacit(*command, cwd=hostile)
        assert "\\x1b[31mred" in done.stdout + done.stderr
        assert not set("\x1b\x9b\u202e\u2028\ufeff") & set(done.stdout + done.stderr)


def test_json_has_no_sign_beyond_ascii(hostile):
    done = tacit("predict", "m.skops", "t.csv", "--json", cwd=hostile)
    assert {row["label"] for row in json.loads(done.stdout)} == {"=1+1", f"+ {STEERING}"}
    assert done.stdout.isascii()


def test_predictions_on_a_terminal_are_spelled_out_and_those_in_a_pipe_are_not(hostile):
    pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "tacit", "predict", "m.skops", "t.csv"]
    with subprocess.Popen(command, cwd=hostile, stdout=its, stderr=subprocess.DEVNULL) as process:
        os.close(its)
        shown = b""
        with contextlib.suppress(OSError):  # which says that the process has closed its side
            while piece := os.read(ours, 2**16):
                shown += piece
    os.close(ours)
    assert process.returncode == 0
    assert HARMLESS in shown.decode()
    assert not set("\x1b\x9b\u202e\u2028\ufeff") & set(shown.decode())
    assert STEERING in tacit("predict", "m.skops", "t.csv", cwd=hostile).stdout


def test_texts_that_a_spreadsheet_would_compute_are_quoted_in_csv_alone(hostile):
    keep = ("--keep", "=cmd", "--keep", "sign")
    assert_good(tacit("predict", "m.skops", "t.csv", *keep, "-o", "out.csv", cwd=hostile))
    found = pd.read_csv(hostile / "out.csv", dtype=str)
    assert found.columns[0] == "'=cmd"
    assert found["'=cmd"][1] == "'@SUM(1)"
    assert found["sign"][1] == "-1"
    assert set(found["label"]) == {"'=1+1", f"'+ {STEERING}"}
    assert list(found.columns)[-2:] == [f"probability_+ {STEERING}", "probability_=1+1"]
    assert_good(tacit("predict", "m.skops", "t.csv", *keep, "-o", "out.parquet", cwd=hostile))
    exact = pd.read_parquet(hostile / "out.parquet")
    assert exact["=cmd"][1] == "@SUM(1)"
    assert set(exact["label"]) == {"=1+1", f"+ {STEERING}"}


@pytest.mark.parametrize(
    "begin", ["=", "+", "-", "@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20"]
)
def test_whatever_starts_a_formula_is_quoted(begin):
    assert _no_formula(f"{begin}1+A1") == f"'{begin}1+A1"
    assert _no_formula(f"a{begin}1") == f"a{begin}1"


def test_predict_sees_that_model_and_table_are_swapped(folder):
    done = tacit("predict", "new.csv", "model.skops", cwd=folder)
    assert_one_sentence(done, 1, "look swapped", "`tacit predict model.skops new.csv`")


PREDICT = ("predict", "model.skops", "new.csv")
BAD_PREDICTIONS = {
    "no such folder": (1, (*PREDICT, "-o", "nowhere/o.csv"), "does not exist; create it"),
    "a file of no known kind": (2, (*PREDICT, "-o", "o.xlsx"), "must end in one of"),
    "a column to keep that is not there": (1, (*PREDICT, "--keep", "mood"), "'mood'"),
    "a corrupt table": (1, ("predict", "model.skops", "corrupt.parquet"), "is damaged"),
    "no table": (2, ("predict", "model.skops"), "TABLE"),
}


@pytest.mark.parametrize(
    ("code", "command", "words"), BAD_PREDICTIONS.values(), ids=BAD_PREDICTIONS
)
def test_predict_says_what_is_wrong_with_the_command(code, command, words, folder):
    (folder / "corrupt.parquet").write_bytes(b"PAR1" + b"\x00garbage" * 40 + b"PAR1")
    before = names(folder)
    assert_one_sentence(tacit(*command, cwd=folder), code, words)
    assert names(folder) == before


@pytest.mark.parametrize(
    ("options", "words"), [((), "MODEL"), (("model.skops", "--top", "0"), "--top")]
)
def test_explain_says_what_is_wrong_with_the_command(options, words, folder):
    assert_one_sentence(tacit("explain", *options, cwd=folder), 2, words)

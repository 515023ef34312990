"""What `tacit fit` tells about tables as people bring them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tacit.cli._errors import FAILED, _run

N = 80
LABELS = [("yes", "no")[k % 2] if k < 40 else "tbd" if k < 60 else None for k in range(N)]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fit(table, *options):
    return _run(["fit", table, "-t", "y", "--model", "ridge", *options, "-o", "m.skops", "--json"])


def test_bytes_are_left_out_and_said(capsys):
    table = pa.table({"x": np.arange(N) % 7, "raw": [bytes([192, k]) for k in range(N)]})
    pyarrow.parquet.write_table(table.append_column("y", pa.array(LABELS)), "t.parquet")
    assert fit("t.parquet", "--unlabeled", "tbd") == 0
    assert "'raw' was left out: it holds bytes; decode them if they are text." in (
        capsys.readouterr().out
    )


def test_an_error_in_bytes_and_positions_is_no_sentence_for_people(monkeypatch, capsys):
    def read(*_, **__):
        return b"\xc0".decode()

    monkeypatch.setattr("tacit.tables._table.read_table", read)
    (pd.DataFrame({"y": [1]})).to_csv("t.csv")
    assert fit("t.csv") == FAILED
    told = capsys.readouterr().err
    assert "something unexpected went wrong (UnicodeDecodeError" in told
    assert told.count("\n") == 1


def test_a_mark_that_no_row_has_is_an_error_before_any_fit(capsys, here):
    pd.DataFrame({"x": np.arange(N) % 7, "y": LABELS}).to_csv("t.csv", index=False)
    assert fit("t.csv", "--unlabeled", "TBD") == FAILED
    assert capsys.readouterr().err == (
        "tacit fit: Column 'y' of 't.csv' has no row with the mark 'TBD'; did you mean 'tbd'?\n"
    )
    assert not (here / "m.skops").exists()


def test_a_threshold_is_chosen_by_a_score_and_told(capsys):
    values = np.random.default_rng(0).normal(size=N) + np.array([y == "yes" for y in LABELS])
    pd.DataFrame({"x": values, "y": LABELS}).to_csv("t.csv", index=False)
    assert fit("t.csv", "--unlabeled", "tbd", "--scoring", "fame") != 0
    assert "--scoring is 'fame'" in " ".join(capsys.readouterr().err.split())
    assert fit("t.csv", "--unlabeled", "tbd", "--scoring", "f1") == 0
    assert '"scoring": "f1"' in capsys.readouterr().out
    assert _run(["explain", "m.skops"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "It answers yes from a score of" in told
    assert "the best by f1 on labels that were held back" in told


def test_columns_that_are_left_out_are_told_in_one_line(capsys):
    frame = pd.DataFrame({f"same{k}": "x" for k in range(9)} | {"x": np.arange(N) % 7, "y": LABELS})
    frame.to_csv("t.csv", index=False)
    given = ["t.csv", "-t", "y", "--unlabeled", "tbd"]
    assert _run(["fit", *given, "--model", "ridge", "-o", "m.skops"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("left out") == 1
    assert "'same4' and 4 more were left out" in told
    assert "tacit explain tells of the others." in told
    # What the rows without label are for, where the classifier does not look at them.
    assert "40 unlabeled rows, which only tell how columns are scaled" in told
    assert _run(["label", *given, "-n", "3", "-o", "to_label.csv"]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("left out") == 1
    assert _run(["explain", "m.skops"]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("was left out") == 9


def test_a_model_is_not_named_like_a_pickle(capsys):
    pd.DataFrame({"x": np.arange(N) % 7, "y": LABELS}).to_csv("t.csv", index=False)
    assert _run(["fit", "t.csv", "-t", "y", "--unlabeled", "tbd", "-o", "m.pkl"]) != 0
    assert "name it model.skops" in " ".join(capsys.readouterr().err.replace("│", " ").split())

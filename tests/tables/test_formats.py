"""Workbooks, lines of JSON and packed files; and what is refused, with what to do instead."""

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile
from datetime import date, datetime, time

import pandas as pd
import pyarrow as pa
import pytest

from tacit.tables import TableError, TableWarning, fit_table, predict_file, read_table
from tacit.tables._reading import read_raw
from tests.cli.process import assert_good, tacit

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "kind": ["a", "b", "a"], "y": ["no", None, "yes"]})
CSV = FRAME.to_csv(index=False).encode()
LINES = FRAME.to_json(orient="records", lines=True).encode()


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def zstandard(content):
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(content)
    return out.getvalue().to_pybytes()


def sheets(path, *tables):
    """A workbook with these rows in its sheets."""
    openpyxl = pytest.importorskip("openpyxl", reason="workbooks need the extra excel")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(tables):
        sheet = book.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


SAME = {
    "t.csv.bz2": bz2.compress(CSV),
    "t.csv.xz": lzma.compress(CSV),
    "t.csv.zst": zstandard(CSV),
    "t.zip": zipped(**{"t.csv": CSV, "__MACOSX/._t.csv": b"\0", "folder/": b""}),
    "packed_by_its_content.csv": gzip.compress(CSV),
    "t.jsonl": LINES,
    "t.ndjson": b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n\n"),
    "lines.json": LINES,
    "t.jsonl.gz": gzip.compress(LINES),
    "lines.zip": zipped(**{"t.ndjson": LINES}),
}


@pytest.mark.parametrize("name", SAME)
def test_a_table_reads_the_same_however_it_is_packed_or_written(tmp_path, name):
    (tmp_path / name).write_bytes(SAME[name])
    table = read_table(tmp_path / name, "y")
    assert table.frame["x"].tolist() == [1.5, 2.5, 3.5]
    assert table.frame["kind"].tolist() == ["a", "b", "a"]
    assert table.y.tolist() == ["no", None, "yes"]


def test_packed_files_come_through_pipes_too(monkeypatch):
    for content in (gzip.compress(CSV), LINES, SAME["t.zip"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_raw("-").frame["kind"].tolist() == ["a", "b", "a"]


def test_lines_of_json_may_lack_names_and_hold_other_things():
    lines = [{"x": 1, "y": "a"}, {"y": "b", "z": True}, {"x": "?", "y": None, "n": {"k": 1}}]
    raw = read_raw_text("\n".join(map(json.dumps, lines)) + "\n")
    assert list(raw.frame.columns) == ["x", "y", "z", "n"]
    kinds = {c.name: c.kind for c in read_table(raw.frame, "y").columns}
    assert kinds["n"] == "nested"


def read_raw_text(text, name="t.jsonl"):
    from pathlib import PurePath

    from tacit.tables._reading import _read_file
    from tacit.tables._text import INFER

    return _read_file(io.BytesIO(text.encode()), PurePath(name), name, INFER, ())


@pytest.mark.parametrize("label", [["yes"], {"is": "yes"}])
def test_labels_of_json_that_are_lists_or_objects_are_refused(tmp_path, label):
    rows = [{"x": k, "y": label if k < 20 else None} for k in range(40)]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(TableError, match="'y' holds lists or objects, and labels must be texts"):
        read_table(path, "y")
    pd.DataFrame(rows).to_parquet(tmp_path / "t.parquet")
    for options in ({}, {"stream": True}):
        with pytest.raises(TableError, match="'y' holds lists or objects"):
            read_table(tmp_path / "t.parquet", "y", **options)


def test_a_sheet_is_read_with_the_types_of_its_cells(tmp_path):
    rows = [
        ["n", "since", "day", "paid", "at", "text", "formula", None, "y"],
        [1, datetime(2024, 1, 5), date(2024, 2, 1), True, time(3, 4), "12", "#DIV/0!", None, 1],
        [None, None, date(2024, 3, 1), False, None, 13, 5, None, 0],
        [],
        [2.5, datetime(2024, 1, 7), None, None, None, "14", 6, None, None],
        [None, ""],
    ]
    raw = read_raw(sheets(tmp_path / "t.xlsx", rows))
    assert list(raw.frame.columns) == ["n", "since", "day", "paid", "at", "text", "formula", "y"]
    assert raw.frame["n"].isna().tolist() == [False, True, True, False]
    assert raw.frame["formula"].tolist()[1::2] == [5.0, 6.0]
    assert raw.notes == []
    table = read_table(tmp_path / "t.xlsx", "y")
    assert [c.kind for c in table.columns][:3] == ["number", "date", "date"]
    assert table.frame["text"].tolist()[:2] == [12.0, 13.0]
    assert table.target.counts == {0: 1, 1: 1}


def test_of_several_sheets_the_first_is_read_and_named(tmp_path):
    rows = [["Report of 2024"], [], ["x", "y"], *([k, "ab"[k % 2]] for k in range(40)), [7, None]]
    path = sheets(tmp_path / "t.xlsx", rows, [["other"], [1]])
    table = read_table(path, "y")
    assert table.n_labeled == 40
    assert "Of 2 sheets the first, 'Sheet 0', was read." in table.notes
    assert any("first 2 lines were taken for a title" in note for note in table.notes)
    with pytest.warns(TableWarning, match="'Sheet 0', was read|taken for a title") as caught:
        assert len(*predict_file(fit_table(table, "ridge"), path)) == 41
    assert len(caught) == 2


SHEETS = {
    "empty": ([], "has nothing in its first sheet, 'Sheet 0'"),
    "merged": ([["who", None, "what", None], ["a", "b", "c", "y"]], "2 columns without a name"),
    "twice": ([["a", "a", "y"], [1, 2, "b"]], "more than one column named 'a'"),
    "no rows": ([["a", "y"]], "a header but no rows"),
}


@pytest.mark.parametrize(("rows", "words"), SHEETS.values(), ids=SHEETS)
def test_a_sheet_that_is_no_table_is_refused(tmp_path, rows, words):
    with pytest.raises(TableError, match=words):
        read_raw(sheets(tmp_path / "t.xlsx", rows))


def test_without_openpyxl_a_workbook_is_refused_with_what_to_install(tmp_path, monkeypatch):
    path = sheets(tmp_path / "t.xlsx", [["x", "y"], [1, "a"]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"Excel files need openpyxl.*'tacit\[excel\]'"):
        read_raw(path)


REFUSED = {
    "t.xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\0",
        "old kind or with a password.*save the table as .xlsx",
    ),
    "t.ods": (zipped(mimetype=b"application/vnd.oasis"), "OpenDocument sheet.*as .xlsx or CSV"),
    "t.docx": (zipped(**{"word/document.xml": b"x"}), "text document"),
    "t.pdf": (b"%PDF-1.4", "PDF document.*spreadsheet"),
    "t.html": (b"<!DOCTYPE html>\n<table>", "web page"),
    "t.sav": (b"$FL2@(#)\0", r"SPSS file.*pandas\.read_spss"),
    "t.dta": (b"\x72\x01\0\0", r"Stata file.*pandas\.read_stata"),
    "t.rds": (gzip.compress(b"X\n\0\0"), "R file.*write.csv"),
    "t.feather": (b"ARROW1\0\0", "an Arrow or Feather file.*as Parquet or CSV"),
    "t.arrow": (b"\xff\xff\xff\xff\x10\0", "an Arrow or Feather file"),
    "old.csv": (b"FEA1\0\0", "an Arrow or Feather file"),
    "t.pkl": (b"\x80\x04\x95", "pickle file.*can run code"),
    "array.json": (FRAME.to_json(orient="records").encode(), r"not one object a line.*read_json"),
    "columns.json": (FRAME.to_json().encode(), r"not one object a line.*read_json"),
    "model.skops": (zipped(**{"tacit.json": b"{}"}), "a model of tacit.*name the table"),
    "named.xlsx": (CSV, "named as if it were Excel"),
    "two.zip": (zipped(**{"a.csv": CSV, "b.csv": CSV}), r"holds 2 files \(a\.csv and b\.csv\)"),
    "nothing.zip": (zipped(), "holds no file"),
    "nameless.zip": (zipped(**{".": CSV, "b.csv": CSV}), r"holds 2 files \(\. and b\.csv\)"),
    "cut.zip": (SAME["t.zip"][:-30], "damaged and cannot be unpacked"),
    "cut.csv.zst": (zstandard(CSV)[:-4], "damaged and cannot be unpacked"),
    "cut.jsonl": (LINES + b'{"x": 1,', "Line 4 of .* cannot be read"),
    "numbers.jsonl": (b"1\n2\n", "it is no object"),
    "half.jsonl": (b'{"x": "\\ud800"}', "surrogates not allowed"),
    "digits.jsonl": (
        b'{"x": 1, "z": 0}\n{"x": 1' + b"0" * 400 + b', "z": 1}',
        "Column 'x' of .* has a whole number of more than 308 digits.* between quotes",
    ),
    "latin.jsonl": ('{"x": "é"}'.encode("latin-1"), "not text in UTF-8.*--encoding"),
    "bomb.csv.gz": (gzip.compress(bytes(2**28 + 1), 1), "unpacks to more than 256 MB"),
    "bomb.xlsx": (zipped(**{"xl/workbook.xml": bytes(2**26 + 1)}), "unpacks to more than 64 MB"),
    "gaps.jsonl": ("\n".join(f'{{"{k}": 1}}' for k in range(6000)).encode(), "nearly all of it em"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_refused_in_a_sentence_that_fits(tmp_path, name):
    content, words = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=words) as caught:
        read_raw(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_sheet_with_one_cell_far_away_fills_no_memory(tmp_path):
    path = sheets(tmp_path / "t.xlsx", [["x", "y"], [1, "a"]])
    book = sys.modules["openpyxl"].load_workbook(path)
    book.active["XFD1048576"] = 1
    book.save(path)
    with pytest.raises(TableError, match="1,048,576 rows and 16,384 columns, nearly all of it"):
        read_raw(path)


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(TableError, match="name a folder that has some, or one file"):
        read_raw(tmp_path)


def test_the_commands_take_workbooks_and_packed_lines(tmp_path):
    rows = [
        [k % 7, "ab"[k % 2], ("yes" if k % 7 > 3 else "no") if k < 40 else None] for k in range(80)
    ]
    sheets(tmp_path / "t.xlsx", [["x", "kind", "y"], *rows])
    fit = ("fit", "t.xlsx", "-t", "y", "--model", "ridge", "-o", "m.skops")
    assert_good(tacit(*fit, cwd=tmp_path), "40 labels (no: 24, yes: 16)")
    lines = pd.DataFrame(rows, columns=["x", "kind", "y"]).to_json(orient="records", lines=True)
    (tmp_path / "new.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    done = tacit("predict", "m.skops", "new.jsonl.gz", "-o", "out.csv", cwd=tmp_path)
    assert "Predicted 80 rows" in done.stderr
    assert len(pd.read_csv(tmp_path / "out.csv")) == 80
    refused = tacit("predict", "m.skops", "new.jsonl.gz", "-o", "out.xlsx", cwd=tmp_path)
    assert "must end in one of .csv" in refused.stderr

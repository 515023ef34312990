"""Files of tables, damaged and hostile: a table or one sentence, in little time and memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import warnings
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fuzz.bounds import bounded, examples, mutated

pd = pytest.importorskip("pandas", reason="tables need the extra tables")
pytest.importorskip("skrub", reason="tables need the extra tables")
pa = pytest.importorskip("pyarrow", reason="tables need the extra tables")

from tacit.tables import TableError, TableWarning, read_table  # noqa: E402

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux says what a process uses"
)

FRAME = pd.DataFrame(
    {
        "age": [31, 45, 22, 60, 39, 51],
        "spent": [1.5, -2.0, 1e6, float("nan"), 0.0, 3.25],
        "since": ["2024-01-05", "2023-12-31", None, "2020-02-29", "2021-07-01", "2022-03-04"],
        "city": ["Köln", "O'Fallon", 'the "old" one', "Łódź", "", "a, b"],
        "label": ["yes", "no", None, "yes", "no", None],
    }
)


def _parquet(frame: Any = FRAME) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def _many_rows() -> bytes:
    """A small file of sixty million zeros."""
    return _parquet(pd.DataFrame({"age": 0, "label": 0}, index=range(30_000_000), dtype="int8"))


def _many_cells() -> bytes:
    """A small workbook of a million cells in one row."""
    sheet = "xl/worksheets/sheet1.xml"
    out = io.BytesIO()
    row = b"<row>" + b"<c/>" * 1_100_000 + b"</row></sheetData>"
    old = zipfile.ZipFile(io.BytesIO(_excel()))
    with old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(b"</sheetData>", row) if name == sheet else text)
    return out.getvalue()


def _excel() -> bytes:
    pytest.importorskip("openpyxl", reason="workbooks need the extra excel")
    out = io.BytesIO()
    FRAME.to_excel(out, index=False)
    return out.getvalue()


def _zip(member: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(member), content)
    return out.getvalue()


def _unzipped(content: bytes, member: str, seed: int) -> bytes:
    """A zip file of which one member was damaged before it was packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, mutated(text, seed, CELLS) if name == member else text)
    return out.getvalue()


def _text(**options: Any) -> bytes:
    return FRAME.to_csv(index=False, **options).encode()


SEEDS: dict[str, bytes] = {
    "comma.csv": _text(),
    "semicolon.csv": _text(sep=";", decimal=","),
    "tab.tsv": _text(sep="\t"),
    "quoted.csv": _text(quoting=1),
    "returns.csv": _text(lineterminator="\r\n"),
    "windows.csv": FRAME.drop(columns="city").to_csv(index=False).encode("utf-16"),
    "packed.csv.gz": gzip.compress(_text(), mtime=0),
    "packed.csv.bz2": bz2.compress(_text()),
    "packed.csv.xz": lzma.compress(_text()),
    "packed.csv.zst": pa.compress(_text(), codec="zstd", asbytes=True),
    "packed.parquet.gz": gzip.compress(_parquet(), mtime=0),
    "columns.parquet": _parquet(),
    "packed.zip": _zip("comma.csv", _text()),
    "lines.jsonl": FRAME.to_json(orient="records", lines=True).encode(),
    "sheet.xlsx": _excel(),
}
# Small files that are huge tables.
BOMBS = {
    "rows.parquet": _many_rows,
    "cells.xlsx": _many_cells,
    "gaps.csv.gz": lambda: gzip.compress(b"a,b,label\n" + b",,\n" * 30_000_000, 1),
}
CELLS = [
    *(b"<row>", b"</row>", b"<c/>", b'r="A1"', b'r="XFD1048576"', b'r="99999999999"', b't="s"'),
    *(b't="d"', b't="e"', b't="b"', b"<v>1e400</v>", b"<v>-1</v>", b"<v/>", b"<f>1</f>", b"&lol;"),
    *(b"\xff", b"\x00", b"<!DOCTYPE x [<!ENTITY lol 'lol'>]>", b's="9"', b"9" * 30),
]
TOKENS = [
    *(b"\r", b"\n", b"\r\n", b"\r\r ", b'"', b'""', b"'", b",", b";", b"\t", b"|", b" ", b"\\"),
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xae", b"\x1b[31m", b"\x1a"),
    *(b"1e400", b"-1e-400", b"NaN", b"inf", b"0x1F", b"1_000", b"9" * 40, b"1e160", b"1/0"),
    *(b"=1+1", b"@SUM(A1)", b"<script>alert(1)</script>", b"{{7*7}}", b"${x}", b"%s%n", b"label"),
    *(b"sep=;\n", b"#", b"PAR1", b"PK\x03\x04", b"0000-00-00", b"9999-99-99", b"12:60"),
]


def read(path: Path) -> None:
    """Read it; whatever is said is a sentence of ours."""
    with bounded(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TableWarning)
        try:
            table = read_table(path, "label")
        except TableError as error:
            text = str(error)
            if "\n" in text or "\x1b" in text or text[-1:] not in (".", "?"):
                raise AssertionError(f"not one clean sentence: {text!r}") from error
            return
    assert len(table.y) == len(table.frame)


@pytest.mark.parametrize("name", SEEDS)
@given(seed=st.integers(0, 2**32 - 1))
@example(seed=0)
@examples(test=25, fuzz=12_500)
def test_a_damaged_file_is_a_table_or_one_sentence(
    name: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(mutated(SEEDS[name], seed, TOKENS))
    read(path)


@given(seed=st.integers(0, 2**32 - 1))
@examples(test=25, fuzz=12_500)
def test_a_damaged_sheet_is_a_table_or_one_sentence(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.xlsx"
    for member in ("xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"):
        path.write_bytes(_unzipped(SEEDS["sheet.xlsx"], member, seed))
        read(path)


@pytest.mark.parametrize("name", BOMBS)
@examples(test=2, fuzz=200)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_small_file_that_is_a_huge_table_is_one_sentence_however_damaged(
    name: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(mutated(_bomb(name), seed, TOKENS))
    read(path)


@cache
def _bomb(name: str) -> bytes:
    return BOMBS[name]()

import bz2
import gzip
import io
import lzma
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tacit.tables import ReadOptions, TableError, read_table
from tacit.tables._reading import read_raw
from tests.tables import generated

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "kind": ["a", "b", "a"], "y": ["no", None, "yes"]})


def text_of(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def written(path, content):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "csv.gz", "txt"])
def test_a_table_reads_the_same_from_every_format(tmp_path, suffix):
    path = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        FRAME.to_parquet(path)
    elif suffix == "csv.gz":
        path.write_bytes(gzip.compress(text_of(FRAME)))
    else:
        path.write_bytes(text_of(FRAME, sep="," if suffix == "csv" else "\t"))
    frame = read_raw(path).frame
    assert frame["x"].tolist() == [1.5, 2.5, 3.5]
    assert frame["kind"].tolist() == ["a", "b", "a"]
    assert [not value for value in frame["y"]] == [False, True, False]


def test_a_folder_of_parquet_files_is_one_table_in_the_order_of_their_names(tmp_path):
    for number in (2, 1):
        FRAME.assign(x=float(number)).to_parquet(tmp_path / f"part-{number}.parquet")
    assert read_raw(tmp_path).frame["x"].tolist() == [1.0] * 3 + [2.0] * 3


@pytest.mark.parametrize("content", [text_of(FRAME), None], ids=["CSV", "Parquet"])
def test_the_standard_input_may_hold_any_format(monkeypatch, content):
    if content is None:
        buffer = io.BytesIO()
        FRAME.to_parquet(buffer)
        content = buffer.getvalue()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_raw("-").frame["kind"].tolist() == ["a", "b", "a"]


def test_a_frame_of_pandas_is_a_table_too():
    assert read_raw(FRAME).frame["x"].tolist() == [1.5, 2.5, 3.5]
    assert read_table(FRAME, "y").target.counts == {"no": 1, "yes": 1}


@pytest.mark.parametrize("separator", list(",;\t|"))
def test_separators_are_found_and_unusual_ones_said(tmp_path, separator):
    frame = FRAME.assign(note=["a, b; c", 'say "x"', "two\nlines | more"])
    raw = read_raw(written(tmp_path / "t.csv", text_of(frame, sep=separator)))
    assert raw.frame["note"].tolist() == frame["note"].tolist()
    assert len(raw.notes) == (separator in ";|")


def test_decimal_commas_and_signs_between_thousands_are_read_when_said(tmp_path):
    text = b"x;z;y\n1.234,5;12,5;no\n22.222,25;;\n7;1;yes\n"
    path = written(tmp_path / "t.csv", text)
    table = read_table(path, "y", options=ReadOptions(decimal=",", thousands="."))
    assert table.frame["x"].tolist() == [1234.5, 22222.25, 7.0]
    assert table.frame["z"].tolist()[::2] == [12.5, 1.0]
    with pytest.raises(TableError, match=r"'x' has values such as '1\.234,5'.*--decimal , --thou"):
        read_table(path, "y")
    with pytest.raises(TableError, match=r"'z' has values such as '12,5'.*--decimal"):
        read_table(path, "y", drop=["x"])
    as_text = read_table(path, "y", options=ReadOptions(decimal="."))
    assert [column.kind for column in as_text.columns] == ["category", "category"]


@pytest.mark.parametrize("number", ["1,234", "1'234", "1 234.5", "12.345.678"])
def test_whatever_looks_like_numbers_with_signs_between_thousands_is_asked_about(tmp_path, number):
    frame = pd.DataFrame({"x": [number, number.replace("1", "2")] * 20, "y": ["a", "b"] * 20})
    path = written(tmp_path / "t.csv", text_of(frame))
    with pytest.raises(TableError, match="look like numbers but are not read so"):
        read_table(path, "y", need_unlabeled=False)


def test_a_date_format_that_is_given_is_used(tmp_path):
    frame = pd.DataFrame(
        {"d": ["01/02/2024", "03/04/2024", "05/06/2024"] * 5, "y": ["a", "b", ""] * 5}
    )
    path = written(tmp_path / "t.csv", text_of(frame))
    given = read_table(path, "y", options=ReadOptions(date_format="%d/%m/%Y"))
    assert given.frame["d"].dt.month.tolist()[:3] == [2, 4, 6]
    guessed = read_table(path, "y")
    assert guessed.frame["d"].dt.month.tolist()[:3] == [1, 3, 5]
    assert any("--date-format '%d/%m/%Y'" in note for note in guessed.notes)


def test_dates_without_any_sign_are_dates_when_said(tmp_path):
    days = [20240131, "", 20241224] * 5
    path = written(
        tmp_path / "t.csv", text_of(pd.DataFrame({"d": days, "n": 7, "y": ["a", "b", ""] * 5}))
    )
    table = read_table(path, "y", options=ReadOptions(date_format="%Y%m%d"))
    assert [column.kind for column in table.columns] == ["date", "constant"]
    assert table.frame["d"].dt.day.tolist()[:3:2] == [31, 24]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"separator": ";;"}, "separator is ';;'"),
        ({"decimal": "x"}, "decimal is 'x'"),
        ({"thousands": "."}, "which is the decimal sign"),
        ({"encoding": "klingon"}, "encoding is 'klingon'"),
    ],
)
def test_options_that_cannot_be_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        ReadOptions(**options)


def test_a_separator_and_an_encoding_that_are_given_are_used(tmp_path):
    path = written(tmp_path / "t.csv", "x:y\nŁódź:a\nKraków:b\n".encode("cp1250"))
    raw = read_raw(path, ReadOptions(separator=":", encoding="cp1250"))
    assert raw.frame["x"].tolist() == ["Łódź", "Kraków"]
    assert raw.notes == []


@pytest.mark.parametrize("first", ["", "sep=,\n"])
def test_spaces_between_a_separator_and_a_quote_are_skipped(tmp_path, first):
    text = f'{first}"x", "kind", "y"\n1, "a, b", "no"\n2, "say ""c""", "yes"\n'
    frame = read_raw(written(tmp_path / "t.csv", text.encode("utf-8-sig"))).frame
    assert frame.to_dict("list") == {"x": [1, 2], "kind": ["a, b", 'say "c"'], "y": ["no", "yes"]}


def test_utf_16_without_its_mark_is_read_when_said(tmp_path):
    path = written(tmp_path / "t.csv", "x,y\n1,ä\n2,b\n".encode("utf-16-le"))
    assert read_raw(path, ReadOptions(encoding="utf-16-le")).frame["y"].tolist() == ["ä", "b"]
    with pytest.raises(TableError, match="name its --encoding"):
        read_raw(path)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
from tacit.tables._reading import read_raw
print(read_raw(sys.argv[1]).frame.to_dict("list"))
"""


def test_a_bare_carriage_return_takes_no_memory(tmp_path):
    path = written(tmp_path / "t.csv", b"a,label\n1,yes\r\r 2,no\n")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "{'a': [1, 2], 'label': ['yes', 'no']}\n", done.stderr


def test_bytes_that_are_no_text_far_down_are_told(tmp_path):
    lines = b"x,y\n" + b"abc,a\n" * 300_000 + "Köln,b\n".encode("cp1252")
    with pytest.raises(TableError, match="--encoding cp1252"):
        read_raw(written(tmp_path / "t.csv", lines))


def test_text_in_windows_encoding_is_read_and_said(tmp_path):
    path = written(tmp_path / "t.csv", "x,y\nKöln,a\nBonn,b\nÅs,\n".encode("cp1252"))
    raw = read_raw(path)
    assert raw.frame["x"].tolist() == ["Köln", "Bonn", "Ås"]
    assert "Windows-1252" in raw.notes[0]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    path = written(tmp_path / "t.csv", "x,y\n1,a\n2,b\n".encode("utf-8-sig"))
    assert list(read_raw(path).frame.columns) == ["x", "y"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "sep=; ", "sep=;;;", "\nsep=;"])
def test_a_first_line_that_names_the_separator_is_obeyed_and_skipped(tmp_path, encoding, first):
    text = f'{first}\r\nGröße;"a,b,c,d"\r\n1,5;Köln\r\n2,5;Bonn\r\n'
    path = written(tmp_path / "t.csv", text.encode(encoding))
    frame = read_raw(path, ReadOptions(decimal=",")).frame
    assert list(frame.columns) == ["Größe", "a,b,c,d"]
    assert frame["Größe"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("header", [b"a,b, a", b'\xef\xbb\xbf"a","b","a"', b"sep=,\na,b,a"])
def test_a_name_that_is_there_twice_is_told_however_it_is_written(tmp_path, header):
    with pytest.raises(TableError, match="more than one column named 'a'"):
        read_raw(written(tmp_path / "t.csv", header + b"\n1,2,3\n"))


def test_a_header_longer_than_the_first_look_is_read_whole(tmp_path):
    names = [f"a measurement with a rather long name and number {k}" for k in range(2000)]
    frame = pd.DataFrame({name: [1.5, None, 2.5] for name in names}).assign(y=["a", "NA", "b"])
    text = text_of(frame, sep=";")
    assert len(text.splitlines()[0]) > 65_536
    raw = read_raw(written(tmp_path / "t.csv", text), as_text=["y"])
    assert raw.frame.iloc[:, :-1].dtypes.map(pd.api.types.is_float_dtype).all()
    assert raw.frame["y"].tolist() == ["a", "NA", "b"]
    with pytest.raises(TableError, match="more than one column named 'y'"):
        read_raw(written(tmp_path / "t.csv", text.replace(names[7].encode(), b"y", 1)))


def test_columns_asked_for_as_text_keep_their_zeros(tmp_path):
    path = written(tmp_path / "t.csv", b"code ,y\n007,a\n008,b\n")
    assert read_raw(path, as_text=["code"]).frame["code"].tolist() == ["007", "008"]


BAD = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "is empty"),
    "header only": (b"x,y\n", "no rows"),
    "column twice": (b"x,x,y\n1,2,a\n", "more than one column named 'x'"),
    "long line": (b"x,y\n1,a\n2,b,c,d\n", "does not fit the header"),
    "unnamed values": (b"x,y\n1,a,7\n2,b,8\n", "does not fit the header"),
    "binary": (b"\x00\x01\x02" * 50, "not a table of text"),
    "no zip": (b"PK\x03\x04" + b"a" * 50, "is damaged and cannot be unpacked"),
}


@pytest.mark.parametrize(("content", "words"), BAD.values(), ids=BAD)
def test_a_file_that_is_no_table_is_refused_in_one_sentence(tmp_path, content, words):
    path = written(tmp_path / "t.csv", content)
    with pytest.raises(TableError, match=words) as caught:
        read_raw(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"not parquet", b"PAR1" + b"x" * 100 + b"PAR1"])
def test_a_corrupt_parquet_file_is_refused(tmp_path, content):
    path = written(tmp_path / "t.parquet", content)
    with pytest.raises(TableError, match="damaged"):
        read_raw(path)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
@pytest.mark.parametrize("where", [0.0, 0.5, 0.99])
def test_a_packed_file_that_is_damaged_is_named(tmp_path, suffix, where):
    packer = {"gz": gzip, "bz2": bz2, "xz": lzma}[suffix]
    # More than is looked at first, and hard to pack.
    numbers = np.random.default_rng(0).normal(size=60_000).round(12)
    lines = b"x,y\n" + b"".join(b"%r,a\n" % float(x) for x in numbers)
    content = bytearray(packer.compress(lines))
    place = int(where * len(content))
    content[place : place + 9] = b"\xff" * 9
    with pytest.raises(TableError, match=rf"t\.csv\.{suffix}' is damaged and cannot be unpacked"):
        read_raw(written(tmp_path / f"t.csv.{suffix}", content))
    with pytest.raises(TableError, match="is damaged and cannot be unpacked"):
        read_raw(written(tmp_path / f"t.csv.{suffix}", packer.compress(lines)[:-200]))


def test_of_a_folder_the_file_that_is_damaged_is_named(tmp_path, monkeypatch):
    FRAME.to_parquet(tmp_path / "a.parquet")
    written(tmp_path / "b.parquet", b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(TableError, match=r"b\.parquet .* is damaged"):
        read_raw(tmp_path)
    generated.read_in_pieces(monkeypatch, 10)
    with pytest.raises(TableError, match=r"b\.parquet .* is damaged"):
        read_table(tmp_path, "y", max_unlabeled=10)


def test_wherever_a_parquet_file_is_damaged_there_is_one_clean_sentence(tmp_path):
    frame = pd.DataFrame(
        {"x\x1b[2J": range(300), "kind": ["a", "b", "a"] * 100, "y": list("ab?") * 100}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    content = (tmp_path / "t.parquet").read_bytes()
    random, told = np.random.default_rng(0), set()
    for _ in range(150):
        damaged = bytearray(content)
        place = int(random.integers(4, len(content) - 12))
        damaged[place : place + 4] = random.bytes(4)
        path = written(tmp_path / "t.parquet", bytes(damaged))
        try:
            read_table(path, "y", "?")
        except TableError as error:
            told.add(str(error))
    assert len(told) > 5
    for sentence in told:
        assert sentence.isprintable()
        assert ". " not in sentence.replace(str(tmp_path), "")
    written(tmp_path / "cut.parquet", content[: len(content) // 2])
    with pytest.raises(TableError, match=r"\(Parquet magic bytes not found in footer\); write"):
        read_raw(tmp_path / "cut.parquet")


def test_what_a_file_brings_into_an_error_cannot_steer_a_terminal(tmp_path):
    path = written(tmp_path / "t.csv", b"a,b\n1,2\n\x1b[2J\x9b,\x07\x1b]0;mine,7\n")
    with pytest.raises(TableError, match="does not fit the header") as caught:
        read_raw(path)
    assert r"\x1b[2J" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_missing_file_is_named_with_its_nearest_neighbour(tmp_path):
    written(tmp_path / "churn.csv", b"x,y\n1,a\n")
    with pytest.raises(TableError, match=r"did you mean .*churn\.csv"):
        read_raw(tmp_path / "chrun.csv")
    with pytest.raises(TableError, match="There is no file"):
        read_raw(tmp_path / "nowhere" / "x.csv")


def of_text(path, target="y", **options):
    return read_table(path, target, **options)


@pytest.mark.parametrize("word", ["None", "null", "n/a", "nan", "N/A", "#N/A"])
def test_a_class_with_the_name_of_a_missing_value_stays_a_class(tmp_path, word):
    lines = [f"{k % 7},{('a', word, 'b', '', 'NA')[k % 5]}" for k in range(100)]
    path = written(tmp_path / "t.csv", "\n".join(["x, y ", *lines]).encode())
    table = of_text(path, labels=[word])
    assert table.target.counts == {"a": 20, "b": 20, word: 20}
    assert "20 rows with 'NA' were taken as unlabeled." in table.notes
    with pytest.raises(TableError, match="whether they are unlabeled"):
        of_text(path)


def test_missing_values_of_features_are_read_as_ever(tmp_path):
    lines = [f"{(k % 7, 'null', 'n/a', 'NA', '')[k % 5]},{'ab'[k % 2]}" for k in range(50)]
    path = written(tmp_path / "t.csv", "\n".join(["x,y", *lines, "3,", "4,"]).encode())
    (column,) = of_text(path).columns
    assert (column.kind, column.n_missing) == ("number", 40)


@pytest.mark.parametrize("mark", ["NA", "?"])
def test_numbers_between_marks_stay_numbers(tmp_path, mark):
    def rows(*labels):
        lines = [f"{k % 7};{labels[k % 3]}" for k in range(60)]
        return written(tmp_path / "t.csv", "\n".join(["x;y", *lines]).encode())

    marks = [mark] if mark != "NA" else None
    assert of_text(rows("0", "1", mark), mark=marks).target.classes == [0, 1]
    with pytest.raises(TableError, match="measurement"):
        of_text(rows("0,5", "1", mark), mark=marks, options=ReadOptions(decimal=","))


def test_few_unlabeled_rows_of_a_big_file_are_drawn_and_every_label_is_kept(tmp_path, monkeypatch):
    frame = pd.DataFrame({"x": range(5000), "z": [k % 7 for k in range(5000)]})
    frame["y"] = [("a", "b")[k % 2] if k % 100 == 0 or k % 100 == 51 else None for k in range(5000)]
    path = generated.write(frame, tmp_path / "t.parquet")
    for in_pieces in (False, True):
        if in_pieces:
            generated.read_in_pieces(monkeypatch, 1000)
        table = read_table(path, "y", max_unlabeled=500)
        assert table.n_labeled == 100
        assert 400 < table.n_unlabeled <= 500
        assert table.n_rows_in_file == 5000
        assert any("drawn at random" in note for note in table.notes)

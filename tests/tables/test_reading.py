import gzip
import io
import sys

import pandas as pd
import pytest

from tacit.tables import TableError, read_table
from tacit.tables._marks import Marks
from tacit.tables._reading import KnownColumns, read_raw
from tacit.tables._sampling import read_sample

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "kind": ["a", "b", "a"], "y": ["no", None, "yes"]})


def text_of(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def written(path, content):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "feather", "csv.gz", "txt"])
def test_a_table_reads_the_same_from_every_format(tmp_path, suffix):
    path = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        FRAME.to_parquet(path)
    elif suffix == "feather":
        FRAME.to_feather(path)
    elif suffix == "csv.gz":
        path.write_bytes(gzip.compress(text_of(FRAME)))
    else:
        path.write_bytes(text_of(FRAME, sep="," if suffix == "csv" else "\t"))
    frame = read_raw(path).frame
    assert frame["x"].tolist() == [1.5, 2.5, 3.5]
    assert frame["kind"].tolist() == ["a", "b", "a"]
    assert frame["y"].isna().tolist() == [False, True, False]


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


def test_semicolons_and_decimal_commas_are_understood_and_said(tmp_path):
    path = written(tmp_path / "t.csv", text_of(FRAME, sep=";", decimal=","))
    raw = read_raw(path)
    assert raw.frame["x"].tolist() == [1.5, 2.5, 3.5]
    assert len(raw.notes) == 2


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
    frame = read_raw(written(tmp_path / "t.csv", text.encode(encoding))).frame
    assert list(frame.columns) == ["Größe", "a,b,c,d"]
    assert frame["Größe"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("header", [b"a,b, a", b'\xef\xbb\xbf"a","b","a"', b"sep=,\na,b,a"])
def test_a_name_that_is_there_twice_is_told_however_it_is_written(tmp_path, header):
    with pytest.raises(TableError, match="more than one column named 'a'"):
        read_raw(written(tmp_path / "t.csv", header + b"\n1,2,3\n"))


def test_a_header_longer_than_the_first_look_is_read_whole(tmp_path):
    names = [f"a measurement with a rather long name and number {k}" for k in range(2000)]
    frame = pd.DataFrame({name: [1.5, None, 2.5] for name in names}).assign(y=["a", "NA", "b"])
    text = text_of(frame, sep=";", decimal=",")
    assert len(text.splitlines()[0]) > 65_536
    raw = read_raw(written(tmp_path / "t.csv", text), target="y")
    assert raw.frame.iloc[:, :-1].dtypes.map(pd.api.types.is_float_dtype).all()
    assert raw.frame["y"].tolist() == ["a", "NA", "b"]
    with pytest.raises(TableError, match="more than one column named 'y'"):
        read_raw(written(tmp_path / "t.csv", text.replace(names[7].encode(), b"y", 1)))


def test_columns_asked_for_as_text_keep_their_zeros(tmp_path):
    path = written(tmp_path / "t.csv", b"code ,y\n007,a\n008,b\n")
    assert read_raw(path, KnownColumns(as_text=["code"])).frame["code"].tolist() == ["007", "008"]


BAD = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "is empty"),
    "header only": (b"x,y\n", "no rows"),
    "column twice": (b"x,x,y\n1,2,a\n", "more than one column named 'x'"),
    "long line": (b"x,y\n1,a\n2,b,c,d\n", "does not fit the header"),
    "unnamed values": (b"x,y\n1,a,7\n2,b,8\n", "more values than the header"),
    "binary": (b"\x00\x01\x02" * 50, "not a table of text"),
    "Excel": (b"PK\x03\x04" + b"a" * 50, "Excel"),
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


def test_of_a_folder_the_file_that_is_damaged_is_named(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    written(tmp_path / "b.parquet", b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(TableError, match=r"b\.parquet' is damaged"):
        read_raw(tmp_path)
    with pytest.raises(TableError, match=r"b\.parquet' is damaged"):
        read_sample(tmp_path, "y", Marks(), 10, 0, small=0)


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
        of_text(rows("0,5", "1", mark), mark=marks)


def test_few_unlabeled_rows_of_a_big_file_are_drawn_and_every_label_is_kept(tmp_path, monkeypatch):
    frame = pd.DataFrame({"x": range(5000), "z": [k % 7 for k in range(5000)]})
    frame["y"] = [("a", "b")[k % 2] if k % 100 == 0 or k % 100 == 51 else None for k in range(5000)]
    for small in (0, 10**9):  # read in pieces, and read whole
        monkeypatch.setattr("tacit.tables._sampling.is_big_parquet", lambda *_, s=small: s == 0)
        path = tmp_path / "t.parquet"
        frame.to_parquet(path)
        table = read_table(path, "y", max_unlabeled=500)
        assert table.n_labeled == 100
        assert 400 < table.n_unlabeled <= 500
        assert table.n_rows_in_file == 5000
        assert any("drawn at random" in note for note in table.notes)

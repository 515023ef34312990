import json

import pytest

from tacit.research.datasets import PAPER, names
from tests.cli.process import assert_good, assert_one_sentence, started, tacit


@pytest.fixture(scope="module")
def listing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("listing")
    done = started("datasets", cwd=folder, TACIT_CACHE=str(folder / "cache"))
    assert_good(done)
    return done.stdout


def test_the_table_lists_every_dataset_on_one_line_and_fits_a_hundred_columns(listing):
    lines = listing.splitlines()
    first_words = [line.split()[0] for line in lines if line.strip()]
    for heading in ("dataset", "rows", "features", "status", "source"):
        assert heading in lines[0]
    assert [word for word in first_words if word in names()] == list(names())
    wdbc = next(line for line in lines if "WDBC" in line).split()
    assert wdbc[:5] == ["WDBC", "569", "30", "ready", "scikit-learn"]
    assert max(map(len, lines)) <= 100


def test_a_dataset_to_be_downloaded_says_why_and_from_where(listing):
    told = " ".join(listing[listing.index("- Parkinsons:") :].split())
    assert "cache" in told
    assert "https://www.openml.org/d/1488" in told


def rows_of(folder, *arguments, **variables):
    cache = {"TACIT_CACHE": str(folder / "cache")}
    done = tacit("datasets", "--json", *arguments, cwd=folder, **cache, **variables)
    assert_good(done)
    return {row["name"]: row for row in json.loads(done.stdout)}


@pytest.mark.parametrize("named_by", ["option", "environment"])
def test_the_folder_serves_what_it_has(tmp_path, named_by):
    write_parkinsons(tmp_path, n_rows=195)
    folder = str(tmp_path)
    if named_by == "option":
        parkinsons = rows_of(tmp_path, "--data", folder)["Parkinsons"]
    else:
        parkinsons = rows_of(tmp_path, TACIT_DATA=folder)["Parkinsons"]
    assert (parkinsons["state"], parkinsons["source"]) == ("ready", "folder")
    assert str(tmp_path / "parkinsons.csv") in parkinsons["where"]


def write_parkinsons(folder, n_rows):
    header = ",".join([*(f"f{i}" for i in range(22)), "status"])
    lines = [",".join([*["0.5"] * 21, str(i), "1" if i < 147 else "0"]) for i in range(n_rows)]
    (folder / "parkinsons.csv").write_text("\n".join([header, *lines]) + "\n")


def test_json_has_all_that_is_known(tmp_path):
    rows = rows_of(tmp_path)
    assert list(rows) == list(names())
    assert tuple(name for name, row in rows.items() if row["in_paper"]) == PAPER
    parkinsons = rows["Parkinsons"]
    assert (parkinsons["n_rows"], parkinsons["n_features"]) == (195, 22)
    assert (parkinsons["state"], parkinsons["source"]) == ("download", "OpenML 1488")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "150"), (b"", ""), (b"PK\x03\x04\x00\xff\xfe" * 50, ""), (b"a,b\n1,2\n", "")],
    ids=["too few rows", "empty", "no text", "another table"],
)
def test_a_file_that_would_be_refused_is_not_ready(content, reason, tmp_path):
    write_parkinsons(tmp_path, n_rows=150)
    if content is not None:
        (tmp_path / "parkinsons.csv").write_bytes(content)
    parkinsons = rows_of(tmp_path, "--data", str(tmp_path))["Parkinsons"]
    assert parkinsons["state"] == "missing"
    assert reason in parkinsons["reasons"][0]


def test_of_a_file_that_is_refused_it_says_why_and_not_to_put_it_there(tmp_path):
    (tmp_path / "sonar.csv").write_text("a,b\n1,2\n")
    done = tacit("datasets", "--data", str(tmp_path), cwd=tmp_path)
    assert_good(done)
    told = " ".join(done.stdout[done.stdout.index("- Sonar:") :].split())
    assert "unexpected: 'a'. Mend the file, or take it out of the folder." in told
    assert "put sonar.csv" not in told


BAD = {
    "a folder that does not exist": (1, ("--data", "nowhere"), {}, "nowhere"),
    "a file as the folder": (1, ("--data", "file.csv"), {}, "file.csv"),
    "such a folder in the environment": (1, (), {"TACIT_DATA": "nowhere"}, "nowhere"),
    "an option without value": (2, ("--data",), {}, "--data"),
    "a name": (2, ("WDBC",), {}, "WDBC"),
    "an unknown option": (2, ("--download",), {}, "--download"),
}


@pytest.mark.parametrize(("code", "arguments", "variables", "words"), BAD.values(), ids=BAD)
def test_it_says_in_one_sentence_what_is_wrong(code, arguments, variables, words, tmp_path):
    (tmp_path / "file.csv").write_text("a,b\n1,2\n")
    done = tacit("datasets", *arguments, cwd=tmp_path, **variables)
    assert_one_sentence(done, code, words)

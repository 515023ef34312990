import json
import os
import subprocess
import sys

import pytest

from tacit.datasets import PAPER, names


def run(folder, *arguments, **environment):
    """`tacit datasets` as a process with an empty cache and no folder but those given."""
    inherited = {key: value for key, value in os.environ.items() if key != "TACIT_DATA"}
    return subprocess.run(
        [sys.executable, "-m", "tacit", "datasets", *arguments],
        cwd=folder,
        env={**inherited, "TACIT_CACHE": str(folder / "cache"), **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def listing(tmp_path_factory):
    done = run(tmp_path_factory.mktemp("listing"))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_table_lists_every_dataset_on_one_line_and_fits_a_hundred_columns(listing):
    lines = listing.splitlines()
    first_words = [line.split()[0] for line in lines if line.strip()]
    for heading in ("dataset", "objects", "features", "status", "source"):
        assert heading in listing
    assert [word for word in first_words if word in names()] == list(names())
    wdbc = next(line for line in lines if "WDBC" in line).split()
    assert wdbc[:5] == ["WDBC", "569", "30", "ready", "scikit-learn"]
    table = lines[: next(k for k, line in enumerate(lines) if "Text" in line)]
    assert max(map(len, table)) <= 100


def test_the_table_has_no_colour_codes_in_a_pipe(listing):
    assert "\x1b" not in listing


def test_a_dataset_to_be_downloaded_says_why_and_from_where(listing):
    line = next(each for each in listing.splitlines() if each.startswith("Parkinsons:"))
    assert "cache" in line
    assert "https://www.openml.org/d/1488" in line


@pytest.mark.parametrize("named_by", ["option", "environment"])
def test_the_folder_serves_what_it_has(tmp_path, named_by):
    _write_parkinsons(tmp_path, n_rows=195)
    done = (
        run(tmp_path, "--json", "--data", str(tmp_path))
        if named_by == "option"
        else run(tmp_path, "--json", TACIT_DATA=str(tmp_path))
    )
    parkinsons = next(row for row in json.loads(done.stdout) if row["name"] == "Parkinsons")
    assert (parkinsons["state"], parkinsons["source"]) == ("ready", "folder")
    assert str(tmp_path / "parkinsons.csv") in parkinsons["where"]


def test_a_file_that_would_be_refused_is_not_ready(tmp_path):
    _write_parkinsons(tmp_path, n_rows=150)
    rows = json.loads(run(tmp_path, "--json", "--data", str(tmp_path)).stdout)
    parkinsons = next(row for row in rows if row["name"] == "Parkinsons")
    assert parkinsons["state"] == "missing"
    assert "150" in parkinsons["reasons"][0]


def _write_parkinsons(folder, n_rows):
    header = ",".join([*(f"f{i}" for i in range(22)), "status"])
    lines = [",".join([*["0.5"] * 21, str(i), "1" if i < 147 else "0"]) for i in range(n_rows)]
    (folder / "parkinsons.csv").write_text("\n".join([header, *lines]) + "\n")


def test_json_has_all_that_is_known(tmp_path):
    done = run(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows] == list(names())
    assert tuple(row["name"] for row in rows if row["in_paper"]) == PAPER
    parkinsons = rows[1]
    assert (parkinsons["n_rows"], parkinsons["n_features"]) == (195, 22)
    assert (parkinsons["state"], parkinsons["source"]) == ("download", "OpenML 1488")


def test_a_folder_that_does_not_exist_is_a_clear_error(tmp_path):
    done = run(tmp_path, "--data", "nowhere")
    assert done.returncode == 2
    assert "--data" in done.stderr
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr

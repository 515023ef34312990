"""`tacit reproduce`, run as a process on the one dataset that is always there."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as parquet
import pytest


def start(*arguments, cwd, **options):
    environment = os.environ | {"TACIT_DATA": "", "COLUMNS": "160"}
    return subprocess.Popen(
        [sys.executable, "-m", "tacit", "reproduce", *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def tacit_reproduce(*arguments, cwd):
    process = start(*arguments, cwd=cwd)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    code, out, err = tacit_reproduce(
        "--quick", "--datasets", "wdbc", "--jobs", "1", "--out", "out", cwd=folder
    )
    assert code == 0, err
    return folder / "out", out


def test_everything_is_written_into_the_folder(everything):
    folder, _ = everything
    names = {path.name for path in folder.iterdir()}
    tables = {"table1", "table2", "regularised", "theorem"}
    expected = {f"{name}.{suffix}" for name in tables for suffix in ("md", "tex", "csv")}
    figures = {"figure1", "figure2", "figure2-loss"}
    expected |= {f"{name}.{suffix}" for name in figures for suffix in ("png", "svg")}
    assert names == expected | {"index.html", "findings.md", "runs"}


def test_the_page_needs_no_other_file_and_has_every_part(everything):
    folder, _ = everything
    page = (folder / "index.html").read_text()
    for part in ("table1", "table2", "regularised", "figure1", "figure2", "theorem"):
        assert f'<section id="{part}">' in page
    assert page.count("data:image/png;base64,") == 3
    assert "http" not in page.replace("http-equiv", "")
    assert "tacit reproduce --quick --datasets wdbc" in page


def test_the_terminal_shows_tables_and_findings_without_colour_codes(everything):
    _, out = everything
    assert "\x1b" not in out
    for words in (
        "Table 2",
        "paper\u00a0.27",
        "self-learning",
        "violations in 5,000",
        "index.html",
    ):
        assert words in out


def test_a_second_call_fits_nothing_again(everything):
    folder, _ = everything
    before = parquet.read_table(folder / "runs" / "runs.parquet")
    code, _, err = tacit_reproduce(
        "table2", "--quick", "--datasets", "WDBC", "--out", "out", cwd=folder.parent
    )
    assert code == 0, err
    assert parquet.read_table(folder / "runs" / "runs.parquet").equals(before)  # seconds too


def test_a_dataset_that_is_not_the_papers_is_an_error_that_lists_them(tmp_path):
    code, _, err = tacit_reproduce("--datasets", "iris", cwd=tmp_path)
    assert code == 2
    assert "iris" in err
    assert "Ionosphere" in err
    assert not list(tmp_path.iterdir())


def test_an_unknown_part_is_an_error_that_lists_them(tmp_path):
    code, _, err = tacit_reproduce("table9", cwd=tmp_path)
    assert code == 2
    assert "table9" in err
    assert "table2" in err


def test_no_repeats_and_no_processes_are_errors(tmp_path):
    assert tacit_reproduce("--repeats", "0", cwd=tmp_path)[0] == 2
    code, _, err = tacit_reproduce("--jobs", "0", cwd=tmp_path)
    assert code == 2
    assert "--jobs" in err


def test_a_folder_of_other_runs_is_refused_and_kept(tmp_path):
    plan = {"classifiers": {"ICLS": "something else"}}
    runs = tmp_path / "reproduced" / "runs"
    runs.mkdir(parents=True)
    (runs / "plan.json").write_text(json.dumps(plan))
    code, _, err = tacit_reproduce("table2", "--quick", "--datasets", "WDBC", cwd=tmp_path)
    assert code == 1
    assert "another classifier" in err
    assert "Traceback" not in err
    assert json.loads((runs / "plan.json").read_text()) == plan


def test_an_interrupt_ends_cleanly_and_the_same_command_goes_on(tmp_path):
    arguments = ("table2", "--datasets", "WDBC", "--repeats", "40", "--jobs", "2")
    process = start(*arguments, cwd=tmp_path, start_new_session=True)
    runs = tmp_path / "reproduced" / "runs"
    deadline = time.monotonic() + 120
    while not list(runs.glob("part-*.parquet")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "goes on" in out
    assert "Traceback" not in err
    assert not list(runs.glob(".*.partial*"))
    code, _, err = tacit_reproduce(*arguments, cwd=tmp_path)
    assert code == 0, err
    table = parquet.read_table(runs / "runs.parquet").to_pylist()
    repeats = [row["repeat"] for row in table if row["measure"] == "error"]
    assert sorted(repeats) == sorted(list(range(40)) * 5)

"""`tacit benchmark`, run as a process on the one dataset that is always there."""

import os
import subprocess
import sys


def tacit_benchmark(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "tacit", "benchmark", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"TACIT_DATA": ""},
    )


def test_chosen_methods_are_run_with_their_twins(tmp_path):
    chosen = ("--methods", "USM,em lda", "--datasets", "wdbc", "--repeats", "1", "--jobs", "1")
    done = tacit_benchmark(*chosen, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("least squares", "USM", "LDA", "EM LDA", "WDBC"):
        assert name in done.stdout
    assert "S4VM" not in done.stdout
    assert "\x1b" not in done.stdout
    folder = tmp_path / "benchmarked"
    assert {path.name for path in folder.iterdir()} == {
        "family.md",
        "family.tex",
        "family.csv",
        "runs",
    }


def test_an_unknown_method_is_an_error_that_lists_them(tmp_path):
    done = tacit_benchmark("--methods", "magic", cwd=tmp_path)
    assert done.returncode == 2
    assert "magic" in done.stderr
    assert "pessimistic LDA" in done.stderr
    assert not list(tmp_path.iterdir())

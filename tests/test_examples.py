"""Every example of the gallery runs as a script, without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the gallery needs all extras")
pytest.importorskip("pandas", reason="the gallery needs all extras")
pytest.importorskip("dask", reason="the gallery needs all extras")
pytest.importorskip("pyarrow", reason="the gallery needs all extras")

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.rglob("*.py"))
# Pictures are drawn into memory, and showing them there has no effect but this warning.
NOT_SHOWN = "ignore:FigureCanvasAgg is non-interactive:UserWarning"


def _name(script):
    return str(script.relative_to(EXAMPLES).with_suffix(""))


def _param(script):
    # It compares methods, which fits hundreds of models.
    is_slow = _name(script) == "start/is_it_worth_it"
    return pytest.param(script, id=_name(script), marks=[pytest.mark.slow] if is_slow else [])


@pytest.mark.parametrize("script", [_param(script) for script in SCRIPTS])
def test_an_example_runs_without_a_warning_and_leaves_no_file(script, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", NOT_SHOWN, str(script)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=_name)
def test_an_example_has_a_title_a_picture_and_the_length_of_a_page(script):
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == '"""'
    assert lines[2] == "=" * len(lines[1])
    assert any("plt.show()" in line or ".plot()" in line for line in lines)
    assert 40 <= len(lines) <= 90


def test_every_folder_of_examples_has_a_heading():
    folders = {script.parent for script in SCRIPTS} | {EXAMPLES}
    assert all((folder / "GALLERY_HEADER.rst").is_file() for folder in folders)

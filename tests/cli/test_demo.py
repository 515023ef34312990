import subprocess
import sys


def _tacit(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "tacit", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_demo_prints_a_table_and_saves_a_plot(tmp_path):
    done = _tacit("demo", "--draws", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("supervised", "self-learning", "ICLS", "projected", "times worse"):
        assert name in done.stdout
    assert "\x1b" not in done.stdout  # no colour codes in a pipe
    assert [path.name for path in tmp_path.iterdir()] == ["tacit-demo.png"]
    assert (tmp_path / "tacit-demo.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_does_not_exist_is_a_clear_error(tmp_path):
    done = _tacit("demo", "--out", "nowhere/plot.png", cwd=tmp_path)
    assert done.returncode == 2
    assert "--out" in done.stderr
    assert "does not exist" in done.stderr


def test_the_version_is_printed(tmp_path):
    from tacit import __version__

    assert _tacit("--version", cwd=tmp_path).stdout == f"tacit {__version__}\n"


def test_without_its_extra_the_command_line_says_how_to_get_it(tmp_path):
    blocked = "import sys; sys.modules['typer'] = None; from tacit.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install 'tacit[cli]'" in done.stderr
    assert "Traceback" not in done.stderr

import json

from tacit import __version__
from tacit.cli.errors import OK, _run
from tests.cli.process import assert_one_sentence, tacit


def test_the_doctor_shows_versions_linear_algebra_and_parts(tmp_path, capsys):
    done = tacit("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    for words in (
        f"tacit {__version__}",
        "scikit-learn",
        "tacit[tables]",
        "A small fit came out right",
    ):
        assert words in done.stdout
    assert _run(["doctor", "--json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert found["tacit"] == __version__
    assert found["blas"][0]["threads"] >= 1
    assert found["problem"] is None
    assert {part["extra"] for part in found["parts"]} >= {"", "cli", "tables", "plots"}


def test_an_option_that_does_not_exist_ends_with_two(tmp_path):
    assert_one_sentence(tacit("doctor", "--nope", cwd=tmp_path), 2, "--nope", "doctor --help")

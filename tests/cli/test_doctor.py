import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tacit import ICLSClassifier, __version__
from tacit.cli import _doctor
from tacit.tables import _errors
from tests.cli.process import assert_good, assert_one_sentence, started, tacit


def test_the_doctor_shows_versions_linear_algebra_and_parts(tmp_path):
    done = started("doctor", cwd=tmp_path)
    assert_good(
        done, f"tacit {__version__}", "scikit-learn", "tacit[tables]", "A small fit came out right"
    )
    assert done.stdout.count("pyarrow ") == 1  # of two extras, and named once


def test_the_doctor_speaks_json(tmp_path):
    done = tacit("doctor", "--json", cwd=tmp_path)
    assert_good(done)
    found = json.loads(done.stdout)
    assert found["tacit"] == __version__
    assert found["blas"][0]["threads"] >= 1
    assert found["problem"] is None
    assert {part["extra"] for part in found["parts"]} >= {"", "cli", "tables", "plots"}


def test_the_doctor_knows_every_package_of_every_extra_for_users():
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))
    given = {"": project["project"]["dependencies"], **project["project"]["optional-dependencies"]}
    for extra, packages in _doctor.PACKAGES.items():
        assert set(packages) == {re.split(r"[\[<>!=]", each)[0] for each in given[extra]}
    for_users = {re.sub(r".*\[|\]", "", each) for each in given["all"]}
    assert set(",".join(for_users).split(",")) == set(_doctor.PACKAGES) - {""}


BAD = {
    "an unknown option": (("--nope",), "--nope"),
    "an argument": (("everything",), "everything"),
    "a value for a flag": (("--json=yes",), "--json"),
}


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD)
def test_the_doctor_says_in_one_sentence_what_is_wrong(arguments, words, tmp_path):
    done = tacit("doctor", *arguments, cwd=tmp_path)
    assert_one_sentence(done, 2, words, "tacit doctor --help")


def hide_skrub():
    def hidden(package):
        if package == "skrub":
            raise PackageNotFoundError(package)
        return version(package)

    _errors.version = hidden


def fail_to_fit():
    def fit(*_, **__):
        raise RuntimeError("no linear algebra")

    ICLSClassifier.fit = fit


def fit_wrongly():
    ICLSClassifier.predict = lambda self, X: X[:, 0] > 100.0


def test_a_part_that_is_missing_is_named_with_how_to_get_it(tmp_path):
    done = tacit("doctor", cwd=tmp_path, prepare=hide_skrub)
    assert_good(done, "not installed", "pip install 'tacit[tables]'")


@pytest.mark.parametrize(
    ("prepare", "words"),
    [(fail_to_fit, "no linear algebra"), (fit_wrongly, "came out wrong; install tacit")],
)
def test_an_installation_that_cannot_fit_is_told_and_ends_with_one(prepare, words, tmp_path):
    done = tacit("doctor", cwd=tmp_path, prepare=prepare)
    assert done.returncode == 1
    assert words in done.stdout

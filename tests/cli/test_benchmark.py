"""`tacit benchmark`, run as a process on the one dataset that is always there."""

import pytest

from tests.cli.process import assert_good, assert_one_sentence, started, tacit
from tests.cli.run_folders import SPOILED, leave_half_a_file, spoil

CHOSEN = ("--methods", "USM,em lda", "--datasets", "wdbc", "--repeats", "1", "--jobs", "1")


def test_chosen_methods_are_run_with_their_twins(tmp_path):
    leave_half_a_file(tmp_path / "benchmarked", "family.md")
    done = started("benchmark", *CHOSEN, cwd=tmp_path)
    assert_good(done, "least squares", "USM", "LDA", "EM LDA", "WDBC")
    assert done.stderr == ""
    assert "S4VM" not in done.stdout
    assert "With 1 repeat no difference can be significant" in " ".join(done.stdout.split())
    folder = tmp_path / "benchmarked"
    assert {path.name for path in folder.iterdir()} == {
        "family.md",
        "family.tex",
        "family.csv",
        "runs",
    }


def test_the_suite_of_evidence_compares_with_the_anchors_and_goes_on(tmp_path):
    chosen = ("--suite", "evidence", "--methods", "linear", "--datasets", "hayes-roth")
    for repeats in ("1", "2"):
        done = started(
            "benchmark", *chosen, "--repeats", repeats, "--jobs", "1", "--out", "o", cwd=tmp_path
        )
        assert_good(done, "anchors' average", "linear", "evidence.md")
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        *(f"evidence.{suffix}" for suffix in ("md", "tex", "csv")),
        *(f"runs-{n}" for n in (20, 50)),
    }


def test_the_suite_of_the_book_has_a_table_for_each_number_of_labels(tmp_path):
    chosen = ("--suite", "book", "--methods", "linear", "--datasets", "BCI", "--repeats", "1")
    done = started("benchmark", *chosen, "--jobs", "1", "--out", "o", cwd=tmp_path)
    assert_good(done, "book, 10 labels", "book, 100 labels", "BCI", "book-10.md")
    assert (tmp_path / "o" / "book-100.csv").is_file()


def test_a_method_of_the_users_own_has_a_row_beside_its_twin(tmp_path):
    (tmp_path / "my_methods.py").write_text(
        "from tacit import ICLSClassifier\nclass Mine(ICLSClassifier):\n    pass\n"
    )
    done = started("benchmark", "--method", "my_methods.py:Mine", *CHOSEN, cwd=tmp_path)
    assert_good(done, "least squares", "USM", "Mine")
    assert "Mine" in (tmp_path / "benchmarked" / "family.csv").read_text()


BAD_OPTIONS = {
    "an unknown method": (("--methods", "magic"), ("magic is unknown", "pessimistic LDA")),
    "no method": (("--methods", ","), ("no name was given", "pessimistic LDA")),
    "an unknown dataset": (("--datasets", "iris"), ("iris", "Ionosphere")),
    "no repeats": (("--repeats", "0"), ("--repeats",)),
    "no processes": (("--jobs", "0"), ("--jobs", "make no sense")),
    "a file as argument": (("table.csv",), ("table.csv",)),
}


@pytest.mark.parametrize(("arguments", "words"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_a_command_written_wrongly_ends_with_two(arguments, words, tmp_path):
    assert_one_sentence(tacit("benchmark", *arguments, cwd=tmp_path), 2, *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("what", "words"), SPOILED.items(), ids=SPOILED)
def test_what_is_wrong_with_the_folder_is_said_and_nothing_is_changed(what, words, tmp_path):
    file = spoil(tmp_path / "benchmarked", what, classifier="USM")
    before = file.read_bytes()
    assert_one_sentence(tacit("benchmark", *CHOSEN, cwd=tmp_path), 1, words)
    assert file.read_bytes() == before


def test_a_folder_of_data_that_is_not_there_is_named(tmp_path):
    done = tacit("benchmark", *CHOSEN, "--data", "nowhere", cwd=tmp_path)
    assert_one_sentence(done, 1, "nowhere")

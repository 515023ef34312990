import html
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

from tacit import tables
from tacit.selection import default_contestants
from tests.cli.process import assert_good, assert_one_sentence, started, tacit
from tests.tables import generated

# Fewer folds than a user gets by default; everything else is what a user gets.
QUICK = ("--repeats", "1", "--folds", "2", "--jobs", "1")
KINDS = ("HELPS", "MAKES NO DIFFERENCE", "MAY HURT", "TOO FEW LABELS TO TELL")


@pytest.mark.parametrize(
    ("make", "target"),
    [(generated.churn, "churned"), (generated.medical, "diagnosis"), (generated.sensor, "state")],
)
def test_one_command_leads_from_a_mixed_table_to_a_verdict_and_a_report(make, target, tmp_path):
    generated.write(make(1_000), tmp_path / "table.csv")
    # From its very start for one of them; the others share their imports.
    run = started if target == "churned" else tacit
    done = run(
        "compare", "table.csv", "--target", target, "--report", "report.html", *QUICK, cwd=tmp_path
    )
    assert_good(done)
    assert done.stderr == ""
    assert sum(f"─ {kind} ─" in done.stdout for kind in KINDS) == 1
    for contestant in default_contestants().values():
        assert contestant.name in done.stdout
    assert "looks like an identifier" in done.stdout
    command = "label" if "NOT USABLE YET" in done.stdout else "fit"
    assert f"tacit {command} table.csv --target {target}" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "table.csv"]
    page = (tmp_path / "report.html").read_text()
    assert len(page) < 3_000_000
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert headings == [
        "The picture",
        "The numbers",
        "How sure it is, and how often right",
        "The evidence in words",
        "What holds for any labels",
        "Learning curves",
        "What was done to the data",
        "How to repeat this",
    ]
    assert f"tacit compare table.csv --target {target} --report report.html" in page
    assert not re.search(r"(src|href)=\"https?:", page)


@pytest.fixture
def easy(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    frame = pd.DataFrame(random.normal(size=(300, 4)) + y[:, None], columns=list("abcd"))
    frame["y"] = y
    frame.loc[40:, "y"] = -1
    return generated.write(frame, tmp_path / "easy.csv")


def test_json_is_all_that_a_program_reads(easy, tmp_path):
    done = tacit(
        "compare", "-", "-t", "y", "--unlabeled", "-1", "--json", *QUICK,
        cwd=tmp_path, stdin=easy.read_bytes(),
    )  # fmt: skip
    assert_good(done)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["verdict"]["kind"].upper() in KINDS
    assert found["verdict"]["evidence"]
    assert [row["name"] for row in found["contestants"]] == list(default_contestants())
    assert found["table"]["labels"] == {"0": 17, "1": 23} or found["table"]["n_labeled"] == 40
    assert found["table"]["n_unlabeled"] == 260
    assert set(found["certificates"]) == {"tacit", "ICLS", "projected", "self-learning"}
    assert found["report"] is None


def test_the_next_command_learns_from_the_same_columns_and_labels(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(90, 3)), columns=["a", "b", "too late"])
    frame["number"] = np.arange(90)
    labels = np.where(frame["a"] > 0, "None", "some")
    frame["y"] = np.where(np.arange(90) < 40, labels, np.where(np.arange(90) < 60, "?", "x y"))
    generated.write(frame, tmp_path / "t.csv")
    options = (
        "--unlabeled", "?", "--unlabeled", "x y", "--label", "None", "--keep", "number",
        "--drop", "too late", "--decimal", ".",
    )  # fmt: skip
    done = tacit("compare", "t.csv", "-t", "y", *options, *QUICK, cwd=tmp_path)
    assert_good(done, "20 rows with '?' were taken as unlabeled.")
    line = done.stdout.splitlines()[-1]
    assert line.startswith("Next: tacit fit t.csv --target y --model ")
    assert shlex.join(options) in line
    done = tacit(*shlex.split(line)[2:], "--json", cwd=tmp_path)
    assert_good(done)
    card = json.loads(done.stdout)
    assert card["classes"] == ["None", "some"]
    assert card["unlabeled_markers"] == ["?", "x y"]
    kinds = {column["name"]: column["kind"] for column in card["columns"]}
    assert kinds["number"] == "number"
    assert kinds["too late"] == "left out by choice"


def test_every_contestant_that_may_be_recommended_can_be_fitted():
    names = {contestant.name.lower() for contestant in default_contestants().values()}
    assert names <= set(tables.MODELS)


def broken(folder, name):
    """A file with one thing wrong with it, by the name of what is wrong."""
    path = folder / f"{name.replace(' ', '-')}.csv"
    frame = pd.DataFrame({"x": range(30), "z": [k % 4 for k in range(30)]})
    frame["y"] = [None, "a", "b"] * 10
    if name == "empty":
        path.write_bytes(b"")
        return path
    if name == "no labels":
        frame["y"] = None
    elif name == "one class":
        frame["y"] = [None, "a", "a"] * 10
    elif name == "continuous target":
        frame["y"] = [None, 0.5, 1.25] * 10
    elif name == "no such file":
        return path
    elif name == "corrupt Parquet":
        path = path.with_suffix(".parquet")
        path.write_bytes(b"PAR1" + b"\x00garbage" * 40 + b"PAR1")
        return path
    elif name == "column twice":
        path.write_bytes(b"x,x,y\n1,2,a\n3,4,b\n5,6,\n")
        return path
    generated.write(frame, path)
    return path


BAD = {
    "no such file": ("There is no file",),
    "no such column": ("has no column 'Y'", "did you mean 'y'?"),
    "no labels": ("has no labels", "fill in"),
    "one class": ("only one class, 'a'",),
    "empty": ("is empty",),
    "corrupt Parquet": ("is damaged", "write it again"),
    "continuous target": ("looks like a measurement",),
    "column twice": ("more than one column named 'x'",),
}


@pytest.mark.parametrize(("what", "words"), BAD.items(), ids=BAD)
def test_compare_says_in_one_sentence_what_is_wrong(what, words, tmp_path):
    target = "Y" if what == "no such column" else "y"
    done = tacit(
        "compare", str(broken(tmp_path, what)), "-t", target, "--report", "r.html", cwd=tmp_path
    )
    assert_one_sentence(done, 1, *words)
    assert not (tmp_path / "r.html").exists()


def test_text_longer_than_any_category_becomes_a_few_numbers_and_is_said(tmp_path):
    random = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(500)])
    frame = pd.DataFrame({"x": random.normal(size=120)})
    frame["essay"] = [" ".join(random.choice(words, 3000)) for _ in range(120)]
    frame["y"] = np.where(np.arange(120) < 40, np.where(frame["x"] > 0, "a", "b"), None)
    generated.write(frame, tmp_path / "t.csv")
    done = tacit("compare", "t.csv", "-t", "y", "--json", *QUICK, cwd=tmp_path)
    assert_good(done)
    table = json.loads(done.stdout)["table"]
    assert 2 < len(table["features"]) <= 31
    assert any("'essay': free text of up to" in note for note in table["notes"])


BAD_OPTIONS = {
    "no target": ((), "--target"),
    "no processes": (("-t", "y", "--jobs", "0"), "make no sense"),
    "no repeats": (("-t", "y", "--repeats", "0"), "--repeats"),
    "one fold": (("-t", "y", "--folds", "1"), "--folds"),
    "a negative margin": (("-t", "y", "--margin", "-1"), "--margin"),
}


@pytest.mark.parametrize(("options", "words"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_a_command_written_wrongly_ends_with_two(options, words, tmp_path):
    done = tacit("compare", "t.csv", *options, cwd=tmp_path)
    assert_one_sentence(done, 2, words, "tacit compare --help")


BAD_CHOICES = {
    "a report in no folder": (("--report", "nowhere/r.html"), "does not exist; create it"),
    "a report that is a folder": (("--report", "."), "name a file in it"),
    "more folds than labels": (("--folds", "400"), "--folds is 400 and there are only 40 labels"),
    "a column to drop that is not there": (("--drop", "e"), "'e'"),
}


@pytest.mark.parametrize(("options", "words"), BAD_CHOICES.values(), ids=BAD_CHOICES)
def test_a_choice_that_does_not_fit_the_table_ends_with_one(options, words, easy, tmp_path):
    done = tacit("compare", str(easy), "-t", "y", "--unlabeled", "-1", *options, cwd=tmp_path)
    assert_one_sentence(done, 1, words)
    assert [path.name for path in tmp_path.iterdir()] == ["easy.csv"]


@pytest.mark.parametrize("scoring", ["beauty", "r2"])
def test_a_score_that_is_unknown_or_of_regression_is_refused(scoring, easy, tmp_path):
    done = tacit("compare", str(easy), "-t", "y", "--scoring", scoring, cwd=tmp_path)
    assert_one_sentence(done, 2, f"--scoring is '{scoring}'", "'balanced_accuracy'")


def test_a_margin_that_is_meant_in_points_is_refused_and_its_unit_is_in_the_help(easy, tmp_path):
    command = ("compare", str(easy), "-t", "y", "--unlabeled", "-1", "--margin", "2")
    words = "it must be below 1, because error is a part of one here: 2 points are 0.02"
    assert_one_sentence(tacit(*command, cwd=tmp_path), 2, "--margin", words)
    text = " ".join(tacit("compare", "--help", cwd=tmp_path).stdout.split())
    assert "0.02 is 2 points" in text.replace("│ │ ", "")


def test_after_a_table_that_was_piped_in_the_next_command_asks_for_a_file(easy, tmp_path):
    options = ("--unlabeled", "-1", "--report", "r.html", *QUICK)
    done = tacit("compare", "-", "-t", "y", *options, cwd=tmp_path, stdin=easy.read_bytes())
    assert_good(done)
    line = done.stdout.splitlines()[-1]
    assert line.startswith("Next, with the same table in a file: tacit fit table.csv --target y ")
    easy.rename(tmp_path / "table.csv")
    assert_good(tacit(*shlex.split(line.partition(": tacit ")[2]), cwd=tmp_path))
    page = html.unescape((tmp_path / "r.html").read_text())
    assert "In the terminal, the table piped in" in page
    assert "read_table('table.csv', 'y', mark=['-1'])" in page


def noisy(folder):
    """Columns that say nothing, eleven that are left out, and two labels that do not matter."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(160, 2)), columns=["a", "b"])
    for k in range(11):
        frame[f"same{k}"] = k
    frame["y"] = np.where(np.arange(160) < 30, np.where(np.arange(160) % 3, "no", "yes"), None)
    return generated.write(frame, folder / "noise.csv")


def test_a_model_that_is_no_better_than_a_guess_is_the_headline_and_repeated_notes_are_one(
    tmp_path,
):
    noisy(tmp_path)
    command = ("compare", "noise.csv", "-t", "y", "--repeats", "1", "--folds", "3", "--jobs", "1")
    done = tacit(*command, cwd=tmp_path)
    assert_good(done)
    text = " ".join(done.stdout.replace("│", " ").split())
    assert "NOT USABLE YET ─" in text
    assert "no better than always saying 'no'" in text
    assert "Its AUC is 0." in text
    # Not a fit of a model that nobody should use.
    command_of = "tacit label noise.csv --target y -o to_label.csv"
    assert done.stdout.splitlines()[-1] == f"Next, which rows to label: {command_of}"
    assert_good(tacit(*command_of.split()[1:], cwd=tmp_path))
    assert re.search(r"always 'no' +33\.3% +0\.50 +no model", done.stdout)
    assert text.count("left out") == 1
    assert "'same0', 'same1', 'same2', 'same3', 'same4' and 6 more were left out" in text
    verbose = tacit(*command, "--verbose", cwd=tmp_path)
    assert verbose.stdout.count("was left out: every row has the value") == 11
    found = json.loads(tacit(*command, "--json", cwd=tmp_path).stdout)
    assert "not usable yet" in found["verdict"]["model"]
    assert {"error", "auc", "only_class"} <= set(found["contestants"][0])
    assert found["guess"] == {"answer": "no", "error": pytest.approx(1 / 3)}

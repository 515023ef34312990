"""Runs on disk: whole files, each run once, one writer."""

import json
import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tacit.research.experiments import Run, RunStore
from tacit.research.experiments._store import LOCK, PART, PLAN, WHOLE

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tacit[parquet]'")
PLAN_A = {"datasets": {"d": "10 x 2, abc"}, "classifiers": {"c": "Plain()"}}


def run_number(repeat, **changes):
    run = Run("d", "cross-validation", "c", 5, 10, repeat, "error", repeat / 8, 0.5, "ok")
    return replace(run, **changes)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_appended_is_read_again(tmp_path):
    store = RunStore(tmp_path / "not" / "yet" / "there")
    assert store.read() == []
    runs = [
        run_number(0),
        run_number(1, status="failed: Oh: no\nreally"),
        run_number(2, dataset="é|/"),
    ]
    store.append(runs[:2])
    store.append([])
    store.append(runs[2:])
    assert len(list(store.folder.glob(PART))) == 2
    assert sorted(store.read(), key=lambda r: r.repeat) == runs
    (failed,) = _round_trip(store, run_number(3, value=float("nan")))
    assert failed.value != failed.value


def _round_trip(store, run):
    store.append([run])
    return [found for found in store.read() if found.key == run.key]


def test_gathering_makes_one_sorted_file_of_the_parts(tmp_path):
    store = RunStore(tmp_path)
    for repeat in (2, 0, 1):
        store.append([run_number(repeat)])
    store.append([run_number(0, classifier="b"), run_number(0, classifier="a")])
    gathered = store.gather()
    assert [(r.classifier, r.repeat) for r in gathered] == [
        ("a", 0),
        ("b", 0),
        ("c", 0),
        ("c", 1),
        ("c", 2),
    ]
    assert names(tmp_path) == [WHOLE]
    assert RunStore(tmp_path).read() == gathered
    store.append([run_number(3)])
    assert [r.repeat for r in store.gather()] == [0, 0, 0, 1, 2, 3]


def test_the_whole_file_is_what_other_programs_can_read(tmp_path):
    pandas = pytest.importorskip("pandas")
    store = RunStore(tmp_path)
    store.append([run_number(0), run_number(1)])
    store.gather()
    frame = pandas.read_parquet(tmp_path / WHOLE)
    assert list(frame.columns) == [
        *("dataset", "protocol", "classifier", "n_labeled", "n_unlabeled", "repeat", "measure"),
        *("value", "seconds", "status", "fold", "n_test"),
    ]
    assert frame["value"].tolist() == [0.0, 0.125]


def test_a_run_that_is_there_twice_counts_once(tmp_path):
    store = RunStore(tmp_path)
    store.append([run_number(0), run_number(1)])
    store.append([run_number(1, seconds=9.0), run_number(2)])
    assert [r.repeat for r in store.gather()] == [0, 1, 2]
    store.append([run_number(0, seconds=9.0)])
    assert store.gather() == store.read()
    # What is in the whole file stays as it is.
    assert [r.repeat for r in store.read()] == [0, 1, 2]
    assert store.read()[0].seconds == 0.5


def failed(repeat, reason):
    return run_number(repeat, value=float("nan"), status=f"failed: {reason}")


@pytest.mark.parametrize("gathered", [False, True])
def test_a_failure_gives_way_to_what_came_later_and_nothing_gives_way_to_a_failure(
    tmp_path, gathered
):
    store = RunStore(tmp_path)
    for batch in (
        [failed(0, "first"), failed(1, "first"), run_number(2)],
        [failed(0, "second"), run_number(1), failed(2, "second")],
        [failed(0, "third")],
    ):
        store.append(batch)
        if gathered:
            store.gather()
    for runs in (store.read(), store.gather(), store.read()):
        statuses = [r.status for r in sorted(runs, key=lambda r: r.repeat)]
        assert statuses == ["failed: third", "ok", "ok"]


def test_many_parts_are_read_in_the_order_in_which_they_were_written(tmp_path):
    store = RunStore(tmp_path)
    for attempt in range(12):
        store.append([failed(0, attempt)])
    assert [r.status for r in store.read()] == ["failed: 11"]


def test_a_death_while_parts_are_removed_brings_no_earlier_failure_back(tmp_path, monkeypatch):
    """Whichever parts are left, the whole file and they say what was said last."""
    remove = Path.unlink
    for n_removed in range(4):
        store = RunStore(tmp_path / str(n_removed))
        for attempt in range(3):
            store.append([failed(0, attempt)])
        removed = []

        def die(self, missing_ok=False, removed=removed, limit=n_removed):
            if self.name.startswith("part-"):
                if len(removed) == limit:
                    raise KeyboardInterrupt
                removed.append(self)
            remove(self, missing_ok)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", die)
            with pytest.raises(KeyboardInterrupt) if n_removed < 3 else nullcontext():
                store.gather()
        assert [r.status for r in store.read()] == ["failed: 2"]


def test_a_death_between_writing_the_whole_and_removing_the_parts_costs_nothing(
    tmp_path, monkeypatch
):
    class DeathError(BaseException):
        pass

    def die(self, missing_ok=False):
        if self.name.startswith("part-"):
            raise DeathError

    store = RunStore(tmp_path)
    store.append([run_number(0)])
    store.append([run_number(1)])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", die)
        with pytest.raises(DeathError):
            store.gather()
    assert (tmp_path / WHOLE).exists()
    assert len(list(tmp_path.glob(PART))) == 2
    assert [r.repeat for r in store.read()] == [0, 1]
    assert [r.repeat for r in store.gather()] == [0, 1]
    assert names(tmp_path) == [WHOLE]


def test_a_batch_that_cannot_be_written_leaves_nothing(tmp_path):
    store = RunStore(tmp_path)
    with pytest.raises(Exception, match="Could not convert"):
        store.append([run_number(0), run_number(1, value="no number")])
    assert names(tmp_path) == []


def test_leftovers_of_a_killed_process_are_neither_read_nor_kept(tmp_path):
    store = RunStore(tmp_path)
    for name in (f".part-1.{'0' * 32}.partial.parquet", f".runs.{'1' * 32}.partial.parquet"):
        (tmp_path / name).write_bytes(b"PAR1 half a fi")
    assert store.read() == []
    with store.writing(PLAN_A):
        assert names(tmp_path) == [LOCK, PLAN]


@pytest.mark.parametrize("name", [WHOLE, "part-0.parquet"])
def test_a_file_that_is_broken_is_named_with_what_to_do(tmp_path, name):
    store = RunStore(tmp_path)
    store.append([run_number(0)])
    (tmp_path / name).write_bytes(b"not Parquet")
    with pytest.raises(ValueError, match=rf"{name} cannot be read as runs .* delete it"):
        store.read()
    (tmp_path / name).unlink()
    assert len(store.read()) == 1


def test_a_table_of_something_else_is_named_with_what_to_do(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    pyarrow.parquet.write_table(pyarrow.table({"speed": [1.0]}), tmp_path / WHOLE)
    with pytest.raises(ValueError, match=rf"{WHOLE} cannot be read as runs .*speed"):
        RunStore(tmp_path).read()


# The plan.


def test_a_plan_may_grow_but_not_change(tmp_path):
    store = RunStore(tmp_path)
    with store.writing(PLAN_A):
        pass
    with store.writing({"datasets": {"e": "new"}, "protocols": {"p": "settings"}}):
        pass
    with store.writing(PLAN_A):
        pass
    before = (tmp_path / PLAN).read_text()
    assert json.loads(before) == {
        "datasets": {"d": "10 x 2, abc", "e": "new"},
        "classifiers": {"c": "Plain()"},
        "protocols": {"p": "settings"},
    }
    message = r"another classifier under the name 'c' \(Plain\(\), now Fancy\(\)\).* another folder"
    with (
        pytest.raises(ValueError, match=message),
        store.writing({"datasets": {"f": "more"}, "classifiers": {"c": "Fancy()"}}),
    ):
        pytest.fail("it may not be entered")
    assert (tmp_path / PLAN).read_text() == before
    assert sorted(names(tmp_path)) == [LOCK, PLAN]


def test_a_plan_that_is_broken_is_named_with_what_to_do(tmp_path):
    (tmp_path / PLAN).write_text("{half a pl")
    with (
        pytest.raises(ValueError, match=rf"{PLAN} cannot be read .* delete this one"),
        RunStore(tmp_path).writing(PLAN_A),
    ):
        pytest.fail("it may not be entered")


# The lock.


@pytest.mark.skipif(os.name == "nt", reason="locks are those of POSIX systems")
def test_a_second_writer_is_refused_while_the_first_is_there(tmp_path):
    store = RunStore(tmp_path)
    with store.writing(PLAN_A):
        with (
            pytest.raises(ValueError, match="Another process is writing runs into"),
            RunStore(tmp_path).writing(PLAN_A),
        ):
            pytest.fail("it may not be entered")
        # The refused one has not taken the lock with it.
        with pytest.raises(ValueError, match="Another process"), store.writing(PLAN_A):
            pytest.fail("it may not be entered")
        assert store.read() == []  # reading is free
    with RunStore(tmp_path).writing(PLAN_A):
        pass


@pytest.mark.skipif(os.name == "nt", reason="locks are those of POSIX systems")
def test_the_lock_goes_with_an_error(tmp_path):
    store = RunStore(tmp_path)
    with pytest.raises(RuntimeError, match="oh"), store.writing(PLAN_A):
        raise RuntimeError("oh")
    with store.writing(PLAN_A):
        pass


def test_relative_paths_and_strings_are_folders_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = RunStore("runs/here")
    with store.writing(PLAN_A):
        store.append([run_number(0)])
    store.gather()
    assert RunStore(tmp_path / "runs" / "here").read() == [run_number(0)]

import os
import time

import pytest

from tacit._files import (
    check_can_write,
    remove_left_behind,
    remove_unfinished,
    write_text,
    written_whole,
)


def test_a_file_appears_only_when_all_is_written(tmp_path):
    file = tmp_path / "out.csv"
    with written_whole(file) as partial:
        partial.write_text("half")
        assert not file.exists()
        assert partial.parent == tmp_path
        assert partial.suffix == ".csv"
    assert file.read_text() == "half"
    assert list(tmp_path.iterdir()) == [file]


def fail_halfway(file, what):
    with written_whole(file) as partial:
        partial.write_text("half")
        what(partial)


def stop(partial):
    raise ValueError("stop")


def remove(partial):
    remove_unfinished()
    assert not partial.exists()


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "out.csv"
    file.write_text("old")
    with pytest.raises(ValueError, match="stop"):
        fail_halfway(file, stop)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_half_written_can_be_removed_from_outside(tmp_path):
    with pytest.raises(FileNotFoundError):
        fail_halfway(tmp_path / "out.csv", remove)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_to_are_told_early(tmp_path):
    check_can_write(tmp_path / "new.csv", "--out")
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        check_can_write(tmp_path, "--out")
    with pytest.raises(FileNotFoundError, match="does not exist; create it"):
        check_can_write(tmp_path / "nowhere" / "x.csv", "--out")


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "file.csv", tmp_path / "link.csv"
    file.write_text("old")
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.skipif(os.name == "nt", reason="named pipes are files only on POSIX systems")
def test_what_is_no_plain_file_is_written_to_and_never_replaced(tmp_path):
    # Standing in for /dev/null, which whoever may rename in /dev would otherwise replace.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with written_whole(pipe) as where:
        assert where == pipe
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def left_behind(folder, name, seconds_ago):
    file = folder / name
    file.write_text("half")
    os.utime(file, (time.time() - seconds_ago,) * 2)
    return file


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path):
    left_behind(tmp_path, ".index.0123456789ab.partial.html", 60)
    left_behind(tmp_path, ".figure.1.0123456789ab.partial", 60)
    kept = {
        left_behind(tmp_path, "index.html", 60),
        left_behind(tmp_path, ".notes.partial.html", 60),
        # Another process may be at it.
        left_behind(tmp_path, ".index.ba9876543210.partial.html", -60),
    }
    with written_whole(tmp_path / "own.csv") as own:
        left_behind(tmp_path, own.name, 60)
        remove_left_behind(tmp_path)
        assert own.exists()
    assert set(tmp_path.iterdir()) == kept | {tmp_path / "own.csv"}

import errno
import os

import pytest

from tacit._files import write_text, written_whole
from tests.cli.process import assert_one_sentence, tacit

ERRORS = {
    "opening": lambda partial: FileNotFoundError(errno.ENOENT, "No such file", str(partial)),
    "Arrow": lambda partial: OSError(errno.ENOENT, f"Failed to open local file '{partial}'"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_names_the_file_that_was_to_be_written(tmp_path, kind):
    file = tmp_path / "x.skops"
    with pytest.raises(OSError, match="No such file") as caught, written_whole(file) as partial:
        raise ERRORS[kind](partial)
    assert os.fspath(caught.value.filename) == str(file)
    assert "partial" not in str(caught.value)


def test_a_folder_that_vanishes_is_no_reason_to_show_a_temporary_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "x.csv", "1")
    assert caught.value.filename == str(tmp_path / "nowhere" / "x.csv")


@pytest.mark.skipif(os.name == "nt", reason="limits on the size of files are of POSIX systems")
def test_a_file_that_grows_too_large_is_named(tmp_path):
    done = tacit("reproduce", "table1", "--datasets", "WDBC", cwd=tmp_path, prepare=limit_files)
    assert_one_sentence(done, 1, "reproduced/index.html", "File too large")
    assert "the output" not in done.stderr
    assert not list(tmp_path.glob("reproduced/.*"))


def limit_files():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_an_error_that_is_not_of_writing_keeps_its_words(tmp_path):
    file = tmp_path / "x.csv"
    with pytest.raises(OSError, match="no answer") as caught, written_whole(file):
        raise OSError(errno.ETIMEDOUT, "no answer")
    assert caught.value.filename is None

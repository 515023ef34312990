import errno
import os

import pytest

from tacit._files import write_text, written_whole

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

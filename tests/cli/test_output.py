import json

import numpy as np

from tacit.cli._output import print_json


def test_numbers_and_arrays_of_numpy_are_plain_json(capsys):
    values = {
        "numbers": [np.float64(0.5), np.int64(3), np.bool_(True), np.str_("a")],
        "array": np.array([[1.0, np.nan], [np.inf, 2.0]]),
        2: (None, float("nan"), np.float32("nan")),
    }
    print_json(values)
    assert json.loads(capsys.readouterr().out) == {
        "numbers": [0.5, 3, True, "a"],
        "array": [[1.0, None], [None, 2.0]],
        "2": [None, None, None],
    }

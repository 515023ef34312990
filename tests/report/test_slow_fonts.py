"""Figures are made without a word, on any machine."""

import os
import subprocess
import sys

import pytest

# Matplotlib tells that it looks for fonts where that takes more than five seconds; here, at once.
SLOW = """
import logging, sys, threading

class Timer(threading.Timer):
    def start(self):
        self.function()

threading.Timer = Timer
from tacit.report import new_figure
new_figure(1, 1)
assert "matplotlib.font_manager" in sys.modules
logging.getLogger("matplotlib.font_manager").warning("another word")
"""


def test_a_slow_search_for_fonts_is_not_told_and_other_warnings_are(tmp_path):
    pytest.importorskip("matplotlib")
    done = subprocess.run(
        [sys.executable, "-c", SLOW],
        env=os.environ | {"MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (0, "another word")
    assert list(tmp_path.glob("fontlist*"))  # it did look for them

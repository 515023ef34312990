"""Whole fits in processes that are forked while another thread is in the middle of one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.tally import FACTOR, IS_SOAK

N_FORKS = max(1, round(100 * FACTOR)) if IS_SOAK else 3  # for each of three models
PATIENCE = "60"  # seconds of a fit, after which it is said to hang


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_process_that_is_forked_in_the_middle_of_another_threads_fit_can_fit_too() -> None:
    # Had failed: k-means waited for threads of OpenMP, of which a forked process has none.
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak.forked", str(N_FORKS), PATIENCE],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.stderr == ""
    ends = done.stdout.splitlines()
    assert len(ends) == 3 * N_FORKS
    assert [end for end in ends if not end.endswith(" 0")] == []
    assert done.returncode == 0

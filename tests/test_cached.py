"""Properties that are computed once."""

import os
import signal
import threading

import pytest

from tacit._cached import cached_property


class Slow:
    n_computed = 0

    def __init__(self, started=None, go_on=None):
        self.started, self.go_on = started, go_on

    @cached_property
    def value(self):
        """A value."""
        self.n_computed += 1
        if self.started is not None:
            self.started.set()
            self.go_on.wait(10.0)
        return 3


def test_a_value_is_computed_once_and_kept_with_its_instance():
    first, second = Slow(), Slow()
    assert first.value == first.value == second.value == 3
    assert (first.n_computed, vars(first)["value"]) == (1, 3)
    assert Slow.value.__doc__ == "A value."


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_process_forked_while_another_thread_computes_does_not_wait_for_it():
    started, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: Slow(started, go_on).value)
    thread.start()
    started.wait(10.0)
    child = os.fork()
    if child == 0:
        signal.alarm(5)  # ends it where it would hang
        os._exit(Slow().value)
    go_on.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3

import _thread
import os
import signal
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tacit.rows import NumpyRows
from tacit.rows import _sweep as sweep
from tacit.rows._sweep import blas_threads, fold, one_blas_thread, ordered_map, rows_per_block

WORKERS = 4


def slowly(item):
    time.sleep(0.002 * (item * 7 % 5))
    return [item]


@pytest.mark.parametrize("workers", [1, 2, WORKERS])
def test_results_are_combined_in_order_whichever_is_done_first(workers):
    assert fold(slowly, range(30), lambda a, b: a + b, workers) == list(range(30))


def test_the_result_is_the_same_to_the_last_digit_for_any_number_of_workers():
    X = np.random.default_rng(0).normal(size=(500, 3)) * 1e3
    sums = [
        fold(lambda i: (slowly(i), X[i])[1], range(40), np.add, workers) for workers in (1, 2, 4)
    ]
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_array_equal(sums[0], sums[2])


def test_no_more_items_are_taken_than_the_workers_need():
    taken = []

    def items():
        for i in range(100):
            taken.append(i)
            yield i

    results = ordered_map(slowly, items(), WORKERS)
    for used, _ in enumerate(results):
        assert len(taken) - used <= 2 * WORKERS + 1
    assert len(taken) == 100


def fail_at_three(item):
    if item == 3:
        raise ZeroDivisionError("three")
    return slowly(item)


@pytest.mark.parametrize("workers", [1, WORKERS])
def test_an_error_stops_the_sweep_and_leaves_no_threads_and_no_limit_behind(workers):
    threads, allowed = threading.active_count(), blas_threads()
    done = []

    def note(item):
        done.append(item)
        return fail_at_three(item)

    with pytest.raises(ZeroDivisionError, match="three"):
        fold(note, range(1000), lambda a, b: a + b, workers)
    assert len(done) < 20
    assert threading.active_count() == threads
    assert blas_threads() == allowed


@pytest.mark.parametrize("workers", [1, WORKERS])
def test_an_interrupt_of_the_user_stops_the_sweep(workers):
    # A shell ignores the signal for jobs in its background, and pytest inherits that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _interrupt_a_sweep(workers)
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt_a_sweep(workers):
    threads, allowed = threading.active_count(), blas_threads()

    def interrupt(item):
        # All threads have started by then: one that is interrupted while it starts ends by itself,
        # but later.
        if item == 50:
            _thread.interrupt_main()
        return slowly(item)

    with pytest.raises(KeyboardInterrupt):
        fold(interrupt, range(1000), lambda a, b: a + b, workers)
    assert threading.active_count() == threads
    assert blas_threads() == allowed


def test_blas_has_one_thread_in_each_worker():
    seen = fold(lambda item: {blas_threads()}, range(8), lambda a, b: a | b, WORKERS)
    assert seen == {1}


def test_the_limit_of_the_user_is_respected(monkeypatch):
    monkeypatch.setattr(sweep, "MANY_NUMBERS", 0)
    names = set()

    def kernel(block):
        names.add(threading.current_thread().name)
        return 0

    rows = NumpyRows(np.zeros((1000, 2)))
    rows.block_rows = 10
    with threadpool_limits(1):
        assert blas_threads() == 1
        rows.reduce(kernel, lambda a, b: a + b)
    assert names == {threading.current_thread().name}


def test_sweeps_in_several_threads_leave_the_limit_as_it_was():
    allowed = blas_threads()
    entered, leave = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(10)
    with one_blas_thread():  # begins after the first sweep and ends after it
        leave.set()
        thread.join(10)
        assert blas_threads() == 1
    assert blas_threads() == allowed


def test_the_limit_is_lifted_by_the_last_sweep_even_while_the_thread_that_set_it_lives_on():
    # Had failed: threadpoolctl 3.8 lets only the thread that set a limit lift it.
    allowed = blas_threads()
    entered, leave, left, end = (threading.Event() for _ in range(4))

    def first():
        with one_blas_thread():
            entered.set()
            leave.wait(10)
        left.set()
        end.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(10)
    with one_blas_thread():
        leave.set()
        left.wait(10)
        assert blas_threads() == 1
    assert blas_threads() == allowed
    with one_blas_thread():
        assert blas_threads() == 1
    end.set()
    thread.join(10)


def test_a_limit_of_the_user_outlives_a_sweep_in_another_thread():
    before = blas_threads()
    with threadpool_limits(1):
        thread = threading.Thread(target=lambda: fold(slowly, range(5), lambda a, b: a + b, 2))
        thread.start()
        thread.join(10)
        assert blas_threads() == 1
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_process_forked_while_another_thread_sets_the_limit_can_sweep():
    held, leave = threading.Event(), threading.Event()

    def hold():
        with sweep._lock:
            held.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    child = os.fork()
    if child == 0:
        signal.alarm(5)  # ends it where it would hang
        os._exit(fold(lambda item: item, range(4), lambda a, b: a + b, 2))
    leave.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 6


def test_large_arrays_are_swept_in_threads_and_small_ones_are_not(monkeypatch):
    monkeypatch.setattr(sweep, "blas_threads", lambda: WORKERS)
    assert sweep.workers_for(1_000_000, 50) == WORKERS
    assert sweep.workers_for(1_000, 50) == 1
    assert sweep.workers_for(100_000, 8_000) == 1


@pytest.mark.parametrize("d", [0, 1, 50, 512, 2_000, 10_000, 10**7])
def test_blocks_have_some_rows_and_bounded_size(d):
    assert rows_per_block(d) >= 1
    assert rows_per_block(d) * d <= max(2**22, d)


def test_threads_give_the_same_array_as_a_loop(monkeypatch):
    X = np.random.default_rng(0).normal(size=(1000, 3))
    rows = NumpyRows(X)
    rows.block_rows = 7
    loop = rows.map(lambda block: block.sum(axis=1)), rows.reduce(lambda b: b.X.sum(0), np.add)
    monkeypatch.setattr(sweep, "MANY_NUMBERS", 0)
    monkeypatch.setattr(sweep, "blas_threads", lambda: WORKERS)
    threads = rows.map(lambda block: block.sum(axis=1)), rows.reduce(lambda b: b.X.sum(0), np.add)
    np.testing.assert_array_equal(threads[0], loop[0])
    np.testing.assert_array_equal(threads[1], loop[1])

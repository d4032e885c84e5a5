"""One thread for linear algebra, whoever else wants one."""

from threading import Barrier, Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fairordinal._support import one_thread


def threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_a_function_has_one_thread_and_the_caller_has_as_many_as_before():
    with threadpool_limits(2, user_api="blas"):
        assert threads() == {2}
        assert one_thread(threads)() == {1}
        assert threads() == {2}


def test_threads_come_back_after_an_error():
    @one_thread
    def fail():
        raise ZeroDivisionError

    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ZeroDivisionError):
            fail()
        assert threads() == {2}


def test_arguments_and_results_pass_through():
    assert one_thread(np.dot)([1, 2], b=[3, 4]) == 11


def test_threads_of_python_that_overlap_leave_all_as_it_was():
    before, both, left = threads(), Barrier(2), Event()

    @one_thread
    def early():
        both.wait(10)

    @one_thread
    def late():
        both.wait(10)
        left.wait(10)

    first, second = Thread(target=early), Thread(target=late)
    first.start()
    second.start()
    first.join(10)
    left.set()
    second.join(10)
    assert threads() == before

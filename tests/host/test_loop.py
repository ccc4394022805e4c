"""The loop over real pipes and signals."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import pytest

from mcp_assay.host.loop import Loop, Outlet

MORE_THAN_A_PIPE_HOLDS = 1 << 20


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    for fd in (reading, writing):
        with suppress(OSError):
            os.close(fd)


def test_timers_run_in_their_order_and_not_once_cancelled():
    loop, ran = Loop(), []
    loop.later(0.02, lambda: ran.append("b"))
    loop.later(0.01, lambda: ran.append("a"))
    loop.later(0.015, lambda: ran.append("never")).cancel()
    loop.later(0.03, loop.stop)
    loop.later(0.03, lambda: ran.append("after the stop"))
    loop.run()
    assert ran == ["a", "b"]


def test_cancelled_timers_do_not_pile_up():
    loop = Loop()
    kept = [loop.later(0.001 * number, lambda: None) for number in range(100)]
    for _ in range(10_000):
        loop.later(3600, lambda: None).cancel()
    assert len(loop._timers) < 1000
    assert sum(each[2] in kept for each in loop._timers) == 100


def test_what_can_be_read_is_told_until_it_is_forgotten(pipe):
    loop, read = Loop(), []

    def take():
        read.append(os.read(pipe[0], 10))
        if len(read) == 2:
            loop.forget(pipe[0])
            loop.forget(pipe[0])
            os.write(pipe[1], b"more")
            loop.later(0.02, loop.stop)
        else:
            os.write(pipe[1], b"two")

    loop.readable(pipe[0], take)
    os.write(pipe[1], b"one")
    loop.run()
    assert read == [b"one", b"two"]


def test_what_is_read_is_written_at_once(pipe):
    out, after = Outlet(Loop(), pipe[1], lambda: None), []
    out.send(b"frame\n")
    out.after(lambda: after.append(1))
    assert (os.read(pipe[0], 100), after, out.backlog) == (b"frame\n", [1], 0)


def test_what_is_not_read_is_kept_in_order_and_what_comes_after_it_waits(pipe):
    loop = Loop()
    told: list[object] = []
    out = Outlet(loop, pipe[1], lambda: None, told.append)
    out.send(b"x" * MORE_THAN_A_PIPE_HOLDS)
    out.send(b"end")
    out.after(lambda: told.append("after"))
    out.after(loop.stop)
    assert told == [True]
    assert 0 < out.backlog < MORE_THAN_A_PIPE_HOLDS + 3
    got = bytearray()
    loop.readable(pipe[0], lambda: got.extend(os.read(pipe[0], 1 << 16)))
    loop.run()
    assert told == [True, False, "after"]
    assert out.backlog == 0
    got += os.read(pipe[0], 1 << 20)
    assert got == b"x" * MORE_THAN_A_PIPE_HOLDS + b"end"


@pytest.mark.parametrize("first", [b"", b"x" * MORE_THAN_A_PIPE_HOLDS])
def test_when_nobody_reads_any_more_it_is_said_once_and_what_comes_is_thrown_away(pipe, first):
    loop, told = Loop(), []

    def broken():
        told.append("broken")
        loop.later(0.01, loop.stop)

    out = Outlet(loop, pipe[1], broken)
    if first:
        out.send(first)
    os.close(pipe[0])
    out.send(b"frame\n")
    out.send(b"frame\n")
    loop.run()
    out.send(b"frame\n")
    assert (told, out.backlog) == (["broken"], 0)


def test_another_thread_s_calls_are_made_here_in_their_order():
    loop, made = Loop(), list[tuple[int, int]]()
    call = loop.caller()

    def note(number):
        made.append((number, threading.get_ident()))

    def say():
        for number in range(100_000):
            call(partial(note, number))
        call(loop.stop)

    thread = threading.Thread(target=say)
    thread.start()
    loop.run()
    thread.join()
    assert made == [(number, threading.get_ident()) for number in range(100_000)]


SIGNALLED = """
import os, signal
from mcp_assay.host.loop import Loop
loop = Loop()
def stop():
    print("stopped", flush=True)
    loop.stop()
loop.on_signals({signal.SIGTERM: stop, signal.SIGUSR1: lambda: print("seen", flush=True)})
print("ready", flush=True)
loop.run()
"""


def test_signals_are_seen_in_their_turn():
    process = subprocess.Popen([sys.executable, "-c", SIGNALLED], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGUSR1)
        assert process.stdout.readline() == "seen\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "stopped\n"
        assert process.wait(5) == 0


def test_it_does_nothing_while_there_is_nothing_to_do():
    loop = Loop()
    loop.later(0.3, loop.stop)
    began = time.process_time()
    loop.run()
    assert time.process_time() - began < 0.1

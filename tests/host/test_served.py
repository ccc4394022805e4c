"""The server's process: started as it is said, read line by line, and ended with all that it started."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mcp_assay.errors import StartError
from mcp_assay.frames import Oversized
from mcp_assay.host.loop import Loop
from mcp_assay.host.served import Served


def launch(script, *args, **more):
    environ = {"PATH": os.environ["PATH"], "ONLY": "this"}
    return {"command": sys.executable, "args": ["-S", "-c", script, *args], "cwd": None, "env": environ, **more}


class Run:
    """A server in a loop that runs until the server is lost."""

    def __init__(self, script, *args, **more):
        self.loop = Loop()
        self.lines: list[bytes | Oversized] = []
        self.fates: list[str] = []
        self.loop.on_signals({signal.SIGCHLD: self.look})
        self.served = Served(self.loop, launch(script, *args, **more))
        self.served.begin(self.lines.append, self.lost)

    def look(self):
        self.served.look()

    def lost(self, why):
        self.fates.append(why)
        self.loop.later(0.01, self.loop.stop)

    def run(self, seconds=10):
        self.loop._stopped = False
        self.loop.later(seconds, self.loop.stop)
        self.loop.run()
        return self

    def end(self):
        began = time.monotonic()
        self.served.end()
        return time.monotonic() - began


@pytest.fixture
def started():
    """Starts servers, and ends them and what the loop did to this process's signals."""
    runs = []

    def start(*args, **more):
        runs.append(Run(*args, **more))
        return runs[-1]

    yield start
    for run in runs:
        run.served.end()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def alive(pid):
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(shown.strip()) and not shown.startswith("Z")


def gone(pid):
    deadline = time.monotonic() + 2
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def test_it_is_started_exactly_as_it_is_said(started, tmp_path):
    script = "import os, sys; print(sys.argv[1:], os.getcwd(), sorted(os.environ))"
    run = started(script, "a b", "", cwd=str(tmp_path)).run()
    environ = sorted({"ONLY", "PATH"} | ({"LC_CTYPE"} if b"LC_CTYPE" in run.lines[0] else set()))
    assert run.lines == [f"['a b', ''] {tmp_path} {environ}\n".encode()]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"command": "/no/such/command"}, "No such file"),
        ({"cwd": "/no/such/folder"}, "No such file"),
        ({"args": ["nul\0"]}, "cannot be used"),
        ({"args": [5]}, "cannot be used"),
        ({"command": None}, "cannot be used"),
    ],
)
def test_what_cannot_be_started_says_why_and_shows_nothing(bad, why):
    with pytest.raises(StartError, match=why) as raised:
        Served(Loop(), {**launch("", "secret"), **bad})
    assert "secret" not in str(raised.value)
    assert "ONLY" not in str(raised.value)


def test_its_lines_come_whole_and_its_end_after_them(started):
    run = started("import sys; sys.stdout.write('one\\r\\n\\ntwo\\nthree'); sys.exit(3)").run()
    assert run.lines == [b"one\r\n", b"\n", b"two\n", b"three\n"]
    assert set(run.fates) == {"the server exited with status 3"}


def test_a_line_that_is_too_long_is_not_kept(started):
    run = started("import sys; sys.stdout.write('x' * (17 << 20) + '\\nnext\\n')").run()
    assert run.lines == [Oversized(16 << 20), b"next\n"]


def test_what_it_is_sent_arrives(started):
    run = started("import sys; print(sys.stdin.readline().strip() * 2)")
    run.served.input.send(b"frame\n")
    assert run.run().lines == [b"frameframe\n"]


def test_a_death_is_seen_though_a_child_keeps_the_pipe_open(started):
    script = "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); sys.exit(4)"
    run = started(script).run()
    assert set(run.fates) == {"the server exited with status 4"}
    assert gone(int(run.lines[0]))


def test_one_that_ends_when_its_input_does_is_not_killed(started, tmp_path):
    mark = tmp_path / "mark"
    run = started("import sys, pathlib; sys.stdin.read(); pathlib.Path(sys.argv[1]).write_text('well')", str(mark))
    assert run.end() < 2
    assert mark.read_text() == "well"


def test_one_that_ignores_everything_is_killed_with_its_children(started):
    script = (
        "import signal, subprocess, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"
    )
    run = started(script)
    run.run(0.5)
    assert 1 < run.end() < 4
    assert gone(int(run.lines[0]))
    assert gone(run.served._process.pid)
    assert run.end() < 0.1


def test_while_it_is_held_nothing_is_read(started):
    run = started("print('one'); print('two')")
    run.served.hold(True)
    run.run(0.3)
    assert run.lines == []
    run.served.hold(False)
    assert run.run().lines == [b"one\n", b"two\n"]

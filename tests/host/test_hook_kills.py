"""The real owner and the real hooks; one of them is killed: what a host made is in the log, and nothing is made after.

Each run's seed is in its name. MCP_ASSAY_KILLS says how many runs there are.
"""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hook_events import batch, decision, listing, ok
from hook_process import answered, start
from host_client import short
from mcp_assay.host.hooks import Answer
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir, place

__all__ = ["short"]

KILLS = max(1, int(os.environ.get("MCP_ASSAY_KILLS", "20")))
TESTS = Path(__file__).parents[1]
CALLS = 4
MOMENT = 0.06
"""Seconds in which a hook that nobody kills has started, asked and ended."""


class Host:
    """A host that makes a call only if its hook ended with 0 and refused nothing. ``made`` are the ids of those."""

    def __init__(self, folder, state):
        self.folder, self.state, self.made = folder, state, []
        environ = os.environ | {"PYTHONPATH": f"{TESTS}:{TESTS.parent / 'src'}"}
        command = [sys.executable, "-P", TESTS / "hook_owner.py", folder, state]
        self.owner = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE)
        assert self.owner.stdout.readline() == b"ready\n"

    def hook(self, event, body, kill=None):
        """What a hook ends with. It is killed after so many seconds if it has not ended by then."""
        process = start(event, state=self.state)
        timer = threading.Timer(kill or 0, process.kill)
        if kill is not None:
            timer.start()
        answer = Answer(*answered(process, body))
        timer.cancel()
        return answer

    def call(self, join, kill=None, killed="PreToolUse"):
        """Make a call if the hook lets it pass; kill the hook of this event."""
        event = listing(join)
        answer = self.hook("PreToolUse", event, kill if killed == "PreToolUse" else None)
        passes = answer.exit == 0 and decision(answer) is None
        if passes:
            self.made.append(join)
            self.hook("PostToolUse", ok(event), kill if killed == "PostToolUse" else None)
        self.hook("PostToolBatch", batch(ok(event)))
        return passes

    def joins(self):
        """The host's ids of the log's lines, once it has been recovered."""
        folder = os.open(place(self.folder, "one"), os.O_RDONLY)
        try:
            transcript.recover(folder)
            return [line["assay"]["join"] for line in transcript.entries(folder)]
        finally:
            os.close(folder)

    def end(self):
        self.owner.kill()
        self.owner.wait()
        self.owner.stdout.close()


@pytest.fixture
def host(tmp_path, short):
    found = Host(tmp_path, short)
    yield found
    found.end()


def test_a_host_that_is_left_alone_has_a_line_for_each_call(host):
    assert all(host.call(f"t{number}") for number in range(CALLS))
    assert host.joins() == host.made


@pytest.mark.parametrize("whom", ["owner", "hook"])
@pytest.mark.parametrize("seed", range(KILLS))
def test_what_was_made_is_in_the_log_and_nothing_is_made_once_the_owner_is_dead(seed, whom, host):
    kill_and_look(seed, whom, host)


@pytest.mark.soak
@pytest.mark.parametrize("whom", ["owner", "hook"])
@pytest.mark.parametrize("seed", range(1000, 1000 + KILLS))
def test_it_is_so_however_often_they_are_killed(seed, whom, host):
    kill_and_look(seed, whom, host)


def kill_and_look(seed, whom, host):
    rng = random.Random(f"{whom} {seed}")
    at, moment = rng.randrange(CALLS), rng.uniform(0, MOMENT)
    event = rng.choice(["PreToolUse", "PostToolUse"])
    killing = threading.Timer(moment, host.owner.kill)
    for number in range(CALLS):
        if number == at and whom == "hook":
            host.call(f"t{number}", kill=moment, killed=event)
        elif number == at:
            killing.start()
            host.call(f"t{number}")
        elif not host.call(f"t{number}"):
            assert (whom, number > at) == ("owner", True)
    if whom == "owner":
        killing.join()
        host.owner.wait()
        assert not host.call("after")
        for name in ("PreToolUse", "PostToolUse", "PostToolBatch", "UserPromptSubmit"):
            answer = host.hook(name, listing("later"))
            assert (answer.exit, answer.stdout) == (2, "")
    else:
        assert set(host.made) >= {f"t{number}" for number in range(CALLS) if number != at}
        host.end()
    joins = host.joins()
    assert len(set(joins)) == len(joins)
    assert set(host.made) <= set(joins) <= {f"t{number}" for number in range(CALLS)}
    with EvalDir(host.folder, "one") as folder:
        folder.lock()  # nobody who outlived the owner holds it

"""How the process that owns an evaluation in a session ends: what it has saved by then, and what it says."""

import signal
import subprocess
import sys

import pytest

from host_client import short
from host_session import ID, HostSession, session
from stage import PATIENCE

__all__ = ["session", "short"]


def test_it_ends_saved_when_its_session_is_gone(session: HostSession, monkeypatch: pytest.MonkeyPatch) -> None:
    host = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    session.stage.environ["MCP_ASSAY_GRACE"] = "0.5"
    session.begins("--name", "one")
    session.beats(host.pid)
    host.communicate(b"\n")
    assert session.is_over()
    assert "It was interrupted; what was done is saved." in session.assay("host", "show").out


def test_where_nothing_is_attached_it_ends_at_once(session: HostSession) -> None:
    session.stage.config({})
    begun = session.begins("--name", "one")
    assert "It has ended" in begun.out
    assert "No MCPs attached" in (begun.out + str(session.state()))
    assert session.state()["status"] == "complete"
    assert session.is_over()


def test_it_ends_saved_on_sigterm(session: HostSession) -> None:
    owner = session.stage.start("host", "own", "--name", "one", CLAUDE_CODE_SESSION_ID=ID)
    session.beats()
    assert session.begun()
    assert "Start notes?" in session.waits().out
    owner.send_signal(signal.SIGTERM)
    owner.communicate(timeout=PATIENCE)
    assert owner.returncode == 130
    assert session.is_over()
    assert session.state()["status"] == "discovering"


def test_what_went_wrong_is_said_where_it_is_looked_for(session: HostSession) -> None:
    session.stage.write("project/scenarios.txt", "\n".join("123456789"))
    session.begins("--name", "one", "--scenarios", "scenarios.txt")
    for answer in ("yes", "read_only", "none"):
        session.types(answer)
    ended = session.assay("host", "show").out
    assert "It has ended" in ended
    assert "error: " in ended
    assert "at most 8" in ended
    assert session.is_over()
    assert session.log == "", "what is said there needs no traceback"


def test_two_owners_of_one_session_are_one_too_many(session: HostSession) -> None:
    session.begins("--name", "one")
    second = session.stage.run("host", "own", "--name", "two", CLAUDE_CODE_SESSION_ID=ID)
    assert second.code == 2
    assert not (session.stage.project / "mcp-evals" / "mcp-eval-two").exists()
    assert "Start notes?" in session.waits().out, "the first one is not disturbed"

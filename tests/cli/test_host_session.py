"""An evaluation in a session of the host: begun, asked, shown, ended; its hooks' events are played over the socket."""

import os
import signal
import subprocess
import sys

import pytest

from host_client import short
from host_session import ID, HostSession, session

__all__ = ["session", "short"]


def test_it_asks_and_takes_what_the_user_types_and_nothing_else(session: HostSession) -> None:
    begun = session.begins("--name", "one")
    assert begun.code == 0
    assert "Only their own next prompt answers it" in begun.out
    assert "Start notes?" in session.shown
    assert not session.stage.mark().exists()
    session.types("yes")
    assert "should I treat this as read_only, sandboxed, or skip?" in session.shown
    session.types("read_only")
    assert "Which of them may the agent use in the scenarios" in session.shown
    session.types("none")
    session.types("Look at the plums.")
    session.types("done")
    assert "Approve this scenario list?" in session.shown
    assert "this list: sha256:" in session.shown
    session.types("approve it")
    assert session.state()["status"] == "scoping"
    session.types("user-only")
    assert "The scenarios are approved" in session.waits().out
    state = session.state()
    assert [item["description"] for item in state["scenarios"]] == ["Look at the plums."]
    assert (state["status"], state["assay"]["driver"]) == ("scoped", "host")
    # What was approved stays approved, however often its owner ends.
    session.assay("host", "stop")
    session.begins("--name", "one")
    session.types("resume")
    assert "The scenarios are approved" in session.waits().out


def test_a_prompt_before_the_question_was_shown_answers_nothing(session: HostSession) -> None:
    session.beats()
    session.stage.run("host", "start", "--name", "one", CLAUDE_CODE_SESSION_ID=ID)  # no hook has shown anything
    early = session.event("UserPromptSubmit", prompt="yes")
    assert "answered nothing" in early.out
    assert "Start notes?" in early.json["systemMessage"]
    assert not session.stage.mark().exists()
    session.types("yes")
    assert "read_only, sandboxed, or skip?" in session.shown


def test_what_comes_from_another_session_or_a_subagent_answers_nothing(session: HostSession) -> None:
    session.begins("--name", "one")
    for fields in ({"session_id": "another"}, {"agent_id": "a1"}, {"source": "cron"}):
        session.event("UserPromptSubmit", prompt="yes", **fields)
    session.waits()
    assert "Start notes?" in session.waits().out
    assert not session.stage.mark().exists()


def test_an_evaluation_that_was_stopped_goes_on_in_the_same_words(session: HostSession) -> None:
    session.begins("--name", "one")
    session.types("yes")
    session.types("read_only")
    stopped = session.assay("host", "stop")
    assert stopped.code == 0
    assert "/mcp-eval --name one" in stopped.out
    assert session.is_over()
    assert "It has ended" in session.assay("host", "show").out
    session.begins("--name", "one")
    assert "already holds an evaluation; it is" in session.shown
    assert "[resume] / restart / leave" in session.shown
    session.types("resume")
    assert "Which of them may the agent use" in session.shown, "the disposition is kept"


def test_a_session_has_one_evaluation_at_a_time(session: HostSession) -> None:
    session.begins("--name", "one")
    again = session.assay("host", "start", "--name", "two")
    assert again.code == 2
    assert "running in this session already" in again.err


def test_an_owner_that_was_killed_leaves_a_session_that_is_let_go_of(session: HostSession) -> None:
    session.begins("--name", "one")
    os.kill(owner(session), signal.SIGKILL)
    run = session.stage.run
    dead = run("host", "show", CLAUDE_CODE_SESSION_ID=ID)
    assert dead.code == 2
    assert "mcp-assay host stop" in dead.err
    assert run("host", "stop", CLAUDE_CODE_SESSION_ID=ID).code == 0
    assert not session.socket.exists()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (None, "is the plugin mcp-eval installed?"),
        ({"disableAllHooks": True}, "sets disableAllHooks: no hook runs"),
        ({"allowManagedHooksOnly": True}, "sets allowManagedHooksOnly"),
        ("{", "settings.json"),
    ],
)
def test_without_a_heartbeat_nothing_starts_and_it_says_why(session: HostSession, settings: object, why: str) -> None:
    if settings is not None:
        session.stage.write("project/.claude/settings.json", settings)
    refused = session.assay("host", "start", "--name", "one")
    assert refused.code == 2
    assert why in refused.err
    assert not session.socket.exists()
    assert not (session.stage.project / "mcp-evals").exists()


def test_the_heartbeat_of_another_process_is_none(session: HostSession) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as sibling:
        session.beats(sibling.pid)
        refused = session.assay("host", "start")
    assert refused.code == 2
    assert "do not run in this session" in refused.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--call-budget", "0"), "call-budget"),
        (("--wallclock-budget", "no"), "wallclock-budget"),
        (("--name", "../x"), "name"),
    ],
)
def test_a_wrong_argument_is_told_at_once(session: HostSession, words: tuple[str, ...], why: str) -> None:
    refused = session.begins(*words)
    assert refused.code == 2
    assert why in refused.err
    assert not session.socket.exists()


def test_outside_of_a_session_it_says_what_it_is_for(session: HostSession) -> None:
    for command in ("start", "show"):
        refused = session.stage.run("host", command)
        assert refused.code == 2
        assert "live session of Claude Code" in refused.err


def test_at_a_terminal_the_only_session_is_meant_or_the_one_that_is_named(session: HostSession) -> None:
    stop = session.stage.run("host", "stop")
    assert stop.code == 2
    assert "no evaluation is running in any session" in stop.err
    session.begins("--name", "one")
    other = session.run / "s-other.sock"
    other.touch()
    several = session.stage.run("host", "stop")
    assert several.code == 2
    assert ID in several.err
    assert session.stage.run("host", "stop", "--session", "other").code == 0
    assert not other.exists()
    os.kill(owner(session), signal.SIGKILL)
    assert session.stage.run("host", "stop").code == 0
    assert not session.socket.exists()


def test_there_is_nothing_to_show_or_stop_where_nothing_was_started(session: HostSession) -> None:
    for command in ("show", "stop"):
        refused = session.assay("host", command)
        assert refused.code == 2
        assert "no evaluation" in refused.err


def owner(session: HostSession) -> int:
    """The process that listens for the session."""
    script = (
        "from pathlib import Path; from mcp_assay.host.sessions import Session;"
        f"print(Session({ID!r}, Path({str(session.run)!r})).owner())"
    )
    done = subprocess.run([sys.executable, "-c", script], env=session.stage.environ, capture_output=True, check=True)
    return int(done.stdout)

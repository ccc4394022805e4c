"""Servers that hang, die, flood and lie, each in a whole evaluation beside one that behaves.

Whatever one of them does: the run ends in time and in bounded memory, its report says what happened and makes nothing
up, the healthy server is evaluated all the same, and no process is left behind.
"""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from boxes import isolated
from stage import Stage, processes, scenario, step

HOSTILE = Path(__file__).parent / "hostile"
MEASURED = Path(__file__).with_name("measured.py")
MOST_SECONDS, MOST_MEGABYTES, DENSEST_MEGABYTES = 25.0, 300, 800
PLAN: dict[str, Any] = {
    "dispositions": {"evil": "read_only", "notes": "read_only"},
    "start_timeout": 2,
    "call_timeout": 2,
}
ASK, THEN = step("mcp__evil__get_thing"), step("mcp__notes__list_notes")


@dataclass(frozen=True)
class Run:
    """What an evaluation of a hostile and a healthy server came to."""

    stage: Stage
    code: int
    err: str
    seconds: float
    megabytes: int

    @property
    def report(self) -> str:
        return self.stage.read("report.md")

    @property
    def call(self) -> dict[str, Any]:
        """The line of the call to the hostile server."""
        return next(line for line in self.stage.lines() if line["scenario_id"] == "S1")

    @property
    def server(self) -> dict[str, Any]:
        """What the state says of the hostile server."""
        found: dict[str, Any] = next(entry for entry in self.stage.state()["attached_mcps"] if entry["name"] == "evil")
        return found


def evaluate(stage: Stage, server: str, *args: str | Path, steps: Sequence[Any] = (ASK,), **answers: Any) -> Run:
    scenarios = scenario("Ask the hostile one.", *steps), scenario("Then the healthy one.", THEN)
    plan = stage.plan(*scenarios, **PLAN | answers)
    evil = [sys.executable, "-S", str(HOSTILE / f"{server}.py"), *map(str, args or [stage.root])]
    peak = stage.root / "peak"
    named = ("--server", f"evil={shlex.join(evil)}", "--server", f"notes={shlex.join(stage.server())}")
    given = ("eval", "--name", "one", "--plan", plan, "--wallclock-budget", "0.25", "--allow-unreached", *named)
    began = time.monotonic()
    ran = subprocess.run(
        [sys.executable, str(MEASURED), str(peak), *map(str, given)],
        cwd=stage.project,
        env=stage.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=3 * MOST_SECONDS,
        check=False,
    )
    return Run(stage, ran.returncode, ran.stderr, time.monotonic() - began, int(peak.read_text()))


def fine(run: Run, ended: str = "complete", most: int = MOST_MEGABYTES) -> Run:
    """What holds whatever the hostile server did.

    ``ended`` is the status of the scenario that asks it, ``most`` the peak of our own memory in MB.
    """
    lines, state = run.stage.lines(), run.stage.state()
    assert run.code == 0, run.err
    assert "Traceback" not in run.err
    assert run.seconds < MOST_SECONDS
    assert run.megabytes < most
    assert [line["assay"]["outcome"] for line in lines if line["assay"]["mcp"] == "notes"] == ["ok"]
    assert [(entry["scenario_id"], entry["status"]) for entry in state["execution"]] == [
        ("S1", ended),
        ("S2", "complete"),
    ]
    assert state["dangling_citations"] == []
    assert {finding["mcp_name"] for finding in state["critic_findings"]} <= {"evil"}
    assert "Coverage of `notes`: tools offered 3, called 1; calls sent 1, completed 1, blocked 0." in run.report
    return run


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


OK, MALFORMED = ("ok", "text[4]"), ("error", "error:parse_error")


@pytest.mark.parametrize(
    ("server", "outcome", "told"),
    [
        ("hang_initialize", ("blocked", "error:blocked"), "the server did not finish initialize within 2 s"),
        ("hang_call", ("timeout", "error:timeout"), "did not reach its goal: step 1 got no answer in time"),
        ("die_in_call", ("lost", "error:lost"), "did not reach its goal: step 1 lost its server"),
        ("ten_mebibytes", ("ok", "text[10485760]"), "About 2,621,461 tokens came back at once from `get_thing`"),
        ("stderr_noise", OK, "calls sent 1, completed 1"),
        ("no_newline", ("error", "error:too_large"), "wrote 1 line that is larger than 16 MiB, unread, to stdout"),
        ("invalid_utf8", MALFORMED, "did not reach its goal: step 1 ended in an error"),
        ("banner", OK, "wrote 7 lines that are no JSON-RPC to stdout"),
        ("colliding_ids", ("ok", "text[5]"), "calls sent 1, completed 1"),
        ("repeated_cursor", OK, "its nextCursor came a second time; the tool list was taken to end there"),
        ("endless_cursors", OK, "its tool list has more than 1,000 pages; the rest was not read"),
        ("many_tools", OK, "it offers more than 10,000 tools; the rest was left out"),
        ("notification_flood", OK, "calls sent 1, completed 1"),
        ("invalid_schema", OK, "3 entries of its tool list skipped: not an object with a name"),
        ("catastrophic_pattern", ("ok", "object{query,+1}"), "calls sent 1, completed 1"),
        ("deep_nesting", MALFORMED, "lines that are no JSON-RPC to stdout"),
        ("million_leaves", ("ok", "map[1]"), "tokens came back at once from `get_thing`"),
        ("long_names", OK, "15 entries of its tool list skipped: not an object with a name of at most 256 characters"),
    ],
)
def test_a_hostile_server_is_told_of_and_harms_nobody(
    stage: Stage, server: str, outcome: tuple[str, str], told: str
) -> None:
    run = fine(evaluate(stage, server))
    assert (run.call["assay"]["outcome"], run.call["result_shape"]) == outcome
    assert told in run.report
    assert not processes(str(stage.root))


@pytest.mark.parametrize("server", ["banner", "colliding_ids", "invalid_schema", "catastrophic_pattern", "many_tools"])
def test_of_what_is_only_odd_nothing_is_made_up(stage: Stage, server: str) -> None:
    fine(evaluate(stage, server))
    assert stage.state()["critic_findings"] == []


def test_the_densest_reply_that_fits_in_a_frame_takes_bounded_memory(stage: Stage) -> None:
    run = fine(evaluate(stage, "brackets"), most=DENSEST_MEGABYTES)
    assert "tokens came back at once from `get_thing`" in run.report


def test_a_list_that_trickles_in_ends_in_time(stage: Stage) -> None:
    run = fine(evaluate(stage, "slow_pages", start_timeout=0.5))
    assert run.server["assay"]["limitation"] == "its tools could not all be listed within 2 s"
    assert run.seconds < MOST_SECONDS


def test_nothing_is_fetched_for_a_reference_to_elsewhere(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}{stage.root}/schema.json"
        run = fine(evaluate(stage, "remote_ref", address))
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert run.call["assay"]["result"]["schema_valid"] is None
    assert not processes(str(stage.root))


def test_a_tool_that_changed_and_one_that_vanished_are_not_called(stage: Stage) -> None:
    steps = [ASK, refused("get_gone"), refused("get_thing")]
    run = fine(evaluate(stage, "changing_tools", steps=steps), ended="aborted")
    outcomes = [(line["assay"]["outcome"], line["justification"]) for line in stage.lines()[:3]]
    assert outcomes[0] == ("ok", None)
    assert outcomes[1][0] == outcomes[2][0] == "blocked"
    assert "the MCP no longer offers this tool" in outcomes[1][1]
    assert "manifest-changed" in outcomes[2][1]
    assert "blocked 2" in run.report


def refused(tool: str) -> dict[str, Any]:
    return step(f"mcp__evil__{tool}", expect={"is_error": True})


def test_a_daemon_outlives_a_run_without_isolation_and_the_report_says_that_it_may(stage: Stage) -> None:
    run = fine(evaluate(stage, "daemon", stage.root / "daemon.pid"))
    left = int((stage.root / "daemon.pid").read_text(encoding="utf-8"))
    assert processes(str(stage.root)) == [left]
    os.kill(left, signal.SIGKILL)
    assert "a server's process was not restricted: " in run.report
    assert "leave processes behind" in run.report


@isolated
def test_a_daemon_ends_with_its_box(stage: Stage) -> None:
    fine(evaluate(stage, "daemon", stage.root / "daemon.pid", isolation="bwrap"))
    assert not processes(str(stage.root))

"""The last lines of a run and its exit code."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_assay.cli.ending import closing, exit_code, next_step
from mcp_assay.core.model import Severity
from mcp_assay.core.session import State, Status
from mcp_assay.report.coverage import Coverage
from mcp_assay.report.view import Server, View, build

NOW = "2026-01-01T00:00:00.000Z"


def state(**more: Any) -> State:
    return State("one", NOW, NOW, **more)


def seen(name: str, completed: int = 1, disposition: str = "read_only", **more: Any) -> Server:
    calls = more.pop("calls", completed)
    return Server(name, disposition, (), Coverage(name, ("a", "b"), ("a",) * bool(calls), calls, completed, **more))


def view(*servers: Server, **findings: int) -> View:
    counts = {severity: findings.get(severity.lower(), 0) for severity in Severity}
    return replace(build(state(), []), servers=servers, counts=counts, transcript_sha256="sha256:00")


REACHED, UNREACHED = seen("notes"), seen("deaf", completed=0)
SKIPPED = seen("far", completed=0, disposition="skip")


@pytest.mark.parametrize(
    ("servers", "allow_unreached", "code"),
    [
        ((), False, 0),
        ((REACHED,), False, 0),
        ((REACHED, SKIPPED), False, 0),
        ((REACHED, UNREACHED), False, 4),
        ((REACHED, UNREACHED), True, 0),
        ((UNREACHED,), False, 4),
        # Where nothing at all was observed there is nothing to allow.
        ((UNREACHED,), True, 4),
        ((SKIPPED,), False, 4),
        ((SKIPPED,), True, 4),
    ],
)
def test_a_server_that_was_never_reached_is_exit_code_4(
    servers: tuple[Server, ...], allow_unreached: bool, code: int
) -> None:
    assert exit_code(state(), view(*servers), "never", allow_unreached=allow_unreached) == code


@pytest.mark.parametrize(
    ("fail_on", "found", "code"),
    [
        ("never", "critical", 0),
        ("critical", "critical", 1),
        ("critical", "major", 0),
        ("major", "critical", 1),
        ("major", "major", 1),
        ("major", "minor", 0),
        ("minor", "suggestion", 0),
        ("suggestion", "suggestion", 1),
    ],
)
def test_a_finding_at_least_as_grave_as_asked_for_is_exit_code_1(fail_on: str, found: str, code: int) -> None:
    assert exit_code(state(), view(REACHED, **{found: 1}), fail_on) == code


def test_a_failed_expectation_is_exit_code_1_whatever_was_found_or_reached() -> None:
    failed = state(execution=[{"assay": {"failed": ["step 1: expected no error"]}}])
    assert exit_code(failed, view(UNREACHED), "never") == 1


@pytest.mark.parametrize("ours", [[], None, "x", {"failed": []}])
def test_a_forged_execution_entry_is_no_failed_expectation(ours: Any) -> None:
    assert exit_code(state(execution=[{"assay": ours}]), view(REACHED), "never") == 0


def test_a_run_that_stopped_early_is_done() -> None:
    assert exit_code(state(), None, "suggestion") == 0


def test_the_closing_lines_are_the_specifications() -> None:
    lines = closing(state(), view(REACHED, SKIPPED, major=2), Path("/r/report.md")).splitlines()
    assert lines[-3:] == [
        "Evaluation complete: one",
        "Report: /r/report.md",
        "Findings: 0 Critical, 2 Major, 0 Minor, 0 Suggestion",
    ]
    assert "  notes          1 of 2 tools called; 1 of 1 call completed" in lines
    assert "  far            not called; nothing was observed" in lines
    assert "Transcript: sha256:00" in lines


def test_what_was_refused_is_told() -> None:
    text = closing(state(), view(seen("notes", 2, calls=3, blocked=4), seen("far", 0, blocked=1)), Path("r"))
    assert "2 of 3 calls completed, 4 blocked" in text
    assert "not called, 1 blocked; nothing was observed" in text


def test_a_forged_state_cannot_steer_the_terminal() -> None:
    hostile = "x\x1b[2J\n::error::forged"
    shown = replace(view(seen(hostile)), transcript_sha256=hostile, synthesis=hostile)
    text = closing(State(hostile, NOW, NOW), shown, Path(hostile))
    assert "\x1b" not in text
    assert not any(line.strip().startswith("::") for line in text.splitlines())


@pytest.mark.parametrize(
    "status", [Status.INTERVIEWING, Status.SCOPING, Status.SCOPED, Status.CRITIQUING, Status.REPORTING]
)
def test_after_until_the_way_on_is_told(status: Status) -> None:
    text = next_step(state(status=status), Path("/e"))
    assert text.startswith(f"Stopped at {status}: ")
    assert text.endswith("\nState: /e/state.json")
    follow = {Status.CRITIQUING: "mcp-assay critique one", Status.REPORTING: "mcp-assay report one"}
    assert follow.get(status, "--name one --resume") in text

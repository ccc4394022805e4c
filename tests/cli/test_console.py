"""What is printed while a run goes on: facts, and nothing that a server's words could do to a terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

from mcp_assay.cli.console import Screen, stderr
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Manifest, Scenario, Tool
from mcp_assay.gate import Run

SCENARIO = Scenario("S1", "user", "Look at the notes")
HOSTILE = "x\n::error::forged\x1b[31m [red]ink[/red] \u202e"


def printed(*acts: Any, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        width=200,
        highlight=False,
        emoji=False,
    )
    screen = Screen(console)
    for name, *given in acts:
        getattr(screen, name)(*given)
    return file.getvalue()


def entry(**more: Any) -> dict[str, Any]:
    ours = {"reached": True, "reason": None, "refusals": 0, **more.pop("assay", {})}
    return {"status": "complete", "abort_reason": None, "call_count": 1, "assay": ours, **more}


@pytest.mark.parametrize(
    ("ended", "line"),
    [
        (entry(), "reached (1 call)"),
        (entry(call_count=3, assay={"reached": False}), "not reached (3 calls)"),
        (entry(assay={"reached": None}), "not judged (1 call)"),
        (entry(assay={"refusals": 2}), "reached (1 call, 2 refused)"),
        (entry(status="aborted", abort_reason="wallclock", call_count=0), "aborted: wallclock (0 calls)"),
    ],
)
def test_a_scenarios_end_is_one_line(ended: dict[str, Any], line: str) -> None:
    assert printed(("begins", SCENARIO, 0, 1), ("ends", SCENARIO, ended)) == f"  S1  Look at the notes: {line}\n"


def test_why_a_scenario_ended_stands_below_it() -> None:
    assert printed(("ends", SCENARIO, entry(assay={"reason": "step 2 was refused"}))).endswith(
        "\n      step 2 was refused\n"
    )


def test_a_server_is_shown_with_its_tools_or_what_kept_them_away_and_its_notes() -> None:
    tools = (Tool("a"),)
    assert printed(("server", Manifest("notes", tools))) == "  notes          1 tool\n"
    shown = printed(("server", Manifest("notes", limitation="no such command: 'x'", notes=("wrote noise",))))
    assert shown == "  notes          no such command: 'x'\n  note  notes: wrote noise\n"


@pytest.mark.parametrize(
    "act",
    [
        ("phase", HOSTILE),
        ("note", HOSTILE),
        ("server", Manifest(HOSTILE, limitation=HOSTILE, notes=(HOSTILE,))),
        ("ends", Scenario("S1", "user", HOSTILE), entry(assay={"reason": HOSTILE})),
    ],
    ids=lambda act: str(act[0]),
)
def test_foreign_words_stay_words(act: tuple[Any, ...]) -> None:
    shown = printed(act)
    assert "[red]ink[/red]" in shown
    assert not any(char != "\n" and not char.isprintable() for char in shown)
    assert not any(line.strip().startswith("::") for line in shown.splitlines())


def test_on_a_terminal_foreign_words_get_no_colour() -> None:
    coloured = printed(("note", HOSTILE), terminal=True)
    assert coloured.count("\x1b[") == 2  # "note" itself, on and off
    assert "[red]ink[/red]" in coloured


def test_on_a_terminal_a_live_line_counts_the_calls_and_goes_away() -> None:
    run = Run(SCENARIO, call_count=2, refusals=1)
    shown = printed(
        ("begins", SCENARIO, 0, 3), ("called", run, Budget(20, 900), 720.0), ("ends", SCENARIO, entry()), terminal=True
    )
    assert "S1 (1/3) Look at the notes" in shown
    assert shown.endswith("(1 call)\n")


def test_elsewhere_calls_are_not_printed_one_by_one() -> None:
    run = Run(SCENARIO, call_count=2)
    assert printed(("begins", SCENARIO, 0, 1), ("called", run, Budget(20, 900), 720.0)) == ""


def test_progress_goes_to_stderr() -> None:
    assert stderr().stderr

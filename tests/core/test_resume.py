"""Reads start over, mutations never: the standing of each scenario after an interruption."""

import pytest

from mcp_assay.core.model import AbortReason
from mcp_assay.core.resume import Kind, Standing, standing

RUNNING = {"status": "running"}


def line(number, verdict="read", tool="mcp__a__x", scenario="S1"):
    ours = {"verdict": verdict}
    return {"id": f"{scenario}-{number:03d}", "scenario_id": scenario, "tool": tool, "assay": ours}


BLOCKED = line(2, "mutating", "__blocked__")


@pytest.mark.parametrize(
    ("entry", "lines", "expected"),
    [
        (None, [], Standing(Kind.FRESH)),
        (None, [line(1, scenario="S2")], Standing(Kind.FRESH)),
        (RUNNING, [], Standing(Kind.AGAIN)),
        (RUNNING, [line(1), BLOCKED], Standing(Kind.AGAIN, 2, 1)),
        (RUNNING, [line(1), line(3, "mutating")], Standing(Kind.CUT, 3, 2)),
        (RUNNING, [line(1, "undetermined")], Standing(Kind.CUT, 1, 1)),
        (RUNNING, [line(1, None, "Bash")], Standing(Kind.CUT, 1, 1)),
        (RUNNING, [{"id": "S1-001", "scenario_id": "S1", "tool": "mcp__a__x"}], Standing(Kind.CUT, 1, 1)),
        (
            RUNNING,
            [line(1), line(2, None, "__budget_abort__")],
            Standing(Kind.ENDED, 2, 1, AbortReason.CALL_BUDGET),
        ),
        (None, [line(1, None, "__wallclock_abort__")], Standing(Kind.ENDED, 1, 0, AbortReason.WALLCLOCK)),
        ({"status": "complete"}, [line(1, "mutating")], Standing(Kind.DONE, 1, 1)),
        ({"status": "aborted"}, [line(1200)], Standing(Kind.DONE, 1200, 1)),
    ],
)
def test_where_a_scenario_stands(entry, lines, expected):
    assert standing("S1", entry, lines) == expected

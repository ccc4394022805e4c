from typing import Any

import pytest

from critic_lines import evidence, found, line, outside, taken
from mcp_assay.core.model import Severity
from mcp_assay.critic.run import judge

RULE = "cross_mcp/long-handoff"


def handoff(steps: int = 2, *, to: str = "docs", last: str = "out") -> list[dict[str, Any]]:
    between = [
        outside(f"S1-{n:03}", args={"command": taken(f"S1-{n - 1:03}", via="embedded", digest=f"d{n}")})
        for n in range(2, 2 + steps)
    ]
    end = line(f"S1-{2 + steps:03}", "link", mcp=to, args={"id": taken(f"S1-{1 + steps:03}", digest=last)})
    return [line("S1-001", "list_issues"), *between, end]


def test_two_steps_outside_mcp_between_two_servers_are_one_major_finding() -> None:
    [draft] = judge(evidence(*handoff()))
    assert (draft.rule, draft.severity, draft.mcp) == ("long-handoff", Severity.MAJOR, "cross-mcp")
    assert draft.evidence_ids == ("S1-001", "S1-004", "S1-002", "S1-003")
    assert draft.cost.calls == 2
    assert "needed 2 steps outside MCP (`Bash`)" in draft.summary


@pytest.mark.parametrize("near", [handoff(1), handoff(to="tracker"), handoff(last="d2"), handoff()[1:], handoff()[:-1]])
def test_near_misses_are_no_long_handoff(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))


def test_one_step_or_one_server_is_glue_code_instead() -> None:
    for short in (handoff(1), handoff(to="tracker")):
        assert [draft.rule for draft in judge(evidence(*short))] == ["transform-between"]


def test_a_script_needed_it_as_much_and_our_own_explorer_is_not_judged() -> None:
    assert found(RULE, evidence(*handoff(), driver="script"))
    assert not found(RULE, evidence(*handoff(), driver="explore"))

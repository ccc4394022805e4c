from typing import Any

import pytest

from critic_lines import bare, blocked, evidence, found, line, outside, refused
from mcp_assay.core.model import Severity

RULE = "glue_code/fallback-after-error"
WHY = "considered mcp__tracker__issues_get, which failed"


def fallback(*between: dict[str, Any], failed: dict[str, Any] | None = None, **step: Any) -> list[dict[str, Any]]:
    failed = failed or refused("S1-001", "issues.get", "internal")
    return [failed, *between, outside("S1-009", **{"why": WHY, **step})]


@pytest.mark.parametrize("outcome", ["error", "timeout", "lost"])
def test_code_that_took_over_from_a_failed_tool_is_found(outcome: str) -> None:
    [draft] = found(RULE, evidence(*fallback(failed=line("S1-001", "issues.get", outcome=outcome))))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001", "S1-009"))
    assert draft.summary == "`Bash` took over after `issues.get` had failed"


def test_calls_of_other_tools_may_come_in_between() -> None:
    assert found(RULE, evidence(*fallback(line("S1-002", "list_issues"), blocked("S1-003"))))


def test_a_bare_transcript_tells_it_too() -> None:
    failed = {**bare(refused("S1-001", "issues_get")), "result_shape": "error:500"}
    assert found(RULE, evidence(failed, bare(outside("S1-002", why=WHY)), driver=""))


@pytest.mark.parametrize(
    "near",
    [
        fallback(failed=line("S1-001", "issues.get")),
        fallback(line("S1-002", "issues.get")),
        fallback(outcome="error"),
        fallback(why="no attached MCP covers this step"),
        fallback(why="considered mcp__tracker__list_issues, which is slow"),
        fallback(failed=refused("S2-001", "issues.get")),
        fallback(failed=refused("S1-001", "issues.get", mcp="docs")),
        fallback(failed=blocked("S1-001")),
        fallback()[::-1],
    ],
)
def test_near_misses_are_no_fallback(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))

from typing import Any

import pytest

from critic_lines import evidence, line, refused
from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.goals import weighed
from mcp_assay.critic.rules import Cost, Draft
from mcp_assay.critic.rules.base import NOBODY


def draft(*ids: str, mcp: str = "tracker") -> Draft:
    return Draft("rule", Severity.MINOR, Dimension.RESPONSE_SHAPE, mcp, "it hurts", ids, "", Cost(1))


def judged(seen: Evidence, *ids: str, mcp: str = "tracker") -> tuple[Severity, tuple[str, ...]]:
    [found] = weighed([draft(*ids, mcp=mcp)], seen)
    return found.severity, found.missed


CRITICAL = (Severity.CRITICAL, ("S1",))
AS_IT_WAS = (Severity.MINOR, ())


@pytest.mark.parametrize("outcome", ["error", "timeout", "lost"])
def test_a_failure_that_was_never_made_good_is_critical_where_the_goal_was_missed(outcome: str) -> None:
    calls = [line("S1-001", outcome=outcome), line("S1-002", "list_issues")]
    assert judged(evidence(*calls, missed=["S1"]), "S1-001") == CRITICAL


def test_so_is_a_failure_that_poses_as_a_success() -> None:
    call = line("S1-001", result={"error_in_success": True})
    assert judged(evidence(call, missed=["S1"]), "S1-001") == CRITICAL


def test_a_goal_that_was_reached_makes_nothing_critical() -> None:
    assert judged(evidence(refused("S1-001")), "S1-001") == AS_IT_WAS
    assert judged(evidence(refused("S1-001"), missed=["S2"]), "S1-001") == AS_IT_WAS


def test_a_failure_that_was_made_good_is_not_why() -> None:
    seen = evidence(refused("S1-001"), line("S1-002"), missed=["S1"])
    assert judged(seen, "S1-001", "S1-002") == AS_IT_WAS


def test_another_tool_another_server_or_an_earlier_success_makes_nothing_good() -> None:
    calls = [line("S1-001"), refused("S1-002"), line("S1-003", mcp="docs"), line("S2-001")]
    assert judged(evidence(*calls, missed=["S1"]), "S1-002") == CRITICAL


def test_a_finding_that_cites_no_failure_is_not_why() -> None:
    assert judged(evidence(line("S1-001"), refused("S1-002"), missed=["S1"]), "S1-001") == AS_IT_WAS


def test_a_script_ends_at_what_fails_it_so_an_earlier_failure_was_wanted() -> None:
    seen = evidence(refused("S1-001"), refused("S1-002", "list_issues"), driver="script", missed=["S1"])
    assert judged(seen, "S1-001") == AS_IT_WAS
    assert judged(seen, "S1-002") == CRITICAL


@pytest.mark.parametrize(
    ("driver", "expected"), [("script", CRITICAL), ("claude-code", CRITICAL), ("explore", AS_IT_WAS), ("x", AS_IT_WAS)]
)
def test_only_a_person_or_an_agent_has_goals(driver: str, expected: Any) -> None:
    assert judged(evidence(refused("S1-001"), driver=driver, missed=["S1"]), "S1-001") == expected


def test_a_callers_own_words_miss_no_goal() -> None:
    assert judged(evidence(refused("S1-001"), missed=["S1"]), "S1-001", mcp=NOBODY) == AS_IT_WAS


def test_each_scenario_is_named_once() -> None:
    seen = evidence(refused("S1-001"), refused("S1-002"), refused("S2-001"), missed=["S1", "S2"])
    assert judged(seen, "S1-001", "S1-002", "S2-001") == (Severity.CRITICAL, ("S1", "S2"))

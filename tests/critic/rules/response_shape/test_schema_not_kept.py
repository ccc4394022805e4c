from typing import Any

import pytest

from critic_lines import evidence, found, line
from mcp_assay.core.model import Severity
from mcp_assay.critic.run import judge

RULE = "response_shape/schema-not-kept"


@pytest.mark.parametrize("driver", ["script", "explore", "claude-code", "import", "something new"])
def test_a_broken_promise_is_major_whoever_called(driver: str) -> None:
    [draft] = found(RULE, evidence(line("S1-001", result={"schema_valid": False}), driver=driver))
    assert (draft.severity, draft.evidence_ids) == (Severity.MAJOR, ("S1-001",))


@pytest.mark.parametrize("near", [{"schema_valid": True}, {"schema_valid": None}])
def test_a_kept_promise_and_none_are_fine(near: dict[str, Any]) -> None:
    assert not found(RULE, evidence(line("S1-001", result=near)))


def test_a_failed_call_need_not_keep_it() -> None:
    assert not found(RULE, evidence(line("S1-001", result={"schema_valid": False}, outcome="error")))


def test_an_error_that_poses_as_a_success_is_told_once() -> None:
    seen = evidence(line("S1-001", result={"schema_valid": False, "error_in_success": True}))
    assert [draft.rule for draft in judge(seen)] == ["error-in-success"]

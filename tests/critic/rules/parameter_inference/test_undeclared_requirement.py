from typing import Any

import pytest

from critic_lines import Line, evidence, found, line, refused, tool
from mcp_assay.core.model import Severity, Tool
from mcp_assay.critic.run import judge

RULE = "parameter_inference/undeclared-requirement"
STRING = {"type": "string"}
GET = tool("get_issue", required=["id"], id=STRING, repo=STRING)


def given(**digests: str) -> dict[str, Line]:
    return {path: {"type": "string", "digest": digest} for path, digest in digests.items()}


LEARNT = [refused("S1-001", args=given(id="1")), line("S1-002", args=given(id="1", repo="2"))]


def judged(entries: list[Line], *tools: Tool, driver: str = "explore") -> list[tuple[str, ...]]:
    seen = evidence(*entries, tools=tools or [GET], driver=driver)
    return [draft.evidence_ids for draft in found(RULE, seen)]


@pytest.mark.parametrize("driver", ["script", "explore", "claude-code", "something new"])
def test_what_was_refused_without_an_optional_parameter_and_passed_with_it_is_found_whoever_called(driver: str) -> None:
    [draft] = found(RULE, evidence(*LEARNT, tools=[GET], driver=driver))
    assert (draft.severity, draft.evidence_ids, draft.cost.calls) == (Severity.MINOR, ("S1-001", "S1-002"), 1)
    assert draft.summary.startswith("`get_issue` was refused without `repo`, which the schema does not require")


@pytest.mark.parametrize(
    "near",
    [
        [refused("S1-001", args=given(id="1")), line("S1-002", args=given(id="9", repo="2"))],
        [refused("S1-001", args=given(id="1", repo="2")), line("S1-002", args=given(id="1"))],
        [refused("S1-001", args=given(id="1")), line("S1-002", args=given(id="1", map="2"))],
        [refused("S1-001", args=given(repo="2")), line("S1-002", args=given(repo="2", id="1"))],
        [refused("S1-001", error_class="not_found", args=given(id="1")), LEARNT[1]],
        [line("S1-001", args=given(id="1")), LEARNT[1]],
        [LEARNT[0], line("S2-001", args=given(id="1", repo="2"))],
    ],
)
def test_near_misses_prove_no_requirement(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


@pytest.mark.parametrize(
    "tools", [[tool("get_issue", required=["id", "repo"], id=STRING, repo=STRING)], [tool("other")]]
)
def test_a_requirement_that_the_schema_states_was_declared(tools: list[Tool]) -> None:
    assert not judged(LEARNT, *tools)


def test_an_agents_retry_for_the_same_reason_is_told_once() -> None:
    assert [draft.rule for draft in judge(evidence(*LEARNT, tools=[GET]))] == ["undeclared-requirement"]


@pytest.mark.parametrize(
    "stated",
    [
        tool("get_issue", required=["id"], id=STRING, repo={**STRING, "description": "Required for private issues."}),
        tool("get_issue", required=["id"], about="Gets one. repo must be given for old ids.", id=STRING, repo=STRING),
    ],
)
def test_a_requirement_that_a_description_states_is_no_secret(stated: Tool) -> None:
    assert not judged(LEARNT, stated)
    assert not judge(evidence(*LEARNT, tools=[stated]))  # nor is the retry one
    elsewhere = tool("get_issue", required=["id"], about="The id must be whole. Takes a repo.", id=STRING, repo=STRING)
    assert judged(LEARNT, elsewhere)

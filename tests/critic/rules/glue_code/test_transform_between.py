from typing import Any

import pytest

from critic_lines import blocked, evidence, found, line, outside, taken
from mcp_assay.core.model import Severity

RULE = "glue_code/transform-between"


def bridge(*, giver: str = "tracker", taker: str = "tracker", into: str = "x", out: str = "y") -> list[dict[str, Any]]:
    return [
        line("S1-001", "list_issues", mcp=giver),
        outside("S1-002", "Bash", args={"command": taken("S1-001", via="substring", digest=into)}),
        line("S1-003", "get_issue", mcp=taker, args={"issue_id": taken("S1-002", digest=out)}),
    ]


def test_code_between_two_calls_of_one_server_is_that_servers_glue() -> None:
    [draft] = found(RULE, evidence(*bridge()))
    assert (draft.severity, draft.mcp) == (Severity.MAJOR, "tracker")
    assert set(draft.evidence_ids) == {"S1-001", "S1-002", "S1-003"}
    assert draft.cost.calls == 1


def test_code_between_two_servers_is_cross_mcp_glue_and_cites_both() -> None:
    [draft] = found(RULE, evidence(*bridge(giver="tracker", taker="docs")))
    assert (draft.mcp, draft.dimension) == ("cross-mcp", "glue_code")
    assert {"S1-001", "S1-003"} <= set(draft.evidence_ids[:2])


def test_a_script_needed_its_glue_as_much_as_an_agent_did() -> None:
    assert found(RULE, evidence(*bridge(), driver="script"))


@pytest.mark.parametrize(("into", "out"), [("same", "same"), ("", "y"), ("x", "")])
def test_a_value_handed_on_as_it_was_or_unknown_is_not_transformed(into: str, out: str) -> None:
    assert not found(RULE, evidence(*bridge(into=into, out=out)))


@pytest.mark.parametrize(
    "near",
    [
        bridge()[:2],
        bridge()[1:],
        [bridge()[0], outside("S1-002"), bridge()[2]],
        [bridge()[0], bridge()[1], line("S1-003", args={"issue_id": taken("S1-001")})],
        [bridge()[0], {**blocked("S1-002"), "assay": bridge()[1]["assay"]}, bridge()[2]],
        [bridge()[0], line("S1-002", args={"id": taken("S1-001")}), bridge()[2]],
        [bridge()[0], bridge()[1], line("S2-001", args={"issue_id": taken("S1-002")})],
        [line("S1-001", outcome="error"), *bridge()[1:]],
        [outside("S1-001"), *bridge()[1:]],
    ],
)
def test_one_link_missing_there_is_no_bridge(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))

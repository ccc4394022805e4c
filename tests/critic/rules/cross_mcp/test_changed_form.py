from typing import Any

import pytest

from critic_lines import evidence, found, line, taken
from mcp_assay.core.model import Severity

RULE = "cross_mcp/changed-form"


def handoff(path: str = "issue_id", via: str = "case", *, to: str = "docs", **more: Any) -> list[dict[str, Any]]:
    return [
        line("S1-001", "list_issues"),
        line("S1-002", "link", mcp=to, args={path: taken("S1-001", via=via)}, **more),
    ]


def test_a_value_that_changed_its_form_between_two_servers_belongs_to_neither() -> None:
    [draft] = found(RULE, evidence(*handoff()))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "cross-mcp", ("S1-001", "S1-002"))
    assert "(`docs`)" in draft.summary
    assert "(`tracker`)" in draft.summary


def test_the_citations_alternate_so_that_a_cut_list_still_spans_both_servers() -> None:
    calls = [
        entry
        for n in range(0, 60, 2)
        for entry in (
            line(f"S1-{n:03}", "list_issues"),
            line(f"S1-{n + 1:03}", "link", mcp="docs", args={"id": taken(f"S1-{n:03}", via="case")}),
        )
    ]
    [draft] = found(RULE, evidence(*calls))
    assert draft.evidence_ids == tuple(f"S1-{n:03}" for n in range(60))


@pytest.mark.parametrize(
    "near", [handoff(via="same"), handoff(to="tracker"), handoff("query", "substring"), handoff(outcome="error")]
)
def test_near_misses_are_no_handoff_friction(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))


def test_our_own_explorer_is_not_judged() -> None:
    assert not found(RULE, evidence(*handoff(), driver="explore"))

from typing import Any

import pytest

from critic_lines import Line, evidence, found, line, refused, taken
from mcp_assay.core.model import Severity
from mcp_assay.critic.run import judge

RULE = "cross_mcp/refused-form"


def tried(
    kind: str = "not_found", *, first: Line | None = None, then: Line | None = None, to: str = "docs"
) -> list[Line]:
    return [
        line("S1-001", "list_issues"),
        refused("S1-002", "link", kind, mcp=to, args={"id": first or taken("S1-001", digest="#12")}),
        line("S1-003", "link", mcp=to, args={"id": then or taken("S1-001", via="number", digest="12")}),
    ]


@pytest.mark.parametrize("kind", ["not_found", "validation", "http:404", "422"])
def test_a_value_refused_as_given_and_taken_in_another_form_is_found(kind: str) -> None:
    [draft] = found(RULE, evidence(*tried(kind)))
    assert (draft.severity, draft.mcp, draft.cost.calls) == (Severity.MINOR, "cross-mcp", 2)
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003")
    assert draft.summary.startswith("`link` (`docs`) refused `id` as `list_issues` (`tracker`) gives it")


@pytest.mark.parametrize(
    "near",
    [
        tried("rate_limited"),
        tried(then=taken("S1-001", digest="#13")),
        tried(first=taken("S1-001", "number", digest="12")),
        tried(first=taken("S1-001", via="number", digest="13")),
        tried(first={"type": "string", "digest": "x", "source": "none"}),
        tried(to="tracker"),
        tried()[:2],
        [tried()[0], refused("S1-002", "link", mcp="docs", args={"other": taken("S1-001")}), tried()[2]],
        [tried()[0], {**tried()[1], "assay": {**tried()[1]["assay"], "outcome": "ok"}}, tried()[2]],
        [tried()[0], {**tried()[1], "scenario_id": "S2"}, tried()[2]],
        [tried()[0], tried()[2]],
        [tried()[0], tried()[2], {**tried()[1], "id": "S1-004"}],
    ],
)
def test_near_misses_are_no_refused_form(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))


def test_the_refusal_the_retry_and_the_change_of_form_are_one_finding() -> None:
    [draft] = judge(evidence(*tried("validation")))
    assert (draft.rule, draft.evidence_ids) == ("refused-form", ("S1-001", "S1-002", "S1-003"))


def test_our_own_explorer_is_not_judged() -> None:
    assert not found(RULE, evidence(*tried(), driver="explore"))
    assert found(RULE, evidence(*tried(), driver="script"))

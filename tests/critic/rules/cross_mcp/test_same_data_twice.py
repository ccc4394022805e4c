from typing import Any

import pytest

from critic_lines import evidence, found, line, outside
from mcp_assay.core.model import Severity

RULE = "cross_mcp/same-data-twice"


def twice(**second: Any) -> list[dict[str, Any]]:
    other = {"mcp": "docs", "result_digest": "r", **second}
    return [line("S1-001", result_digest="r"), line("S1-002", "read_page", **other)]


def test_one_result_from_two_servers_is_a_suggestion_across_them() -> None:
    [draft] = found(RULE, evidence(*twice()))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.SUGGESTION, "cross-mcp", ("S1-001", "S1-002"))
    assert draft.summary == (
        "The same data was fetched from `tracker`, `docs`: by `get_issue` and again by `read_page`"
    )
    assert draft.cost.calls == 1


def test_results_count_from_where_chance_ends() -> None:
    big = {"bytes": 500}
    assert found(RULE, evidence(line("S1-001", result_digest="r", result=big), *twice(result=big)[1:]))


@pytest.mark.parametrize(
    "near",
    [
        twice(mcp="tracker"),
        twice(result_digest="s"),
        twice(result={"bytes": 499}),
        twice(outcome="error"),
        twice(verdict="mutating"),
        [twice()[0], line("S2-001", mcp="docs", result_digest="r")],
        [twice()[0], outside("S1-002", result_digest="r")],
        twice()[1:],
        [line("S1-001", result_digest=None), line("S1-002", mcp="docs", result_digest=None)],
    ],
)
def test_near_misses_are_no_overlap(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))


@pytest.mark.parametrize("driver", ["script", "explore", "something new"])
def test_only_an_agent_that_asked_both_did_not_know_better(driver: str) -> None:
    assert not found(RULE, evidence(*twice(), driver=driver))

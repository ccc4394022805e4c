from typing import Any

import pytest

from critic_lines import evidence, found, line, taken, tool
from mcp_assay.core.model import Severity, Tool

STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
GET = tool("get_issue", issue_id=STRING)


def walk(count: int, *, at: str = "items[].id", path: str = "issue_id", **more: Any) -> list[dict[str, Any]]:
    """One list and ``count`` reads of its items."""
    gets = [
        line(f"S1-{n + 2:03}", args={path: taken("S1-001", at, digest=f"d{n}")}, **{"second": n, **more})
        for n in range(count)
    ]
    return [line("S1-001", "list_issues"), *gets]


def judged(entries: list[dict[str, Any]], *tools: Tool, driver: str = "claude-code") -> list[Severity]:
    seen = evidence(*entries, tools=tools or [GET], driver=driver)
    return [draft.severity for draft in found("redundant_calls/list-then-get", seen)]


def test_one_read_for_each_listed_item_cites_the_list_and_the_reads() -> None:
    [draft] = found("redundant_calls/list-then-get", evidence(*walk(3), tools=[GET]))
    assert (draft.severity, draft.mcp) == (Severity.MINOR, "tracker")
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003", "S1-004")
    assert draft.summary == "`get_issue` was called 3 times, once for each item that `list_issues` had listed"
    assert draft.cost.calls == 3


@pytest.mark.parametrize(
    ("count", "severity"), [(2, []), (3, [Severity.MINOR]), (9, [Severity.MINOR]), (10, [Severity.MAJOR])]
)
def test_severity_grows_with_the_length_of_the_walk(count: int, severity: list[Severity]) -> None:
    assert judged(walk(count)) == severity


def test_a_script_may_be_judged_and_our_explorer_may_not() -> None:
    assert judged(walk(3), driver="script")
    assert not judged(walk(3), driver="explore")


@pytest.mark.parametrize(
    "near",
    [
        walk(3, at="id"),
        walk(3, path="query"),
        walk(3, outcome="error"),
        walk(3, verdict="mutating"),
        walk(3, mcp="docs"),
        walk(3, path="issue_id[]"),
        [line("S1-001", "list_issues", outcome="error"), *walk(3)[1:]],
        [*walk(2), line("S1-004", args={"issue_id": taken("S1-001", "items[].id", digest="d0")})],
        [
            *walk(2),
            line("S1-005", "list_issues"),
            line("S1-006", args={"issue_id": taken("S1-005", "[].id", digest="x")}),
        ],
        [*walk(2), line("S2-001", args={"issue_id": taken("S1-001", "items[].id", digest="x")})],
    ],
)
def test_near_misses_are_no_walk(near: list[dict[str, Any]]) -> None:
    parameters = {"issue_id": STRING, "issue_id[]": STRING, "query": STRING}
    assert not judged(near, Tool("get_issue", input_schema={"properties": parameters}))


@pytest.mark.parametrize(
    "tools",
    [
        [tool("get_issue", issue_id={"type": ["string", "array"]})],
        [tool("get_issue", issue_id={"anyOf": [STRING, STRINGS]})],
        [tool("get_issue", issue_id={"description": "says nothing of its type"})],
        [GET, tool("get_issues", ids=STRINGS)],
        [GET, tool("batch_get", ids=STRINGS)],
        [tool("list_issues")],
    ],
)
def test_a_server_that_may_read_several_at_once_is_not_blamed(tools: list[Tool]) -> None:
    assert not judged(walk(3), *tools)


@pytest.mark.parametrize("sibling", [tool("get_users", user_ids=STRINGS), tool("delete_issues", ids=STRINGS)])
def test_a_sibling_for_other_things_or_that_mutates_is_no_batch_read(sibling: Tool) -> None:
    assert judged(walk(3), GET, sibling) == [Severity.MINOR]


def test_two_identifiers_of_one_walk_are_one_finding() -> None:
    entries = walk(3)
    for n, entry in enumerate(entries[1:]):
        entry["assay"]["args"]["repo"] = taken("S1-001", "items[].repo", digest=f"r{n}")
    [draft] = found(
        "redundant_calls/list-then-get", evidence(*entries, tools=[tool("get_issue", issue_id=STRING, repo=STRING)])
    )
    assert draft.cost.calls == 3
    assert "`issue_id`, `repo`" in draft.recommendation

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core import citations
from mcp_assay.core.model import Dimension, Finding, Severity

ATTACHED = ["tracker", "wiki", "cloud.iac", "my", "my__srv"]
ABSENT = "id not found in transcript"
NEUTRAL = "all cited ids are attribution-neutral — cannot verify attribution"
NARROW = "cross-mcp finding evidence spans fewer than 2 MCPs"


def finding(mcp: str, *ids: str, number: str = "F1") -> Finding:
    return Finding(number, Severity.MAJOR, Dimension.GLUE_CODE, "x", mcp, ids, "")


def entry(name: str, tool: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "scenario_id": name.partition("-")[0], "tool": tool, **more}


ENTRIES = [
    entry("S1-001", "mcp__tracker__list"),
    entry("S1-002", "Bash"),
    entry("S1-003", "__blocked__", blocked_tool="mcp__wiki__delete", assay={"mcp": "wiki"}),
    entry("S1-004", "__budget_abort__"),
    entry("S2-001", "mcp__wiki__search"),
    entry("S2-002", "Bash"),
    entry("S3-001", "mcp__cloud_iac__get_plan"),
    entry("S3-002", "mcp__my__srv__do_thing"),
    entry("S3-003", "mcp__tracker__list", assay={"mcp": "wiki"}),
    entry("S3-004", "__wallclock_abort__"),
    entry("S4-001", "Bash"),
    entry("S5-001", "mcp__tracker__list"),
]
SCENARIOS: list[dict[str, Any]] = [
    {"id": "S1", "targets_mcps": []},
    {"id": "S2", "targets_mcps": ["tracker"], "assay": {"inferred_targets": ["my"]}},
    {"id": "S3", "targets_mcps": []},
    {"id": "S4", "targets_mcps": [], "assay": {"inferred_targets": ["tracker", "wiki"]}},
]


def problems(mcp: str, *ids: str) -> list[tuple[str, str]]:
    found = citations.check([finding(mcp, *ids)], ENTRIES, SCENARIOS, ATTACHED)
    assert all(item["finding_id"] == "F1" and set(item) == {"finding_id", "cited_id", "reason"} for item in found)
    return [(item["cited_id"], item["reason"]) for item in found]


def stray(mcp: str) -> str:
    return f"no cited id plausibly attributed to {mcp}"


@pytest.mark.parametrize(
    ("mcp", "ids", "expected"),
    [
        # the call's own name
        ("tracker", ["S1-001"], []),
        ("tracker", ["S1-001", "S1-002", "S1-003"], []),
        ("wiki", ["S1-001"], [("S1-001", stray("wiki"))]),
        ("wiki", ["S1-001", "S1-002"], [("S1-001,S1-002", stray("wiki"))]),
        # the scenario's targets, named or inferred
        ("tracker", ["S2-002"], []),
        ("my", ["S2-002"], [("S2-002", stray("my"))]),
        ("wiki", ["S4-001"], []),
        ("my", ["S4-001"], [("S4-001", stray("my"))]),
        # a scenario nobody knows has no targets
        ("tracker", ["S5-001"], []),
        ("wiki", ["S5-001"], [("S5-001", stray("wiki"))]),
        # folded names, the longest that fits, and what the gate recorded before the label
        ("cloud.iac", ["S3-001"], []),
        ("my__srv", ["S3-002"], []),
        ("my", ["S3-002"], [("S3-002", stray("my"))]),
        ("wiki", ["S3-003"], []),
        ("tracker", ["S3-003"], [("S3-003", stray("tracker"))]),
        # neutral ids
        ("tracker", ["S1-003", "S1-004"], [("S1-003,S1-004", NEUTRAL)]),
        ("wiki", ["S1-003"], [("S1-003", NEUTRAL)]),
        ("wiki", ["S1-003", "S1-002"], [("S1-002", stray("wiki"))]),
        ("wiki", ["S3-004"], [("S3-004", NEUTRAL)]),
        # existence is string equality, and ids that fail it are left out of the second pass
        ("tracker", ["S1-1"], [("S1-1", ABSENT)]),
        ("tracker", ["S9-001", "S1-001"], [("S9-001", ABSENT)]),
        ("wiki", ["S9-001", "S1-001"], [("S9-001", ABSENT), ("S1-001", stray("wiki"))]),
        ("wiki", ["S9-001", "S1-003"], [("S9-001", ABSENT), ("S1-003", NEUTRAL)]),
        ("tracker", ["S9-002", "S9-001", "S9-002"], [("S9-002", ABSENT), ("S9-001", ABSENT)]),
        # a server that is cited twice is one server
        ("wiki", ["S1-001", "S1-001"], [("S1-001", stray("wiki"))]),
        # cross-mcp
        ("cross-mcp", ["S1-001", "S3-001"], []),
        ("cross-mcp", ["S2-001"], []),
        ("cross-mcp", ["S4-001"], []),
        ("cross-mcp", ["S1-001"], [("S1-001", NARROW)]),
        ("cross-mcp", ["S1-001", "S1-003"], [("S1-001", NARROW)]),
        ("cross-mcp", ["S1-002"], [("S1-002", NARROW)]),
        ("cross-mcp", ["S1-003", "S3-004"], [("S1-003,S3-004", NARROW)]),
        ("cross-mcp", ["S9-001"], [("S9-001", ABSENT)]),
        # unattributed: only the first pass
        ("unattributed", ["S1-001"], []),
        ("unattributed", ["S1-003"], []),
        ("unattributed", ["S9-001", "S1-001"], [("S9-001", ABSENT)]),
        # no evidence, which the parser never lets through
        ("tracker", [], []),
    ],
)
def test_both_passes(mcp: str, ids: list[str], expected: list[tuple[str, str]]) -> None:
    assert problems(mcp, *ids) == expected


def test_problems_come_in_the_order_of_the_findings() -> None:
    found = [finding("wiki", "S1-001"), finding("tracker", "S9-001", number="F2"), finding("tracker", "S1-001")]
    assert [item["finding_id"] for item in citations.check(found, ENTRIES, SCENARIOS, ATTACHED)] == ["F1", "F2"]


def test_of_two_lines_with_one_id_either_may_be_meant() -> None:
    twice = [entry("S1-001", "mcp__tracker__x"), entry("S1-001", "__blocked__"), entry("S1-001", "mcp__wiki__x")]
    for order in (twice, twice[::-1]):
        found = [finding("tracker", "S1-001"), finding("wiki", "S1-001"), finding("cross-mcp", "S1-001")]
        assert citations.check(found, order, [], ATTACHED) == []


def test_a_recorded_server_that_is_not_attached_does_not_count() -> None:
    assert citations.server_of(entry("S1-001", "mcp__tracker__x", assay={"mcp": "gone"}), ATTACHED) == "tracker"
    assert citations.server_of(entry("S1-001", "Bash", assay={"mcp": None}), ATTACHED) is None


def test_a_blocked_line_speaks_of_the_server_it_kept_from_being_called() -> None:
    assert citations.server_of(entry("S1-001", "__blocked__", blocked_tool="mcp__wiki__x"), ATTACHED) == "wiki"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["S1-001", "S1", "tracker", "mcp__tracker__x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["mcp", "id"]), inner, max_size=2),
    max_leaves=5,
)


def objects(*keys: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.dictionaries(st.sampled_from(keys), json_values, max_size=len(keys)), max_size=4)


@given(objects("id", "scenario_id", "tool", "assay"), objects("id", "targets_mcps", "assay"))
def test_any_transcript_and_scenarios_are_judged(
    entries: list[dict[str, Any]], scenarios: list[dict[str, Any]]
) -> None:
    for mcp in ("tracker", "cross-mcp", "unattributed"):
        found = citations.check([finding(mcp, "S1-001", "S1-001")], entries, scenarios, ATTACHED)
        assert len(found) <= 1

from typing import Any

import pytest

from critic_lines import Line, evidence, found, line, refused, tool
from mcp_assay.core.model import Severity, Tool

RULE = "parameter_inference/undescribed-parameter"
STRING = {"type": "string"}
CREATE = tool("create", required=["due"], due=STRING, note={**STRING, "title": "Note"})


def given(*paths: str) -> dict[str, Line]:
    return {path: {"type": "string", "digest": path} for path in paths}


def judged(entries: list[Line], *tools: Tool, driver: str = "claude-code") -> list[Severity]:
    seen = evidence(*entries, tools=tools or [CREATE], driver=driver)
    return [draft.severity for draft in found(RULE, seen)]


def test_a_refusal_that_nothing_in_the_manifest_could_have_spared_is_found() -> None:
    [draft] = found(
        RULE, evidence(refused("S1-001", "create", about=["due", "note"], args=given("due", "note")), tools=[CREATE])
    )
    assert (draft.severity, draft.evidence_ids) == (Severity.MINOR, ("S1-001",))
    assert draft.summary.endswith("of which the manifest says nothing: `due`, `note`")


def test_two_of_them_are_one_finding() -> None:
    assert judged([refused(f"S1-00{n}", "create", about=["due"], args=given("due")) for n in (1, 2)]) == [
        Severity.MINOR
    ]


@pytest.mark.parametrize(
    "described",
    [
        {"description": "A calendar date"},
        {"enum": ["2026-01-01"]},
        {"format": "date"},
        {"pattern": "^x"},
        {"default": "2026-01-01"},
        {"examples": ["2026-01-01"]},
        {"title": "Calendar date"},
        {"title": "Due", "description": "A calendar date"},
        {"$ref": "#/$defs/Date"},
        {"anyOf": [{"type": "string", "format": "date"}]},
    ],
)
def test_a_schema_that_says_more_than_a_type_has_described_it(described: dict[str, Any]) -> None:
    tools = [tool("create", due={**STRING, **described})]
    assert not judged([refused("S1-001", "create", about=["due"], args=given("due"))], *tools)


def test_a_description_of_the_tool_that_names_the_parameter_has_described_it() -> None:
    call = refused("S1-001", "create", about=["due"], args=given("due"))
    assert not judged([call], tool("create", about="due is a calendar date", due=STRING))
    assert judged([call], tool("create", about="Creates a residue", due=STRING))


@pytest.mark.parametrize(
    "near",
    [
        [refused("S1-001", "create", args=given("due"))],  # it does not say what was wrong
        [refused("S1-001", "create", about=["note"], args=given("note"))],
        [refused("S1-001", "create", about=["due"], args=given("due", "other"))],
        [refused("S1-001", "create", about=["due"])],
        [refused("S1-001", "create", "not_found", about=["due"], args=given("due"))],
        [line("S1-001", "create", args=given("due"))],
        [refused("S1-001", "create", mcp="docs", about=["due"], args=given("due"))],
        [
            refused("S1-001", "create", about=["due"], args=given("due")),
            line("S1-002", "create", args=given("due", "note")),
        ],
    ],
)
def test_near_misses_are_the_callers_slip_or_are_told_elsewhere(near: list[Line]) -> None:
    assert not judged(near)


def test_a_described_parameter_beside_it_may_be_the_one_that_was_refused() -> None:
    tools = [tool("create", due=STRING, kind={**STRING, "enum": ["a"]})]
    both = ["due", "kind"]
    assert not judged([refused("S1-001", "create", about=both, args=given("due", "kind"))], *tools)
    assert judged([refused("S1-001", "create", about=["due"], args=given("due", "kind"))], *tools)


@pytest.mark.parametrize("driver", ["script", "explore", "something new"])
def test_what_a_script_or_our_explorer_made_up_shows_nothing(driver: str) -> None:
    assert not judged([refused("S1-001", "create", args=given("due"))], driver=driver)

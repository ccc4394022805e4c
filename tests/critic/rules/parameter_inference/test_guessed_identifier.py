from dataclasses import replace
from typing import Any

import pytest

from critic_lines import Line, evidence, found, line, outside, refused, taken, tool, unexplained
from mcp_assay.core.model import Severity, Tool

RULE = "parameter_inference/guessed-identifier"


def guess(path: str = "issue_id", argument: Line | None = None, ident: str = "S1-002", **more: Any) -> Line:
    return line(ident, args={path: argument or unexplained()}, **more)


def judged(*entries: Line, driver: str = "claude-code") -> list[Severity]:
    return [draft.severity for draft in found(RULE, evidence(*entries, driver=driver))]


def test_an_identifier_from_nowhere_is_a_suggestion() -> None:
    [draft] = found(RULE, evidence(line("S1-001", "list_issues"), guess()))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.SUGGESTION, "tracker", ("S1-002",))
    assert draft.summary.startswith("The agent passed `issue_id` to `get_issue`, which neither the scenario")


@pytest.mark.parametrize("kind", ["not_found", "http:404"])
def test_one_by_which_nothing_is_found_is_minor(kind: str) -> None:
    [draft] = found(RULE, evidence(refused("S1-001", error_class=kind, args={"id": unexplained()})))
    assert (draft.severity, draft.summary.endswith(", and nothing was found by it")) == (Severity.MINOR, True)


@pytest.mark.parametrize(
    "near",
    [
        guess(argument={**unexplained(), "entropy": "low"}),
        guess(argument={**unexplained(), "source": "scenario"}),
        guess(argument={**unexplained(), "source": "schema"}),
        guess(argument=taken("S1-001")),
        guess("path"),
        guess("repo"),
        guess("url"),
        guess("query"),
        guess("page"),
        guess("ids[]"),
        guess(verdict="mutating"),
        guess(outcome="timeout"),
        refused("S1-002", args={"id": unexplained()}),
        outside("S1-002", args={"id": unexplained()}),
    ],
)
def test_near_misses_are_no_guess(near: Line) -> None:
    assert not judged(line("S1-001", "list_issues"), near)


@pytest.mark.parametrize(
    "earlier",
    [
        line("S1-001", "list_issues", result={"bytes": 65_537}),
        [line("S1-000", "list_issues"), line("S1-001", "open", mcp="docs", args={"url": taken("S1-000")})],
        line("S0-001"),
        outside("S0-001"),
    ],
)
def test_where_the_value_may_have_been_seen_unnoticed_it_is_no_guess(earlier: Line | list[Line]) -> None:
    entries = earlier if isinstance(earlier, list) else [earlier]
    assert not judged(*entries, guess())


@pytest.mark.parametrize(
    "earlier",
    [
        line("S0-001", mcp="docs"),
        line("S0-001", outcome="timeout"),
        line("S1-001", result={"bytes": 65_536}),
        line("S1-001", args={"url": {"source": "scenario"}}),
        line("S1-001", args={"title": taken("S1-000")}),
    ],
)
def test_a_call_that_cannot_have_told_it_explains_nothing(earlier: Line) -> None:
    assert judged(earlier, guess()) == [Severity.SUGGESTION]


@pytest.mark.parametrize("driver", ["script", "explore", "something new"])
def test_what_a_script_or_our_explorer_passed_shows_nothing(driver: str) -> None:
    assert not judged(guess(), driver=driver)


TEAM = tool("list_issues", required=["team_id"], team_id={"type": "string"}, note={"type": "string"})


def in_vain(*tools: Tool, path: str = "team_id", argument: Line | None = None, **more: Any) -> list[tuple[str, ...]]:
    call = refused("S1-002", "list_issues", "unspecified", args={path: argument or unexplained(), **more})
    seen = evidence(line("S1-001", "get_issue"), call, tools=tools or [TEAM, tool("get_issue")])
    return [draft.evidence_ids for draft in found(RULE, seen)]


def test_a_required_identifier_that_no_tool_gives_is_found_by_its_refusals() -> None:
    calls = [refused(f"S1-00{n}", "list_issues", "unspecified", args={"team_id": unexplained(str(n))}) for n in (1, 2)]
    [draft] = found(RULE, evidence(*calls, tools=[TEAM]))
    assert (draft.severity, draft.evidence_ids) == (Severity.MINOR, ("S1-001", "S1-002"))
    assert in_vain(argument={"type": "string", "source": "none", "entropy": "low"})  # "main" is a guess as well


def test_what_some_tool_gives_or_the_user_said_is_the_callers_slip() -> None:
    gives = replace(tool("whoami"), output_schema={"properties": {"team_id": {"type": "string"}}})
    assert not in_vain(TEAM, gives)
    assert not in_vain(TEAM, tool("list_teams"))
    assert not in_vain(argument={"type": "string", "digest": "d", "source": "scenario"})
    assert not in_vain(tool("list_issues", team_id={}))  # it need not be given
    address = tool("list_issues", required=["team_url"], team_url={"type": "string"})
    assert not in_vain(address, path="team_url")


def test_one_of_several_is_blamed_only_if_the_error_names_it() -> None:
    both = tool("move", required=["team_id", "space_id"], team_id={}, space_id={})
    args = {"team_id": unexplained("t"), "space_id": unexplained("s")}
    vague, telling = (refused("S1-001", "move", "unspecified", about=about, args=args) for about in ([], ["space_id"]))
    assert not found(RULE, evidence(vague, tools=[both]))
    assert "`space_id`" in found(RULE, evidence(telling, tools=[both]))[0].summary
    accepted = line("S1-000", "list_issues", args={"team_id": unexplained("t")})
    [draft] = found(RULE, evidence(accepted, vague, tools=[both, TEAM], drivers={}))[-1:]
    assert "`space_id`" in draft.summary

from typing import Any

import pytest

from critic_lines import Line, evidence, found, line, outside, refused, taken, unexplained
from mcp_assay.core.model import Severity

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

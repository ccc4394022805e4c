from typing import Any

import pytest

from critic_lines import evidence, found, line

RULE = "redundant_calls/twin-tools"
ARGS = {"state": {"type": "string", "digest": "s", "source": "schema"}}


def twins(second: str = "query_issues", *, small: bool = False, **more: Any) -> list[dict[str, Any]]:
    same = {"args": ARGS, "args_digest": "a", "result_digest": "r", "result": {"bytes": 90 if small else 900}}
    return [line("S1-001", "list_issues", **same), line("S1-002", second, **{**same, **more})]


def judged(entries: list[dict[str, Any]], driver: str = "claude-code") -> list[tuple[str, ...]]:
    return [draft.evidence_ids for draft in found(RULE, evidence(*entries, driver=driver))]


def test_two_tools_with_the_very_same_result_are_found() -> None:
    [draft] = found(RULE, evidence(*twins()))
    assert (draft.mcp, draft.evidence_ids, draft.cost.calls) == ("tracker", ("S1-001", "S1-002"), 1)
    assert draft.summary == "`list_issues`, `query_issues` gave the very same result, and both were asked"


def test_the_same_values_may_have_been_given_under_other_names() -> None:
    renamed = {"args": {"status": ARGS["state"]}, "args_digest": "b"}
    assert judged(twins(small=True, **renamed))
    other = {"query": {"type": "string", "digest": "q", "source": "scenario"}}
    assert not judged(twins(args=other, args_digest="b"))


def test_where_nothing_was_asked_for_the_result_must_be_telling() -> None:
    nothing: dict[str, Any] = {"args": {}, "args_digest": "a", "result_digest": "r"}
    for size, told in ((500, True), (499, False)):
        calls = [line(f"S1-00{n}", f"{n}_issues", result={"bytes": size}, **nothing) for n in (1, 2)]
        assert bool(judged(calls)) is told


@pytest.mark.parametrize(
    "near",
    [
        twins("list_issues"),
        twins(result_digest="other"),
        twins(mcp="docs"),
        twins(verdict="mutating"),
        twins(outcome="error"),
        [twins()[0], line("S2-001", "query_issues", args=ARGS, args_digest="a", result_digest="r")],
    ],
)
def test_near_misses_are_no_twins(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


@pytest.mark.parametrize("driver", ["script", "explore"])
def test_a_script_and_our_explorer_ask_both_because_they_are_told_to(driver: str) -> None:
    assert not judged(twins(), driver)

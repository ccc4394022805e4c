from typing import Any

import pytest

from critic_lines import evidence, found, line, tool

RULE = "response_shape/heavy-items"
PLAIN = tool("list_issues", state={}, cursor={}, limit={})


def judged(*parameters: str, args: dict[str, Any] | None = None, verdict: str = "read", **result: Any) -> bool:
    facts = {"items": 10, "bytes": 24_000, "structured": True, **result}
    call = line("S1-001", "list_issues", args=args, result=facts, verdict=verdict)
    tools = [tool("list_issues", **{name: {} for name in parameters})] if parameters else [PLAIN]
    return bool(found(RULE, evidence(call, tools=tools, driver="explore")))


def test_a_list_of_whole_records_is_found_whoever_read_it() -> None:
    calls = [line(f"S1-00{n}", "list_issues", result={"items": 20, "bytes": 60_000}) for n in (1, 2)]
    [draft] = found(RULE, evidence(*calls, tools=[PLAIN], driver="explore"))
    assert (draft.mcp, draft.evidence_ids) == ("tracker", ("S1-001", "S1-002"))
    assert draft.summary == "Each item of `list_issues` weighs about 1,500 bytes, and no parameter leaves anything out"


def test_structured_content_comes_twice_and_is_read_once() -> None:
    assert judged()
    assert not judged(bytes=23_990)
    assert judged(bytes=12_000, structured=False)


@pytest.mark.parametrize("near", [{"items": 9}, {"items": None}, {"error_in_success": True}])
def test_near_misses_are_no_heavy_list(near: dict[str, Any]) -> None:
    assert not judged(**near)


def test_who_could_have_said_or_did_say_what_is_wanted_is_not_burdened() -> None:
    assert not judged("state", "fields")
    assert not judged("includeBody")
    assert not judged(args={"issue_ids[]": {"type": "string", "digest": "d", "source": "scenario"}})
    assert not judged(verdict="mutating")

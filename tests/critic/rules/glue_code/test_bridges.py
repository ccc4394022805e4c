from typing import Any

from critic_lines import evidence, line, outside, taken
from mcp_assay.critic.rules.glue_code.bridges import bridges


def chains(*entries: dict[str, Any]) -> list[list[str]]:
    return [[each.origin.id, *(step.id for step in each.steps), each.taker.id] for each in bridges(evidence(*entries))]


def through(ident: str, source: str, digest: str) -> dict[str, Any]:
    return outside(ident, args={"command": taken(source, via="embedded", digest=digest)})


def use(ident: str, source: str) -> dict[str, Any]:
    return line(ident, mcp="docs", args={"id": taken(source, digest="out")})


def test_steps_are_followed_back_to_the_result_that_they_started_from() -> None:
    entries = [
        line("S1-001"),
        through("S1-002", "S1-001", "a"),
        through("S1-003", "S1-002", "b"),
        use("S1-004", "S1-003"),
    ]
    assert chains(*entries) == [["S1-001", "S1-002", "S1-003", "S1-004"]]


def test_of_two_ways_through_one_step_the_shorter_counts() -> None:
    twice = outside("S1-003", args={"a": taken("S1-001", digest="a"), "b": taken("S1-002", digest="b")})
    entries = [line("S1-001"), through("S1-002", "S1-001", "a"), twice, use("S1-004", "S1-003")]
    assert chains(*entries) == [["S1-001", "S1-003", "S1-004"], ["S1-001", "S1-002", "S1-003", "S1-004"]]


def test_a_chain_that_goes_on_too_long_or_starts_outside_leads_nowhere() -> None:
    steps = [through(f"S1-{n:03}", f"S1-{n - 1:03}", f"d{n}") for n in range(2, 8)]
    assert chains(line("S1-001"), *steps, use("S1-008", "S1-007")) == []
    assert chains(outside("S1-001"), through("S1-002", "S1-001", "a"), use("S1-003", "S1-002")) == []


def test_two_ways_into_one_step_are_one_bridge_from_where_it_started() -> None:
    both = outside("S1-005", args={"a": taken("S1-003", digest="c"), "b": taken("S1-004", digest="d")})
    ways = [through("S1-003", "S1-002", "b"), through("S1-004", "S1-002", "b")]
    entries = [line("S1-001"), through("S1-002", "S1-001", "a"), *ways, both, use("S1-006", "S1-005")]
    assert chains(*entries) == [["S1-001", "S1-002", "S1-003", "S1-005", "S1-006"]]


def test_an_mcp_call_in_the_middle_is_no_step_outside_mcp() -> None:
    middle = line("S1-002", args={"id": taken("S1-001", digest="a")})
    assert chains(line("S1-001"), middle, through("S1-003", "S1-002", "out"), use("S1-004", "S1-003")) == []


def test_however_densely_steps_feed_each_other_the_search_ends_soon() -> None:
    count = 80
    steps = [
        outside(f"S1-{n:03}", args={f"a{k}": taken(f"S1-{k:03}", digest=f"d{n}") for k in range(1, n)})
        for n in range(2, count)
    ]
    found = chains(line("S1-001"), *steps, use(f"S1-{count:03}", f"S1-{count - 1:03}"))
    assert len(found) == 50


def test_a_bridge_cites_giver_and_taker_first_and_is_long_only_between_two_servers() -> None:
    entries = [line("S1-001"), through("S1-002", "S1-001", "a"), through("S1-003", "S1-002", "b")]
    [between] = bridges(evidence(*entries, use("S1-004", "S1-003")))
    assert between.cited == ("S1-001", "S1-004", "S1-002", "S1-003")
    [within] = bridges(evidence(*entries, line("S1-004", args={"id": taken("S1-003", digest="out")})))
    assert (between.is_long, within.is_long) == (True, False)

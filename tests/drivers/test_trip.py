"""One scenario's calls: completed, asked about, sent, remembered."""

import asyncio

from manifests import READ_ONLY, manifests, tool
from mcp_assay.core.model import AbortReason, Outcome, Reply, Rules
from mcp_assay.core.surface import surfaces
from mcp_assay.drivers.trip import Trip
from mcp_assay.gate import Refusal

LIST, GET, FIND = (
    tool("list_issues"),
    tool("get_issue", "number*:integer"),
    tool("search_issues", "query*", "page:integer"),
)


def played(answers, *wanted, permitted=lambda call: True):
    """(trip, calls) after taking each wanted (tool, given) with these answers."""
    calls, waiting = [], list(answers)

    async def call(asked):
        calls.append(asked)
        return waiting.pop(0)

    every = surfaces(manifests(a=[LIST, GET, FIND]), {"a": READ_ONLY}, Rules.EXTENDED)
    trip = Trip(every, permitted, call)

    async def play():
        for tool_, given in wanted:
            await trip.take(tool_.name, "a", tool_, given)

    asyncio.run(play())
    return trip, calls


def fine(data):
    return Reply(Outcome.OK, {"structuredContent": data})


def test_results_supply_what_comes_later():
    trip, calls = played([fine({"issues": [{"number": 7}]}), fine({})], (LIST, {}), (GET, {}))
    assert calls[1].args == {"number": 7}
    assert (trip.calls, trip.troubles, trip.over) == (2, [], False)


def test_what_cannot_be_filled_is_not_sent_and_told():
    trip, calls = played([], (GET, {}))
    assert not calls
    assert trip.troubles == ["get_issue could not be given a value for `number`"]
    assert trip.lacks("a", GET, {})
    assert not trip.lacks("a", GET, {"number": 1})


def test_what_would_be_refused_is_not_attempted():
    trip, calls = played([], (LIST, {}), permitted=lambda call: False)
    assert not calls
    assert trip.troubles == ["list_issues would not be permitted, so it was not attempted"]


def test_a_tools_second_call_keeps_what_was_chosen_for_the_first():
    first, second = fine({"issues": [{"query": "other", "number": 1}]}), fine({})
    _, calls = played([first, second], (FIND, {"page": 1}), (FIND, {"page": 2}))
    assert calls[0].args == {"page": 1, "query": "test"}
    assert calls[1].args == {"page": 2, "query": "test"}


def test_errors_are_told_and_supply_nothing():
    trip, _ = played([Reply(Outcome.ERROR, {"structuredContent": {"issues": [{"number": 7}]}})], (LIST, {}), (GET, {}))
    assert trip.troubles[0] == "list_issues ended in an error"
    assert "could not be given" in trip.troubles[1]
    assert trip.calls == 1


def test_a_refusal_that_ends_the_scenario_ends_the_trip():
    trip, _ = played([Refusal("call budget exceeded", "S1-002", AbortReason.CALL_BUDGET)], (LIST, {}))
    assert (trip.calls, trip.over) == (0, True)

"""The script driver: steps in order, values carried along, expectations held."""

import asyncio

import pytest

from mcp_assay.core.model import AbortReason, Manifest, Outcome, Reply, Scenario, Step, Tool
from mcp_assay.drivers.scripted import Scripted
from mcp_assay.gate import Refusal

SURFACE = {"a": Manifest("a", (Tool("list_items"), Tool("get_item")))}


def structured(value):
    return Reply(Outcome.OK, {"structuredContent": value})


def run(steps, *answers):
    """Play the steps against the given answers; returns how it ended and the calls that were made."""
    calls, waiting = [], list(answers)

    async def call(asked):
        calls.append(asked)
        return waiting.pop(0)

    scenario = Scenario("S1", "user", "x", steps=tuple(steps))
    return asyncio.run(Scripted(SURFACE).run(scenario, call)), calls


def step(tool="mcp__a__list_items", **more):
    return Step(tool, **more)


def test_a_scenario_in_prose_says_that_there_is_nothing_to_run():
    ended, calls = run([])
    assert (ended.reached, calls) == (False, [])
    assert "no steps" in ended.reason


def test_values_are_saved_and_carried_into_later_arguments():
    first = step(save={"id": "$.items[0].id"})
    second = step("mcp__a__get_item", args={"id": "${id}", "label": "item ${id}"})
    ended, calls = run([first, second], structured({"items": [{"id": 7}]}), structured({}))
    assert ended.reached
    assert calls[1].args == {"id": 7, "label": "item 7"}


def test_a_value_that_is_not_there_ends_the_scenario_and_is_named():
    ended, _ = run([step(save={"id": "$.nope"}), step()], structured({}))
    assert ended.reason == "step 1 found nothing at $.nope to save as id"
    ended, _ = run([step(args={"x": "${never}"})])
    assert ended.reason == "step 1 needs ${never}, which no earlier step saved"


@pytest.mark.parametrize(
    ("expect", "data", "met"),
    [
        ({"equals": {"$.n": 1}}, {"n": 1}, True),
        ({"equals": {"$.n": 1}}, {"n": 1.0}, True),
        ({"equals": {"$.n": 1}}, {"n": True}, False),
        ({"equals": {"$.n": 1}}, {"n": 2}, False),
        ({"equals": {"$.n": 1}}, {}, False),
        ({"equals": {"$": "text"}}, "text", True),
        ({"equals": {"$.n": 1}}, "text", False),
        ({"schema": {"required": ["n"]}}, {"n": 1}, True),
        ({"schema": {"required": ["n"]}}, {}, False),
        ({"schema": {"$ref": "#/nowhere"}}, {}, False),
        ({"schema": {"$ref": "https://nowhere.example/schema"}}, {}, False),
        ({"schema": {"$ref": "#"}}, {}, False),
        ({"is_error": False}, {}, True),
        ({"is_error": True}, {}, False),
    ],
)
def test_expectations(expect, data, met):
    ended, _ = run([step(expect=expect)], structured(data))
    assert ended.reached is met
    assert bool(ended.failed) is not met


def test_a_failed_expectation_shows_no_value():
    ended, _ = run([step(expect={"equals": {"$.n": "WANTED"}})], structured({"n": "CANARY"}))
    assert "CANARY" not in ended.reason
    assert "WANTED" not in ended.reason


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome.ERROR, "ended in an error"),
        (Outcome.TIMEOUT, "got no answer in time"),
        (Outcome.LOST, "lost its server"),
    ],
)
def test_an_error_that_nobody_expected_means_the_goal_was_not_reached(outcome, words):
    ended, _ = run([step(), step()], Reply(outcome))
    assert (ended.reached, ended.failed) == (False, ())
    assert ended.reason == f"step 1 {words}"


def test_an_expected_error_is_fine_and_a_refusal_counts_as_one():
    ended, calls = run([step(expect={"is_error": True})] * 2, Reply(Outcome.ERROR), Refusal("no", "S1-001"))
    assert ended.reached
    assert len(calls) == 2


def test_a_refusal_that_ends_the_scenario_ends_the_script():
    ended, calls = run([step(expect={"is_error": True})] * 2, Refusal("no", "S1-001", AbortReason.SAFETY_ABORT))
    assert (ended.reached, len(calls)) == (False, 1)

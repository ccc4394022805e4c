from dataclasses import replace
from typing import Any

import pytest

from critic_lines import evidence, line, refused, tool
from mcp_assay.critic.rules.parameter_inference.refusals import is_refused, is_slip

STATE = {"type": "string", "enum": ["open", "closed"]}
LIST = tool("list_issues", required=["project"], project={"type": "string"}, state=STATE, since={"type": "string"})


@pytest.mark.parametrize("error_class", ["validation", "unspecified", "not_found", "http:400", "422", "too_large"])
def test_an_error_that_other_arguments_might_have_spared(error_class: str) -> None:
    [call] = evidence(refused("S1-001", error_class=error_class)).calls
    assert is_refused(call)


@pytest.mark.parametrize(
    "entry",
    [
        *(
            refused("S1-001", error_class=name)
            for name in ("unavailable", "http:503", "429", "forbidden", "internal", "")
        ),
        line("S1-001", outcome="timeout", result={"error_class": "timeout"}),
        line("S1-001", outcome="error", result={"error_class": "unspecified", "cause": False}),
        line("S1-001"),
    ],
)
def test_failures_that_say_nothing_about_the_call(entry: dict[str, Any]) -> None:
    [call] = evidence(entry).calls
    assert not is_refused(call)


def slip(changed: str, **args: dict[str, Any]) -> bool:
    seen = evidence(refused("S1-001", "list_issues", args=args), tools=[LIST])
    return is_slip(seen, seen.calls[0], [changed])


GIVEN = {"type": "string", "digest": "p", "source": "scenario"}


def test_what_the_schema_openly_says_is_the_callers_slip() -> None:
    assert slip("project", since=GIVEN)
    assert slip("state", project=GIVEN, state={**GIVEN, "source": "none"})
    assert slip("since", project=GIVEN, since={**GIVEN, "type": "integer"})


def test_what_it_does_not_say_is_none() -> None:
    assert not slip("state", project=GIVEN, state={**GIVEN, "source": "schema"})
    assert not slip("since", project=GIVEN, since=GIVEN)
    assert not slip("other", project=GIVEN, other=GIVEN)
    assert not slip("since", project=GIVEN, state={**GIVEN, "source": "none"})  # not what was changed


@pytest.mark.parametrize(
    "says",
    [
        {"description": "Time in 24-hour format (HH:MM)."},
        {"description": "IANA timezone name."},
        {"description": "The zone, e.g. Europe/Zurich."},
        {"description": "Local ('local'), remote ('remote') or all ('all')."},
        {"description": "The day, YYYY-MM-DD."},
        {"format": "date"},
        {"pattern": "^x"},
        {"maximum": 999_999},
        {"examples": ["x"]},
    ],
)
def test_a_form_that_the_schema_states_can_be_got_wrong_all_the_same(says: dict[str, Any]) -> None:
    given = {"type": "string", "digest": "d", "source": "scenario"}
    seen = evidence(refused("S1-001", "t", args={"x": given}), tools=[tool("t", x={"type": "string", **says})])
    assert is_slip(seen, seen.calls[0], ["x"])
    vague = evidence(refused("S1-001", "t", args={"x": given}), tools=[tool("t", x={"description": "The 'x'."})])
    assert not is_slip(vague, vague.calls[0], ["x"])


def test_an_enum_in_a_lists_items_behind_a_reference_is_open_too() -> None:
    key = {"properties": {"order": {"enum": ["ascending", "descending"]}}}
    sort = replace(tool("t", sort={"items": {"$ref": "#/$defs/Key"}}))
    schema = {**sort.input_schema, "$defs": {"Key": key}}
    given = {"sort[].order": {"type": "string", "digest": "d", "source": "none"}}
    seen = evidence(refused("S1-001", "t", args=given), tools=[replace(sort, input_schema=schema)])
    assert is_slip(seen, seen.calls[0], ["sort[].order"])


def test_a_number_beyond_its_bounds_is_a_slip() -> None:
    limit = tool("t", limit={"type": "integer", "minimum": 1, "maximum": 100})

    def slipped(value: int) -> bool:
        args = {"limit": {"type": "integer", "value": value, "source": "none", "entropy": "low"}}
        seen = evidence(refused("S1-001", "t", args=args), tools=[limit])
        return is_slip(seen, seen.calls[0], ["limit"])

    assert slipped(101)
    assert slipped(0)
    assert not slipped(100)


def test_members_of_nested_objects_are_required_and_named_openly_as_well() -> None:
    entity = {"properties": {"name": {}, "kind": {}}, "required": ["name", "kind"]}
    create = tool("t", entities={"items": entity}, data={"type": "object"})

    def slipped(*paths: str) -> bool:
        args = {path: {"type": "string", "digest": path, "source": "none"} for path in paths}
        seen = evidence(refused("S1-001", "t", args=args), tools=[create])
        return is_slip(seen, seen.calls[0], ["entities[].map[1]"])

    assert slipped("entities[].name")
    assert slipped("entities[].name", "entities[].kind", "entities[].map[1]")
    assert slipped("map[1]")
    assert not slipped("entities[].name", "entities[].kind", "data.map[2]")

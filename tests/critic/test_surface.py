import json
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_assay.core.model import Manifest, Tool
from mcp_assay.critic.surface import LARGE, MOST, describe

GOOD = {
    "name": "get_issue",
    "description": "One issue, whole",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "description": "As list_issues has it"}}},
    "outputSchema": {"type": "object"},
}


def table(*raw: dict[str, Any]) -> dict[str, Any]:
    [found] = describe({"tracker": Manifest("tracker", tuple(Tool.from_raw({**GOOD, **each}) for each in raw))})
    return found


def taking(**parameters: Any) -> dict[str, Any]:
    return {"inputSchema": {"type": "object", "properties": parameters}}


def test_a_tool_that_says_all_is_counted_and_not_listed() -> None:
    found = table({})
    assert (found["server"], found["tools"], found["left_out"]) == ("tracker", 1, 0)
    assert (found["counts"], found["by_tool"]) == ({}, [])
    assert found["tokens"] > 0


def test_a_server_without_tools_has_no_table() -> None:
    assert describe({"mailer": Manifest("mailer", limitation="not started")}) == []


def test_parameters_without_a_description_are_named() -> None:
    bare = {"type": "string"}
    found = table(taking(id=bare, note={**bare, "description": "  "}, due={**bare, "description": "a day"}))
    assert found["by_tool"][0]["undescribed_parameters"] == ["id", "note"]
    assert found["counts"] == {"undescribed_parameters": 2}


def test_a_tool_without_description_or_output_schema_is_named() -> None:
    found = table({"description": " ", "outputSchema": None})
    assert found["counts"] == {"undescribed": 1, "no_output_schema": 1}
    assert (found["by_tool"][0]["undescribed"], found["by_tool"][0]["no_output_schema"]) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        'One of "open", "closed"',
        "Valid values: open, closed",
        "The allowed values are 'open' or 'closed'.",
        "Values include: open, closed, and all",
        'The state: "open", "closed", or "all".',
        "Must be `open`|`closed`",
    ],
)
def test_values_that_only_the_description_lists_are_an_enumeration_in_prose(text: str) -> None:
    assert table(taking(state={"type": "string", "description": text}))["by_tool"][0]["prose_enums"] == ["state"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "description": 'One of "open", "closed"', "enum": ["open", "closed"]},
        {"type": "string", "description": 'e.g. "open", "closed", "all"'},
        {"type": "string", "description": 'For example "open", "closed", "all"'},
        {"type": "string", "description": 'The name, such as "a", "b", or "c"'},
        {"type": "string", "description": "Provide either this or the path"},
        {"type": "string", "description": "One of the names that list_states gives"},
        {"type": "string", "description": 'The state, "open" or "closed" by default'},
        {"type": "integer", "description": 'One of "1", "2"'},
    ],
)
def test_examples_and_what_is_enumerated_already_are_none(schema: dict[str, Any]) -> None:
    assert table(taking(state=schema))["counts"] == {}


@pytest.mark.parametrize(("size", "large"), [(LARGE, False), (LARGE + 1, True)])
def test_a_tool_that_takes_more_tokens_than_almost_any_is_large(size: int, *, large: bool) -> None:
    empty = len("get_issue") + len("{}")
    found = table({"description": "x" * (4 * size - empty), "inputSchema": {}})
    assert (found["tokens"], "large" in found["counts"]) == (size, large)


def test_tools_whose_names_and_descriptions_say_the_same_are_alike() -> None:
    found = table(
        {"name": "get_dag_runs", "description": "Get DAG runs by ID"},
        {"name": "get_dag_run", "description": "Get a DAG run by ID"},
        {"name": "list_pools", "description": "All pools of workers"},
    )
    assert {row["tool"]: row["alike"] for row in found["by_tool"]} == {
        "get_dag_runs": ["get_dag_run"],
        "get_dag_run": ["get_dag_runs"],
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("get_issue", "Get an issue"), ("delete_issue", "Get an issue")),
        (("get_issue", "Get an issue by number"), ("get_pool", "Get a pool by number")),
        (("get_issue", "One issue, whole"), ("get_issues", "All that stand in a board, shortly")),
        (("get_issue", ""), ("get_issues", "")),
    ],
)
def test_tools_that_differ_in_verb_noun_or_words_are_not(one: tuple[str, str], other: tuple[str, str]) -> None:
    found = table(*({"name": name, "description": about} for name, about in (one, other)))
    assert "alike" not in found["counts"]


def test_tools_of_two_servers_are_not_compared() -> None:
    manifests = {name: Manifest(name, (Tool.from_raw(GOOD),)) for name in ("a", "b")}
    assert [found["counts"] for found in describe(manifests)] == [{}, {}]


# --- for whatever a manifest may hold ----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = st.dictionaries(
    st.sampled_from(["properties", "required", "type", "anyOf", "$ref", "description"]),
    JSON | st.dictionaries(st.text(max_size=5), JSON, max_size=3),
)
RAW = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=8)},
    optional={"description": JSON, "inputSchema": SCHEMAS, "outputSchema": JSON},
)


@settings(max_examples=100, deadline=None)
@given(st.lists(RAW, max_size=4))
def test_every_manifest_gives_a_table_that_json_can_hold(raw: list[dict[str, Any]]) -> None:
    tools = tuple(map(Tool.from_raw, raw))
    tables = describe({"x": Manifest("x", tools)})
    assert json.loads(json.dumps(tables)) == tables
    assert [found["tools"] for found in tables] == ([len(tools)] if tools else [])


def test_a_hostile_manifest_is_bounded_in_time_and_size() -> None:
    text, long = ("one of '" + "x', '" * number for number in (250, 20_000))
    deep: dict[str, Any] = {}
    for _ in range(sys.getrecursionlimit() * 2):
        deep = {"properties": {"a": deep}}
    many = {f"p{n}": {"type": "string", "description": text} for n in range(300)}
    hostile = [{"name": f"get_thing_{n}", "description": long, **taking(**many)} for n in range(MOST)]
    began = time.monotonic()
    found = table(*hostile, {"name": "deep", "inputSchema": deep}, *({"name": f"more{n}"} for n in range(2_000)))
    assert time.monotonic() - began < 30
    assert (found["tools"], found["left_out"]) == (MOST + 2_001, 2_001)
    assert len(json.dumps(found)) < 1_000_000
    assert table({"name": "deep", "inputSchema": deep})["tools"] == 1

"""The clean servers of the laboratory are clean: what they promise holds, and what they give they take."""

from random import Random

import jsonschema
import pytest
from benchmarks.friction import serve
from benchmarks.friction.catalog import HELD_OUT, SERVERS, TUNING, goals, surface
from benchmarks.friction.surface import Kind

DRAFT = jsonschema.Draft202012Validator


def world(name, seed=7):
    return surface(name).world(Random(seed))


def asked(name, tool, args, of=None):
    """The structured content of a call, which has to work."""
    result = serve.answer(surface(name), of if of is not None else world(name), tool, args)
    assert "isError" not in result, result
    assert DRAFT(dict(surface(name).tools[tool].output_schema or {})).is_valid(result["structuredContent"])
    return result["structuredContent"]


def refused(name, tool, args):
    """The text of a call that has to be refused."""
    result = serve.answer(surface(name), world(name), tool, args)
    assert result["isError"]
    return result["content"][0]["text"]


def tools(kind):
    return [(name, tool.name) for name in SERVERS for tool in surface(name).tools.values() if tool.role.kind == kind]


def lists(name, entity):
    return surface(name).of(Kind.LIST, entity)


def test_a_third_of_the_servers_is_held_out():
    assert len(HELD_OUT) * 2 == len(TUNING)


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_has_five_to_eight_tools_that_are_described_and_five_goals(name):
    served = surface(name)
    assert 5 <= len(served.tools) <= 8
    assert sum(goal.servers == (name,) for goal in goals().values()) >= 5
    for tool in served.tools.values():
        DRAFT.check_schema(tool.input_schema)
        assert tool.description
        assert (tool.output_schema or {})["type"] == "object"
        assert all(schema["description"] for schema in tool.input_schema["properties"].values()), tool.name


def test_a_dozen_goals_lie_between_servers():
    assert sum(len(goal.servers) > 1 for goal in goals().values()) >= 12


@pytest.mark.parametrize(("name", "tool"), tools(Kind.LIST))
def test_a_list_is_paged_to_its_end_and_filters_as_it_says(name, tool):
    role, of = surface(name).tools[tool].role, world(name)
    page = asked(name, tool, {}, of)
    seen = page[role.items]
    while page[role.cursor]:
        page = asked(name, tool, {role.cursor_param: page[role.cursor]}, of)
        seen += page[role.items]
    assert len({item[role.id] for item in seen}) == len(seen) == page["total"]
    for param, member in {**role.filters, **role.lookups}.items():
        items = [item for item in seen if member in item]
        if items:
            narrowed = asked(name, tool, {param: items[0][member]}, of)
            assert narrowed["total"] == sum(item[member] == items[0][member] for item in items)
    most = surface(name).tools[tool].input_schema["properties"][role.limit]["maximum"]
    assert f"{role.limit}: " in refused(name, tool, {role.limit: most + 1})
    assert role.cursor_param in refused(name, tool, {role.cursor_param: "no such page"})


@pytest.mark.parametrize(("name", "tool"), tools(Kind.GET))
def test_what_a_list_names_a_get_takes_one_by_one_and_together(name, tool):
    role, of = surface(name).tools[tool].role, world(name)
    listed = asked(name, lists(name, role.entity).name, {}, of)[lists(name, role.entity).role.items]
    ids = [item[role.id] for item in listed[:3]]
    assert [item[role.id] for item in asked(name, tool, {role.batch: ids}, of)[role.items]] == ids
    whole = asked(name, tool, {role.id_param: ids[0]}, of)[role.items]
    assert listed[0].items() <= whole[0].items()
    assert f"{role.id_param}: " in refused(name, tool, {role.id_param: "nobody-knows"})
    assert "nobody-knows" in refused(name, tool, {role.batch: [*ids, "nobody-knows"]})


@pytest.mark.parametrize(("name", "tool"), tools(Kind.SUMMARY))
def test_a_figure_agrees_with_the_list(name, tool):
    role, of = surface(name).tools[tool].role, world(name)
    total = asked(name, lists(name, role.entity).name, {}, of)["total"]
    assert asked(name, tool, {}, of)["count"] == total


@pytest.mark.parametrize(("name", "tool"), tools(Kind.SEARCH))
def test_a_search_finds_what_has_all_words(name, tool):
    role = surface(name).tools[tool].role
    assert not asked(name, tool, {role.id_param: "nosuchword"})[role.items]
    assert f"{role.id_param}: " in refused(name, tool, {role.id_param: " "})


@pytest.mark.parametrize(("name", "tool"), tools(Kind.START))
def test_a_job_is_waited_for_in_one_call_and_else_looked_at_often(name, tool):
    status = surface(name).of(Kind.STATUS, surface(name).tools[tool].role.entity)
    of, params = world(name), surface(name).tools[tool].input_schema
    args = {key: params["properties"][key].get("enum", ["playground"])[0] for key in params["required"]}
    key = status.role.id_param
    begun = [asked(name, tool, args, of)[key] for _ in range(2)]
    assert asked(name, status.name, {key: begun[0], status.role.wait: 60}, of)["state"] == "succeeded"
    looks = [asked(name, status.name, {key: begun[1]}, of)["state"] for _ in range(7)]
    assert looks.count("running") >= 3
    assert looks[-1] == "succeeded"
    assert f"{key}: " in refused(name, status.name, {key: "none"})


def test_too_many_requests_are_told_once_and_at_a_place_that_the_seed_says():
    of = {**world("tracker"), "_left": 2}
    answers = [serve.answer(surface("tracker"), of, "count_issues", {}).get("isError", False) for _ in range(4)]
    assert answers == [False, True, False, False]

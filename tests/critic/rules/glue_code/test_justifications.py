import pytest

from critic_lines import evidence, outside, tool
from mcp_assay.critic.calls import Call
from mcp_assay.critic.rules.glue_code.justifications import considered, is_insufficient, labels, says_uncovered


def call(why: str | None, tool: str = "Bash") -> Call:
    [only] = evidence(outside("S1-001", tool, why=why)).calls
    return only


def insufficient(why: str | None, name: str = "Bash") -> bool:
    seen = evidence(outside("S1-001", name, why=why), tools=[tool("list_issues"), tool("search")])
    return is_insufficient(seen, seen.calls[0])


@pytest.mark.parametrize(
    "why",
    [
        None,
        "",
        "...",
        "faster locally",
        "Easier.",
        "It was just quicker to use Bash instead.",
        "considered mcp__tracker__search_issues but this is simpler",
        "considered mcp__tracker__search_issues",
        "I prefer bash because it is more convenient",
        "considered mcp__tracker__search_issues but it is easier in Python",
        # a reason, of nothing that was considered
        "Faster to grep locally",
        "the regex needs a program",
        "no need for a tool here",
        "search has no regex",
        "\u305d\u306e\u307b\u3046\u304c\u901f\u3044",
    ],
)
def test_no_reason_and_nothing_considered_is_insufficient(why: str | None) -> None:
    assert insufficient(why)


@pytest.mark.parametrize(
    "why",
    [
        "no attached MCP covers this step",
        "No attached MCP  covers this step; faster locally",
        "None of the attached servers knows the time",
        "No tool of the tracker adds up",
        "this is not covered by any MCP server",
        "The MCP search is slow",
        "list_issues cannot filter by state",
        "tracker.list_issues lacks a sum",
        "nothing to do with the attached servers; the notes need a date",
        "the servers here don't know the local time",
        "unrelated to the tools: a note for the user",
        "considered mcp__tracker__search_issues but it has no regex",
        "mcp__tracker__search_issues returns 500",
    ],
)
def test_a_tool_or_that_none_covers_it_and_anything_that_may_be_a_reason_is_enough(why: str) -> None:
    assert not insufficient(why)


def test_a_steps_own_name_is_no_reason() -> None:
    assert insufficient("mcp__a__get_x: simply web fetch", "WebFetch")
    assert not insufficient("mcp__a__get_x: simply web fetch", "Bash")


@pytest.mark.parametrize(
    ("why", "found"),
    [
        ("considered mcp__a__get_x, then mcp__b__y. And mcp__a__get_x!", ["mcp__a__get_x", "mcp__b__y"]),
        ("mcp__a__list/get, mcp__a__*, mcp__a, mcp__", ["mcp__a__list"]),
        ("(mcp__my-srv__do-it)", ["mcp__my-srv__do-it"]),
        ("none", []),
    ],
)
def test_tool_names_are_found_in_running_text(why: str, found: list[str]) -> None:
    assert labels(call(why)) == found


def test_only_names_that_lead_to_an_attached_server_were_considered() -> None:
    seen = evidence(outside("S1-001", why="mcp__tracker__find or mcp__github__find"))
    assert list(considered(seen, seen.calls[0])) == [("tracker", "find")]


def test_a_bare_name_counts_where_one_server_alone_has_such_a_tool() -> None:
    seen = evidence(outside("S1-001", why="list_issues has no filter, and search none either"), tools=[
        tool("list_issues"), tool("search"),
    ])  # fmt: skip
    assert list(considered(seen, seen.calls[0])) == [("tracker", "list_issues")]


@pytest.mark.parametrize(
    ("why", "uncovered"),
    [
        ("no attached MCP covers this step: today's date is wanted", True),
        ("no MCP tool draws charts", True),
        ("no tool of tracker adds up: considered mcp__tracker__list_issues", False),
        ("mcp__tracker__list_issues has no filter", False),
    ],
)
def test_what_lies_beyond_every_server(why: str, uncovered: bool) -> None:
    assert says_uncovered(call(why)) is uncovered

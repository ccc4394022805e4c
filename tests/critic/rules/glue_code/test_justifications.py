import pytest

from critic_lines import evidence, outside
from mcp_assay.critic.calls import Call
from mcp_assay.critic.rules.glue_code.justifications import considered, is_generic, labels


def call(why: str | None, tool: str = "Bash") -> Call:
    [only] = evidence(outside("S1-001", tool, why=why)).calls
    return only


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
    ],
)
def test_no_reason_and_stock_excuses_are_generic(why: str | None) -> None:
    assert is_generic(call(why))


@pytest.mark.parametrize(
    "why",
    [
        "no attached MCP covers this step",
        "No attached MCP  covers this step; faster locally",
        "Faster to grep locally",
        "The MCP search is slow",
        "considered mcp__tracker__search_issues but it has no regex",
        "mcp__tracker__search_issues returns 500",
        "\u305d\u306e\u307b\u3046\u304c\u901f\u3044",
    ],
)
def test_anything_that_may_be_a_reason_is_not(why: str) -> None:
    assert not is_generic(call(why))


def test_a_steps_own_name_is_no_reason() -> None:
    assert is_generic(call("simply web fetch", "WebFetch"))
    assert not is_generic(call("simply web fetch", "Bash"))


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

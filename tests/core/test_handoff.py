"""Handoffs: a shared word in two tools' names, and a second signal."""

import pytest

from manifests import READ_ONLY, manifests, sandboxed, tool
from mcp_assay.core import handoff
from mcp_assay.core.draft import Gap
from mcp_assay.core.model import Rules, Scenario
from mcp_assay.core.surface import surfaces

LIST = tool("list_issues")
TEAM = sandboxed("team: play")


def proposed(github, linear, user=(), decided=READ_ONLY):
    """(drafts, gaps) for two servers of which the second has its own disposition."""
    gaps: list[Gap] = []
    every = surfaces(manifests(github=github, linear=linear), {"github": READ_ONLY, "linear": decided}, Rules.EXTENDED)
    return list(handoff.propose(list(every.values()), [Scenario("S1", "user", text) for text in user], gaps)), gaps


def test_an_issue_title_is_a_second_signal():
    (draft,), gaps = proposed([LIST], [tool("create_issue", "issue_title*", "team*")], decided=TEAM)
    assert draft.servers == ("github", "linear")
    assert [step.tool for step in draft.steps] == ["mcp__github__list_issues", "mcp__linear__create_issue"]
    assert draft.steps[1].args == {"issue_title": "${carried}"}
    assert "'title'" in draft.steps[0].save["carried"]
    assert "weak" not in draft.weak
    assert "guess" in draft.weak
    assert not gaps


@pytest.mark.parametrize("parameter", ["id", "url", "name", "query", "title", "uuid"])
def test_a_generic_parameter_is_no_signal(parameter):
    drafts, gaps = proposed([LIST], [tool("get_issue", f"{parameter}*")])
    assert not drafts
    assert all("no parameter names it" in gap.why for gap in gaps)


def test_two_unrelated_list_users_tools_are_never_enough():
    drafts, gaps = proposed([tool("list_users", "id", "url")], [tool("list_users", "id", "url")])
    assert not drafts
    assert {gap.server for gap in gaps} == {"github", "linear"}


def test_no_shared_noun_is_no_handoff_whatever_the_parameters_say():
    drafts, gaps = proposed([LIST], [tool("get_ticket", "issue_title*")])
    assert not drafts
    assert "share no entity" in gaps[0].why


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        (["Copy one from GitHub to Linear."], 1),
        (["Look at github.", "Look at linear."], 1),
        (["Copy one from GitHub."], 0),
        (["Use github and linearly interpolate."], 0),
        ([], 0),
    ],
)
def test_the_user_may_name_both(user, expected):
    drafts, _ = proposed([LIST], [tool("search_issues", "query*")], user)
    assert len(drafts) == expected


def test_naming_both_without_a_shared_noun_is_not_enough():
    drafts, _ = proposed([LIST], [tool("search_tickets", "query*")], ["From github to linear"])
    assert not drafts


def test_a_tool_that_would_be_refused_is_never_proposed():
    drafts, gaps = proposed([LIST], [tool("create_issue", "issue_title*")])
    assert not drafts
    assert "would not be permitted (mutating)" in gaps[0].why
    drafts, _ = proposed([LIST], [tool("create_issue", "issue_title*", "team*")], decided=sandboxed("bucket: b"))
    assert not drafts


def test_a_tool_that_nothing_can_complete_is_not_proposed():
    drafts, gaps = proposed([LIST], [tool("get_issue", "issue_title*", "wibble*")])
    assert not drafts
    assert "nothing here supplies `wibble`" in gaps[0].why


def test_what_the_list_and_the_taker_need_comes_before():
    giver = [tool("list_projects"), tool("list_issues", "project_id*")]
    (draft,), _ = proposed(giver, [tool("search_issues", "issue_title*")])
    assert [step.tool.split("__")[-1] for step in draft.steps] == ["list_projects", "list_issues", "search_issues"]


def test_a_title_is_a_better_handoff_than_an_id():
    (draft,), _ = proposed(
        [LIST],
        [tool("get_issue", "issue_id*"), tool("search_issue", "issue_title*")],
    )
    assert draft.steps[-1].args == {"issue_title": "${carried}"}


def test_either_may_give():
    (draft,), _ = proposed([tool("search_issues", "issue_title*")], [LIST])
    assert draft.servers == ("linear", "github")


def test_alone_there_is_nobody_to_hand_over_to():
    gaps: list[Gap] = []
    one = surfaces(manifests(a=[LIST]), {"a": READ_ONLY}, Rules.EXTENDED)
    assert not list(handoff.propose(list(one.values()), [], gaps))
    assert "no other MCP" in gaps[0].why

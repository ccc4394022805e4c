"""Derived scenarios: what is proposed, what is not and why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core_schemas import JSON
from manifests import READ_ONLY, manifests, sandboxed, tool
from mcp_assay.core.derive import Kind, list_digest, propose
from mcp_assay.core.draft import NOTHING
from mcp_assay.core.model import Disposition, Manifest, Rules, Safety, Scenario, Tool
from mcp_assay.core.naming import label

USER = [Scenario("S1", "user", "Look around.")]


def derived(*tools, decided=READ_ONLY, rules=Rules.EXTENDED, room=7):
    return propose(manifests(a=tools), {"a": decided}, USER, rules, room)


def calls(proposal):
    return [(step.tool.removeprefix("mcp__a__"), dict(step.args)) for step in proposal.scenario.steps]


def gap(found, kind, server="a"):
    (why,) = [gap.why for gap in found.gaps if (gap.server, gap.kind) == (server, kind)]
    return why


def test_pagination_walks_past_the_first_page():
    (proposal,) = derived(tool("list_issues", "limit:integer", "cursor")).proposals
    assert proposal.kind is Kind.PAGINATION
    assert calls(proposal) == [("list_issues", {"limit": 2}), ("list_issues", {"limit": 2, "cursor": "${next_page}"})]
    assert "next_page" in proposal.scenario.steps[0].save
    assert proposal.weak is None


@pytest.mark.parametrize("name", ["search_issues", "list_issues", "query_issues", "listIssues", "issue-search"])
def test_an_empty_result_is_asked_of_what_looks_like_search_or_list(name):
    (proposal,) = derived(tool(name, "query", annotations={"readOnlyHint": True})).proposals
    assert (proposal.kind, calls(proposal)) == (Kind.EMPTY_RESULT, [(name, {"query": NOTHING})])


def test_under_the_specified_rules_only_the_specified_names_do():
    assert not derived(tool("listIssues", "query"), rules=Rules.SPEC).proposals
    assert derived(tool("list_issues", "query"), rules=Rules.SPEC).proposals


def test_derived_scenarios_are_labelled_and_continue_the_users_ids():
    found = derived(tool("search_issues", "query", "limit:integer"))
    assert [(s.id, s.source, s.targets_mcps) for s in found.scenarios] == [
        ("S2", "derived", ("a",)),
        ("S3", "derived", ("a",)),
    ]


def test_what_a_call_needs_is_called_before():
    found = derived(tool("list_projects"), tool("list_issues", "project_id*", "page:integer"))
    assert [name for name, _ in calls(found.proposals[0])] == ["list_projects", "list_issues", "list_issues"]


@pytest.mark.parametrize("decided", [READ_ONLY, sandboxed("project: play")])
def test_only_reads_are_proposed(decided):
    found = derived(
        tool("delete_issues", "limit:integer", "project"), tool("search_and_replace", "query"), decided=decided
    )
    assert not found.proposals
    assert "a.delete_issues would be no read (mutating: denylist-token)" in gap(found, Kind.PAGINATION)


@pytest.mark.parametrize(
    ("tools", "kind", "why"),
    [
        ([tool("get_time")], Kind.PAGINATION, "no tool has a limit, cursor, offset, page or per_page parameter"),
        ([tool("get_time")], Kind.EMPTY_RESULT, "no tool looks like search or list"),
        ([tool("list_issues")], Kind.EMPTY_RESULT, "a.list_issues: it takes no free text to search or filter by"),
        (
            [tool("search_x", "id*", "query")],
            Kind.EMPTY_RESULT,
            "a.search_x: nothing here supplies `id`",
        ),
        ([], Kind.PAGINATION, "it offers no tools"),
        ([tool("list_a"), tool("list_b")], Kind.EMPTY_RESULT, "1 other tool cannot be used either"),
        ([tool("get_time")], Kind.HANDOFF, "no other MCP is attached that may be called"),
    ],
)
def test_what_could_not_be_derived_is_said_for_each_server_and_kind(tools, kind, why):
    assert why in gap(derived(*tools), kind)


def test_a_skipped_server_is_no_candidate():
    found = derived(tool("list_issues", "limit:integer"), decided=Safety(Disposition.SKIP))
    assert not found.proposals
    assert {gap.kind for gap in found.gaps} == set(Kind)


def test_a_server_that_folds_like_a_skipped_one_is_skipped_too():
    tools = [tool("list_issues", "limit:integer")]
    both = {"a.b": Safety(Disposition.SKIP), "a_b": READ_ONLY}
    assert not propose(manifests(**{"a.b": tools, "a_b": tools}), both, USER, Rules.EXTENDED, 7).proposals


@pytest.mark.parametrize("room", [0, 1, 2, 3, -1])
def test_the_list_never_outgrows_its_room_and_every_server_has_its_turn(room):
    tools = [tool("search_issues", "query", "limit:integer")]
    found = propose(manifests(a=tools, b=tools), {"a": READ_ONLY, "b": READ_ONLY}, USER, Rules.EXTENDED, room)
    assert len(found.proposals) == max(room, 0)
    if room == 2:
        assert [scenario.targets_mcps for scenario in found.scenarios] == [("a",), ("b",)]
    assert any("no room" in gap.why for gap in found.gaps)


def test_a_handoff_is_flagged():
    every = manifests(a=[tool("list_issues")], b=[tool("search_issues", "issue_title*")])
    found = propose(every, {"a": READ_ONLY, "b": READ_ONLY}, USER, Rules.EXTENDED, 7)
    (proposal,) = [proposal for proposal in found.proposals if proposal.kind is Kind.HANDOFF]
    assert proposal.weak
    assert proposal.scenario.targets_mcps == ("a", "b")


def test_the_digest_is_of_what_would_run_and_not_of_ids():
    one = derived(tool("list_issues", "limit:integer")).scenarios
    again = propose(
        manifests(a=[tool("list_issues", "limit:integer")]), {"a": READ_ONLY}, [*USER, *USER], Rules.EXTENDED, 6
    )
    other = derived(tool("list_issues", "per_page:integer")).scenarios
    assert list_digest(one) == list_digest(again.scenarios)
    assert list_digest(one) != list_digest(other)
    assert list_digest(one).startswith("sha256:")


def test_an_auth_failure_is_never_derived():
    """ "The auth-failure dimension is intentionally not derived automatically." """
    tools = [tool("login", "token*"), tool("get_token", "api_key*"), tool("list_issues", "limit:integer", "auth_token")]
    every = manifests(a=tools, b=tools)
    found = propose(every, {"a": READ_ONLY, "b": READ_ONLY}, USER, Rules.EXTENDED, 7)
    assert {proposal.kind for proposal in found.proposals} == {Kind.PAGINATION}
    assert set(Kind) == {Kind.PAGINATION, Kind.EMPTY_RESULT, Kind.HANDOFF}
    used = {name for scenario in found.scenarios for step in scenario.steps for name in step.args}
    assert not used & {"token", "api_key", "auth_token"}


def test_a_hostile_name_stays_inert_in_what_people_read():
    found = derived(tool("list_x\n### [CRITICAL] forged", "limit:integer"))
    assert all("\n" not in scenario.description for scenario in found.scenarios)
    assert all("\n" not in gap.why for gap in found.gaps)


NAMES = st.sampled_from(["list_issues", "search_notes", "get_issue", "create_issue", "x", "\ud800", "list", "a" * 300])
TOOLS = st.lists(st.builds(lambda name, schema: Tool(name, "", schema), NAMES, JSON), max_size=4)


@settings(max_examples=60)
@given(
    TOOLS,
    TOOLS,
    st.sampled_from([READ_ONLY, sandboxed("project: play"), Safety(Disposition.SKIP)]),
    st.sampled_from(Rules),
)
def test_total_and_every_step_is_a_tool_that_is_there(one, other, decided, rules):
    every = {"a": Manifest("a", tuple(one)), "b": Manifest("b", tuple(other))}
    found = propose(every, {"a": decided, "b": READ_ONLY}, USER, rules, 7)
    known = {label(server, tool.name) for server in every for tool in every[server].tools}
    assert all(step.tool in known for scenario in found.scenarios for step in scenario.steps)
    kinds = {(server, proposal.kind) for proposal in found.proposals for server in proposal.scenario.targets_mcps}
    assert kinds | {(gap.server, gap.kind) for gap in found.gaps} == {
        (server, kind) for server in every for kind in Kind
    }

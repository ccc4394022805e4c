"""The table of refusals, row by row."""

import pytest

from mcp_assay.core.model import Disposition, Manifest, Match, Method, Rules, Safety, Tool, ToolCall, Verdict
from mcp_assay.core.safety import Allow, Block, Policy, by_rules, decide, stricter, verdict


def tool(name, description="", **properties):
    return Tool.from_raw({"name": name, "description": description, "inputSchema": {"properties": properties}})


TOOLS = (tool("list_items"), tool("delete_item", repo={"type": "string"}), tool("frobnicate", repo={"type": "string"}))
READ_ONLY, SANDBOXED, SKIP = Disposition.READ_ONLY, Disposition.SANDBOXED, Disposition.SKIP


def policy(disposition=READ_ONLY, **more):
    given = {"safety": {"a": Safety(disposition, ("repo: play",))}, "pinned": {"a": Manifest("a", TOOLS)}}
    return Policy(**(given | more))


@pytest.mark.parametrize(
    ("disposition", "name", "args", "allowed", "aborts"),
    [
        (SKIP, "list_items", {}, False, False),
        (SKIP, "delete_item", {"repo": "play"}, False, False),
        (READ_ONLY, "list_items", {}, True, False),
        (READ_ONLY, "delete_item", {"repo": "play"}, False, False),
        (READ_ONLY, "frobnicate", {"repo": "play"}, False, True),
        (SANDBOXED, "list_items", {}, True, False),
        (SANDBOXED, "delete_item", {"repo": "play"}, True, False),
        (SANDBOXED, "delete_item", {"repo": "play-production"}, False, True),
        (SANDBOXED, "delete_item", {}, False, True),
        (SANDBOXED, "frobnicate", {"repo": "play"}, True, False),
        (SANDBOXED, "frobnicate", {"repo": "other"}, False, True),
        (READ_ONLY, "no_such_tool", {}, False, False),
    ],
)
def test_what_each_refusal_does(disposition, name, args, allowed, aborts):
    answer = decide(ToolCall("a", name, args), policy(disposition))
    assert isinstance(answer, Allow) == allowed
    if isinstance(answer, Block):
        assert answer.aborts == aborts


@pytest.mark.parametrize("args", [{"x": float("nan")}, {"x": float("inf")}, {"x": {1, 2}}, {3: "x"}, {"x": b"y"}])
def test_arguments_that_are_no_json_are_refused(args):
    assert isinstance(decide(ToolCall("a", "list_items", args), policy()), Block)


def test_no_reason_holds_an_argument():
    for disposition in (READ_ONLY, SANDBOXED, SKIP):
        for name in ("delete_item", "frobnicate"):
            answer = decide(ToolCall("a", name, {"repo": "CANARY", "x": "CANARY"}), policy(disposition))
            assert "CANARY" not in answer.reason


def test_a_mark_decides_what_the_rules_could_not():
    marked = {"a": Safety(READ_ONLY, marks={"frobnicate": Verdict.READ})}
    assert decide(ToolCall("a", "frobnicate"), policy(safety=marked)) == Allow(Verdict.READ, "marked-by-user")
    marked = {"a": Safety(READ_ONLY, marks={"frobnicate": Verdict.MUTATING})}
    assert decide(ToolCall("a", "frobnicate"), policy(safety=marked)).aborts is False


def test_a_mark_never_pardons_a_mutating_name_and_may_always_forbid():
    pardon = {"a": Safety(READ_ONLY, marks={"delete_item": Verdict.READ})}
    assert isinstance(decide(ToolCall("a", "delete_item"), policy(safety=pardon)), Block)
    forbid = {"a": Safety(READ_ONLY, marks={"list_items": Verdict.MUTATING})}
    assert isinstance(decide(ToolCall("a", "list_items"), policy(safety=forbid)), Block)


def test_a_mark_is_void_when_the_tool_has_changed():
    marked = Safety(READ_ONLY, marks={"frobnicate": Verdict.READ})
    live = {"a": {known.name: "sha256:other" for known in TOOLS}}
    changed = policy(safety={"a": marked}, live=live)
    assert verdict("a", TOOLS[2], marked, changed).rule == "manifest-changed"
    assert decide(ToolCall("a", "list_items"), changed).aborts


@pytest.mark.parametrize("disposition", [READ_ONLY, SANDBOXED])
@pytest.mark.parametrize("name", ["list_items", "delete_item", "frobnicate"])
def test_a_changed_tool_is_refused_even_where_its_old_form_was_permitted(disposition, name):
    changed = policy(disposition, live={"a": {known.name: "sha256:other" for known in TOOLS}})
    answer = decide(ToolCall("a", name, {"repo": "play"}), changed)
    assert (answer.verdict, answer.rule, answer.aborts) == (Verdict.UNDETERMINED, "manifest-changed", True)


def test_a_tool_that_appeared_after_the_interview_is_unknown():
    later = policy(live={"a": {"list_items": TOOLS[0].digest, "list_more": "sha256:x"}})
    assert "offered no tool" in decide(ToolCall("a", "list_more"), later).reason


def test_two_sandboxes_that_fold_alike_share_only_what_both_list():
    both = {
        "a.b": Safety(SANDBOXED, ("repo: one", "repo: both"), match=Match.STRICT),
        "a_b": Safety(SANDBOXED, ("repo: two", "repo: both")),
    }
    assert stricter("a.b", both).test_resources == ("repo: both",)


@pytest.mark.parametrize("others", [(SKIP, READ_ONLY), (READ_ONLY, SANDBOXED), (SKIP, SANDBOXED)])
def test_of_dispositions_that_fold_alike_the_strictest_counts(others):
    safety = {"a.b": Safety(others[1]), "a_b": Safety(others[0])}
    assert stricter("a.b", safety).disposition is others[0]


def test_the_specifications_rules_are_used_where_they_were_asked_for():
    camel = Tool.from_raw({"name": "listItems"})
    surface = {"a": Manifest("a", (camel,))}
    assert isinstance(decide(ToolCall("a", "listItems"), policy(pinned=surface)), Allow)
    assert decide(ToolCall("a", "listItems"), policy(pinned=surface, rules=Rules.SPEC)).aborts


@pytest.mark.parametrize(("why", "allowed"), [(None, False), ("", False), ("  ", False), ("faster locally", True)])
def test_a_non_mcp_call_must_be_justified_if_only_badly(why, allowed):
    answer = decide(ToolCall(None, "Bash", {}, why), policy(allow=frozenset({"Bash"})))
    assert isinstance(answer, Allow) == allowed


def test_an_mcp_name_never_passes_as_a_non_mcp_tool():
    call = ToolCall(None, "mcp__a__delete_item", {}, "no attached MCP covers this step")
    assert isinstance(decide(call, policy(allow=frozenset({"mcp__a__delete_item"}))), Block)


# --- arguments -------------------------------------------------------------------------------------------------------

QUERY = tool("read_query", "Answers a SQL query.", query={"type": "string"}, table={"type": "string"})
WRITE, LOOK = {"query": "DELETE FROM t", "table": "play"}, {"query": "SELECT * FROM t", "table": "other"}


def asked(args, disposition=READ_ONLY, rules=Rules.EXTENDED):
    """The decision on a call of a tool that the user has marked as a read, whatever the rules say of it."""
    safety = {"a": Safety(disposition, ("table: play", "DELETE FROM t"), marks={"read_query": Verdict.READ})}
    return decide(
        ToolCall("a", "read_query", args), policy(safety=safety, pinned={"a": Manifest("a", (QUERY,))}, rules=rules)
    )


def test_the_arguments_of_a_read_may_still_mutate():
    assert asked(LOOK).verdict is Verdict.READ
    refused = asked(WRITE)
    assert (refused.verdict, refused.rule, refused.aborts) == (Verdict.MUTATING, "sql-argument", False)
    assert refused.reason == "read_only: the call may mutate (sql-argument: query: it holds delete)"


def test_in_a_sandbox_such_a_call_is_held_to_the_resources_and_counts_as_a_mutation():
    assert asked(LOOK, SANDBOXED).verdict is Verdict.READ
    allowed = asked(WRITE, SANDBOXED)
    assert (type(allowed), allowed.verdict, allowed.rule) == (Allow, Verdict.MUTATING, "sql-argument")
    assert asked({**WRITE, "table": "other"}, SANDBOXED).aborts


def test_arguments_never_pardon():
    delete = ToolCall("a", "delete_item", {"query": "SELECT 1", "method": "GET"})
    assert decide(delete, policy()).rule != "sql-argument"
    assert isinstance(decide(delete, policy()), Block)


def test_the_specifications_rules_do_not_look_at_arguments():
    assert asked(WRITE, rules=Rules.SPEC).verdict is Verdict.READ


@pytest.mark.parametrize(("disposition", "allowed"), [(SKIP, False), (READ_ONLY, True), (SANDBOXED, True)])
@pytest.mark.parametrize("method", [method for method in Method if method is not Method.CALL])
def test_a_resource_a_prompt_and_a_completion_are_reads_under_the_disposition(disposition, allowed, method):
    answer = decide(ToolCall("a", str(method), {"uri": "file:///etc"}, method=method), policy(disposition))
    assert answer == (Allow(Verdict.READ, "read-method") if allowed else Block("MCP disposition is 'skip'"))
    assert isinstance(decide(ToolCall("z", str(method), method=method), policy()), Block)


@pytest.mark.parametrize("rules", list(Rules))
def test_what_the_rules_said_before_decides_as_they_would_now(rules):
    plain = policy(rules=rules)
    known = policy(rules=rules, known=by_rules(plain.pinned, rules))
    assert set(known.known) == {(server, each.name) for server, kept in plain.pinned.items() for each in kept.tools}
    for server, kept in plain.pinned.items():
        for each in kept.tools:
            assert verdict(server, each, None, known) == verdict(server, each, None, plain)

"""The explorer: steps carried out, prose followed by its words, and no value where it does not belong."""

import asyncio
import json
import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifests import READ_ONLY, manifests, sandboxed, tool
from mcp_assay.clock import SystemClock
from mcp_assay.core.budget import Budget
from mcp_assay.core.derive import Kind, propose
from mcp_assay.core.model import AbortReason, Outcome, Reply, Rules, Scenario, ServerConfig, Step
from mcp_assay.core.safety import Policy
from mcp_assay.core.tour import tour
from mcp_assay.dispatch import Dispatch, Fleet
from mcp_assay.drivers.explore import Explore
from mcp_assay.gate import Gate, Refusal
from mcp_assay.store.transcript import Transcript, entries

LIST = tool("list_issues", "limit:integer", "cursor")
GET = tool("get_issue", "number*:integer", description="Shows one issue.")
FIND = tool("search_notes", "issue_title*", description="Finds notes.")
ALL = manifests(a=[LIST, GET, tool("create_issue", "title*")], b=[FIND, tool("list_issues")])
BOTH = {"a": READ_ONLY, "b": READ_ONLY}
ISSUES = {"issues": [{"number": 7, "title": "SECRET-A"}], "nextCursor": "C2"}


def fine(data):
    return Reply(Outcome.OK, {"structuredContent": data})


def run(scenario, answer, every=ALL, decided=BOTH, realpath=str):
    """(ended, calls) with ``answer(call)`` as the servers."""
    calls = []

    async def call(asked):
        calls.append(asked)
        return answer(asked)

    explorer = Explore(every, Policy(decided, every, realpath=realpath))
    return asyncio.run(explorer.run(scenario, call)), calls


def steps(*written: tuple[str, dict, dict], source="user", targets=("a",)):
    return Scenario("S1", source, "x", targets, tuple(Step(f"mcp__{name}", args, save) for name, args, save in written))


# --- steps -----------------------------------------------------------------------------------------------------------


def test_missing_arguments_come_from_earlier_results():
    scenario = steps(("a__list_issues", {}, {}), ("a__get_issue", {}, {}))
    ended, calls = run(scenario, lambda call: fine(ISSUES))
    assert ended.reached is True
    assert [call.args for call in calls] == [{}, {"number": 7}]


def test_a_derived_walk_follows_the_pointer_to_the_next_page():
    found = propose({"a": ALL["a"]}, BOTH, [], Rules.EXTENDED, 8)
    (walk,) = [proposal.scenario for proposal in found.proposals if proposal.kind is Kind.PAGINATION]
    ended, calls = run(walk, lambda call: fine(ISSUES))
    assert ended.reached is True
    assert calls[1].args == {"limit": 2, "cursor": "C2"}


@pytest.mark.parametrize("pointer", [{}, {"nextCursor": None}, {"nextCursor": ""}, {"nextCursor": False}])
def test_a_first_page_that_is_the_last_is_told(pointer):
    (walk,) = propose({"a": ALL["a"]}, BOTH, [], Rules.EXTENDED, 1).scenarios
    ended, calls = run(walk, lambda call: fine({"issues": [], **pointer}))
    assert (ended.reached, len(calls)) == (False, 1)
    assert ended.reason == "1 of 2 steps ran; step 2 needs a next page, and the page before points to none"


def test_a_step_that_cannot_be_carried_out_does_not_end_the_tour():
    scenario = steps(("a__get_issue", {}, {}), ("a__nope", {}, {}), ("z__x", {}, {}), ("a__list_issues", {}, {}))
    ended, calls = run(scenario, lambda call: fine(ISSUES))
    assert [call.tool for call in calls] == ["list_issues"]
    assert ended.reached is False
    for words in ("1 of 4 steps ran", "could not be given a value for `number`", "no tool that its server offers"):
        assert words in ended.reason


def test_an_error_means_that_not_every_step_ran():
    ended, _ = run(steps(("a__list_issues", {}, {})), lambda call: Reply(Outcome.ERROR))
    assert (ended.reached, ended.reason) == (False, "1 of 1 step ran; step 1 (list_issues) ended in an error")


def test_a_step_that_would_be_refused_is_not_attempted():
    ended, calls = run(steps(("a__create_issue", {"title": "x"}, {})), lambda call: fine({}))
    assert not calls
    assert "would not be permitted" in ended.reason


def test_a_fault_while_deciding_means_no():
    def broken(path):
        raise OSError

    every, decided = manifests(a=[tool("write_file", "path*")]), {"a": sandboxed("path: /s/**")}
    ended, calls = run(steps(("a__write_file", {"path": "/s/x"}, {})), lambda call: fine({}), every, decided, broken)
    assert (calls, ended.reached) == ([], False)


def test_the_end_of_a_budget_ends_the_walk():
    over = Refusal("call budget exceeded", "S1-001", AbortReason.CALL_BUDGET)
    ended, calls = run(steps(("a__list_issues", {}, {}), ("a__list_issues", {}, {})), lambda call: over)
    assert (ended.reached, len(calls)) == (False, 1)


# --- prose -----------------------------------------------------------------------------------------------------------


def test_prose_calls_what_its_words_match_and_judges_nothing():
    ended, calls = run(Scenario("S1", "user", "Show one of the issues", ("a",)), lambda call: fine(ISSUES))
    assert [(call.tool, dict(call.args)) for call in calls] == [("list_issues", {}), ("get_issue", {"number": 7})]
    assert ended.reached is None
    assert ended.reason == "explored 2 calls; whether the goal is reached is for a reader to judge"


def test_what_no_tool_is_about_is_said():
    ended, calls = run(Scenario("S1", "user", "Bake a cake"), lambda call: fine({}))
    assert (ended.reached, ended.reason, calls) == (False, "no attached tool matches this text", [])


def test_what_cannot_be_given_a_value_is_said():
    every = manifests(a=[tool("get_widget", "wibble*")])
    ended, calls = run(Scenario("S1", "user", "Show a widget"), lambda call: fine({}), every)
    assert (ended.reached, calls) == (False, [])
    assert ended.reason == "get_widget could not be given a value for `wibble`"


def test_other_servers_than_the_targets_are_left_alone():
    _, calls = run(Scenario("S1", "user", "List issues", ("b",)), lambda call: fine(ISSUES))
    assert {call.mcp for call in calls} == {"b"}


@pytest.mark.parametrize(("text", "tried"), [("Show the pages", []), ("Delete pages", ["delete_page"])])
def test_nothing_is_changed_for_a_text_that_does_not_name_the_deed(text, tried):
    every = manifests(a=[tool("delete_page", "project*")])
    _, calls = run(Scenario("S1", "user", text), lambda call: fine({}), every, {"a": sandboxed("project: play")})
    assert [call.tool for call in calls] == tried


# --- no server's values in another server's calls -------------------------------------------------------------------


def carrying(key):
    """Steps that take a value under this key from one server to the other."""
    found = {"t": f"$..{key}"}
    return ("a__list_issues", {}, found), ("b__search_notes", {"issue_title": "${t}"}, {})


def test_a_saved_value_stays_with_its_server():
    ended, calls = run(steps(*carrying("title"), targets=("a", "b")), lambda call: fine(ISSUES))
    assert [call.mcp for call in calls] == ["a"]
    assert "${t}, which no earlier step of this server saved" in ended.reason


def test_an_approved_handoff_may_pass_it():
    ended, calls = run(steps(*carrying("title"), source="derived", targets=("a", "b")), lambda call: fine(ISSUES))
    assert ended.reached is True
    assert calls[1].args == {"issue_title": "SECRET-A"}


def test_a_handed_over_number_takes_the_type_that_is_wanted():
    _, calls = run(steps(*carrying("number"), source="derived", targets=("a", "b")), lambda call: fine(ISSUES))
    assert calls[1].args == {"issue_title": "7"}


KEYS = ["id", "number", "title", "name", "path", "issues", "notes", "items", "issue_title", "key"]
ENUM = {"type": "string", "enum": ["SECRET-A-choice"]}
PARAMETERS = st.lists(st.sampled_from([f"{key}*" for key in KEYS]), min_size=1, max_size=3, unique=True)
RESULTS = st.recursive(
    st.just("SECRET-A") | st.integers(7_000_000, 7_000_009),
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=10,
)
TEXTS = st.sampled_from(["list issues and notes", "get the issue and search notes", "show name title path", "x"])


@settings(max_examples=150, deadline=None)
@given(RESULTS, PARAMETERS, PARAMETERS, TEXTS, st.booleans())
def test_no_value_of_one_server_reaches_another(result, first, second, text, as_steps):
    giver = [tool("list_issues", kind=ENUM), tool("get_issue", "kind*", *first, kind=ENUM)]
    taker = [tool("list_notes"), tool("get_issue", "kind", *second), tool("search_issues", *second)]
    written: list[tuple[str, dict, dict]]
    written = [(f"{server}__{tool_.name}", {}, {}) for server, tools in (("a", giver), ("b", taker)) for tool_ in tools]
    scenario = steps(*written, targets=("a", "b")) if as_steps else Scenario("S1", "user", text)
    _, calls = run(scenario, lambda call: fine(result if call.mcp == "a" else {}), manifests(a=giver, b=taker))
    sent = [json.dumps(dict(call.args)) for call in calls if call.mcp == "b"]
    assert not [args for args in sent if "SECRET-A" in args or "700000" in args]


# --- a real server ----------------------------------------------------------------------------------------------------

SERVER = """
import json, sys
NOTES = [{"id": f"note-{number}", "title": f"Note {number}"} for number in range(5)]
def tool(name, required=(), **properties):
    return {"name": name, "inputSchema": {"type": "object", "properties": properties, "required": list(required)}}
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
TOOLS = [tool("get_note", ["note_id"], note_id=TEXT), tool("list_notes", limit=WHOLE, cursor=TEXT),
         tool("search_notes", ["query"], query=TEXT), tool("delete_note", ["note_id"], note_id=TEXT)]
def answer(name, args):
    if name == "get_note":
        return next(note for note in NOTES if note["id"] == args["note_id"])
    if name == "search_notes":
        return {"notes": [note for note in NOTES if args["query"] in note["title"]]}
    start, limit = int(args.get("cursor", 0)), args.get("limit", 10)
    more = {"nextCursor": str(start + limit)} if start + limit < len(NOTES) else {}
    return {"notes": NOTES[start:start + limit], **more}
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    params = request.get("params", {})
    if request["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}
    elif request["method"] == "tools/list":
        result = {"tools": TOOLS}
    else:
        text = json.dumps(answer(params["name"], params.get("arguments", {})))
        result = {"content": [{"type": "text", "text": text}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


async def explored(path):
    """The transcript's lines and the ends of a tour and of everything derived, over a real server and a real gate."""
    (path / "server.py").write_text(SERVER)
    fleet, clock, decided = Fleet(), SystemClock(), {"notes": READ_ONLY}
    config = ServerConfig("notes", "test", command=sys.executable, args=(str(path / "server.py"),))
    await fleet.start([config], os.environ, allowed={}, folder=str(path))
    folder = os.open(path, os.O_RDONLY)
    transcript = Transcript(folder)
    policy = Policy(decided, fleet.manifests)
    gate = Gate(policy, Budget(20, 60), transcript, clock, b"k", active=lambda: 0.0)
    dispatch = Dispatch(gate, fleet.upstreams, clock, local={}, persist=lambda: None, remaining=lambda: 60.0)
    explorer = Explore(fleet.manifests, policy)
    scenarios = [tour(fleet.manifests["notes"], READ_ONLY, Rules.EXTENDED).scenario]
    scenarios += propose(fleet.manifests, decided, scenarios, Rules.EXTENDED, 7).scenarios
    ends = []
    try:
        for scenario in scenarios:
            gate.begin(scenario)
            ends.append(await explorer.run(scenario, dispatch.call))
            gate.end()
    finally:
        await fleet.stop()
        transcript.close()
    lines = list(entries(folder))
    os.close(folder)
    return lines, ends


def test_a_tour_and_derived_scenarios_run_on_a_real_server(tmp_path):
    lines, ends = asyncio.run(explored(tmp_path))
    assert [end.reached for end in ends] == [True, True, True]
    told = [(line["scenario_id"], line["assay"]["tool"], line["assay"]["outcome"]) for line in lines]
    assert told == [
        ("S1", "list_notes", "ok"),
        ("S1", "search_notes", "ok"),
        ("S1", "get_note", "ok"),
        ("S2", "list_notes", "ok"),
        ("S2", "list_notes", "ok"),
        ("S3", "search_notes", "ok"),
    ]
    got, second, empty = lines[2]["assay"], lines[4]["assay"], lines[5]["assay"]
    assert (got["args"]["note_id"]["source"], got["args"]["note_id"]["via"]) == ("S1-001", "same")
    assert second["args"]["cursor"]["source"] == "S2-001" or "entropy" in second["args"]["cursor"]
    assert second["result"]["items"] == 2
    assert empty["result"]["items"] == 0
    assert empty["args"]["query"]["source"] == "scenario"

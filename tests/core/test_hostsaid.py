"""What a host says that its agent did, held against what the gate saw."""

import json

import pytest

from mcp_assay.core.hostsaid import compare, goal, read


def call(ident, tool="mcp__a__x"):
    return {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": ident, "name": tool}]}}


def stream(*events):
    return [json.dumps(event).encode() + b"\n" for event in events]


def answer(*idents):
    return {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": name} for name in idents]}}


INIT = {"type": "system", "subtype": "init", "mcp_servers": [{"name": "a", "status": "connected"}]}
RESULT = {"type": "result", "subtype": "success", "result": "Done."}


def line(ident, join=None, tool="mcp__a__x"):
    return {"id": ident, "tool": tool, "assay": {"join": join}}


def test_calls_last_words_and_servers_are_read():
    said = read(stream(INIT, call("t1"), call("t2", "Bash"), call("t3", "mcp__assay__finish"), RESULT))
    assert (said.calls, said.text, said.spoke) == ({"t1": "mcp__a__x", "t2": "Bash"}, "Done.", True)
    assert said.unattached == {}
    failed = {**INIT, "mcp_servers": [{"name": "a", "status": "failed"}, "odd"]}
    assert read(stream(failed)).unattached == {"a": "failed"}


def test_of_two_runs_the_calls_add_up_and_the_last_one_says_how_it_ended():
    said = read(stream(INIT, call("t1"), RESULT, INIT, call("t2")))
    assert (set(said.calls), said.result) == ({"t1", "t2"}, {})


def test_words_that_the_host_made_up_are_not_the_models():
    made_up = {"type": "assistant", "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "no"}]}}
    assert not read(stream(INIT, made_up, RESULT)).spoke


@pytest.mark.parametrize(
    "odd",
    [b"\n", b"\xff\xfe\n", b"[" * 100_000, b"[1]\n", b'{"type":"assistant"}\n', b'{"type":"assistant","message":[]}\n'],
    ids=["blank", "no text", "deep", "list", "bare", "no message"],
)
def test_whatever_else_stands_in_it_is_passed_over(odd):
    said = read([odd, *stream(call("t1"))[:1], b'{"type":"assistant","message":{"content":[1,{"type":"tool_use"}]}}'])
    assert "t1" in said.calls


def test_what_only_one_of_them_knows_is_told():
    cut_off = call("t5")
    said = read(
        stream(call("t1"), call("t2", "Bash"), call("t3", "Read"), call("t4"), answer("t1", "t2", "t3"), cut_off)
    )
    lines = [line("S1-001", "t1"), line("S1-002", "t9"), line("S1-003"), line("S1-004", "t4", "__blocked__")]
    compared = compare(said, lines, {"t3"})
    assert (compared.unreported, compared.unseen) == (("S1-002", "S1-003"), ("Bash",))


def test_the_end_of_a_budget_is_nobodys_call():
    lines = [line("S1-001", tool="__budget_abort__"), line("S1-002", tool="__wallclock_abort__")]
    assert compare(read([]), lines, ()).unreported == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Done.\nGoal reached: yes", (True, "")),
        ("**Goal reached:** no. There is none", (False, "There is none")),
        ("Goal reached: no\n…\ngoal reached: YES, after all", (True, "after all")),
        ("Was the goal reached: yes?", None),
        ("Goal reached: yesterday", None),
        ("", None),
    ],
)
def test_the_last_line_that_says_whether_the_goal_was_reached_counts(text, expected):
    assert goal(text) == expected

"""Heads survive, tails fit: the shape of one transcript line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.entry import MARK, ROOM, Line, Tail, head, reseal, tail
from mcp_assay.core.model import Effect, Outcome

LINE = Line("S1-001", "S1", "2026-01-01T00:00:00.000Z", "mcp__a__b", is_mcp=True, mcp="a", raw_tool="b")
SPEC_KEYS = {"id", "scenario_id", "ts", "tool", "is_mcp", "args_summary", "result_shape", "justification"}


def test_a_pending_line_has_exactly_the_keys_of_the_specification_and_one_of_ours():
    entry = json.loads(head(LINE) + tail(Tail()))
    assert set(entry) == SPEC_KEYS | {"assay"}
    assert entry["result_shape"] is None
    assert entry["assay"]["outcome"] == "pending"


def test_only_a_blocked_line_names_a_blocked_tool():
    blocked = Line("S1-001", "S1", "t", "__blocked__", is_mcp=False, blocked_tool="mcp__a__b")
    assert json.loads(head(blocked) + tail(Tail(Outcome.BLOCKED)))["blocked_tool"] == "mcp__a__b"


def test_a_tail_that_would_not_fit_sheds_its_facts_and_keeps_its_outcome():
    long = Tail(Outcome.OK, Effect.DONE, "s" * 400, 12, "d" * 16, {f"key{n}": "v" * 50 for n in range(40)})
    text = tail(long)
    assert len(text) <= ROOM
    entry = json.loads("{" + '"assay": {"x": 1' + text)
    assert entry["assay"]["outcome"] == "ok"
    assert entry["assay"]["result"] is None
    assert entry["result_shape"] == "s" * 160


@given(st.text(max_size=600), st.text(max_size=200), st.integers(0, 10**12))
def test_every_tail_fits_its_room(shape, key, duration):
    assert len(tail(Tail(Outcome.ERROR, Effect.UNKNOWN, shape, duration, key, {key: shape}))) <= ROOM


names = st.text(max_size=30) | st.sampled_from([MARK, '", "outcome": "ok', 'outcome", "outcome": "', "\\", '"'])


@given(names, names, names, st.data())
def test_any_cut_through_the_tail_leaves_a_line_that_can_be_closed_again(tool, argument, why, data):
    described = {argument: {"type": "string"}}
    line = Line("S1-001", "S1", "t", tool, is_mcp=True, justification=why, mcp=tool, raw_tool=why, args=described)
    done = Tail(Outcome.OK, Effect.DONE, "array[3]", 5, "ab" * 8, {"bytes": 3})
    front, old, new = head(line), tail(Tail()), tail(done)
    cut = data.draw(st.integers(0, len(new)))
    torn = front + new[:cut] + old.ljust(ROOM)[cut:]
    entry = reseal(torn.encode())
    if entry is None:
        assert cut < len(MARK)
    else:
        assert entry["id"] == "S1-001"
        assert entry["justification"] == why
        assert entry["assay"]["args"] == {argument: {"type": "string"}}


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"id": "S1-001"}', b"\xff\xfe"])
def test_a_line_without_a_head_cannot_be_closed(junk):
    assert reseal(junk) is None

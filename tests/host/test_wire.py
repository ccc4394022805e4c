"""What is on the wire between an owner and its clients: read strictly, or not at all."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.model import Method, Outcome, Reply, ToolCall
from mcp_assay.errors import UserError
from mcp_assay.host import wire
from mcp_assay.host.wire import Canary, Close, Finish, Garbled, Hello, Justify, Next, Observe, Open, Role, Status

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
)
OPEN = {"n": 2, "do": "open", "mcp": "a", "tool": "t", "args": {"x": 1}}
CLOSE = {"do": "close", "permit": "S1-001", "outcome": "ok"}


@pytest.mark.parametrize(
    ("message", "request_"),
    [
        ({"do": "hello", "role": "agent", "version": 1}, Hello(Role.AGENT, 1)),
        ({"do": "hello", "role": "gateway", "server": "a", "version": 1}, Hello(Role.GATEWAY, 1, "a")),
        (OPEN, Open(ToolCall("a", "t", {"x": 1}))),
        (OPEN | {"mcp": None, "join": "j"}, Open(ToolCall(None, "t", {"x": 1}, join="j"))),
        (OPEN | {"again": "S1-001"}, Open(ToolCall("a", "t", {"x": 1}), "S1-001")),
        (
            OPEN | {"kind": "prompts/get"},
            Open(ToolCall("a", "prompts/get", {"x": 1}, method=Method.GET_PROMPT)),
        ),
        (
            CLOSE | {"result": {"content": []}, "size": 9, "duration_ms": 3},
            Close(Reply(Outcome.OK, {"content": []}, size=9, duration_ms=3), "S1-001"),
        ),
        (CLOSE | {"permit": None, "join": "j"}, Close(Reply(Outcome.OK), join="j")),
        ({"do": "observe", "tools": [1]}, Observe([1])),
        ({"do": "next"}, Next()),
        ({"do": "next", "join": "j"}, Next("j")),
        ({"do": "canary"}, Canary()),
        ({"do": "justify", "tool": "Bash", "text": "x"}, Justify("Bash", "x")),
        ({"do": "finish", "reached": True}, Finish(reached=True, why="")),
        ({"do": "status"}, Status()),
    ],
)
def test_each_message_is_read_as_what_it_asks(message, request_):
    assert wire.parse({"n": 2} | message) == (2, request_)


def test_only_a_close_may_come_without_a_number():
    assert wire.parse(CLOSE)[0] is None
    with pytest.raises(Garbled):
        wire.parse({"do": "status"})


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"n": 1},
        {"n": 1, "do": "dance"},
        {"n": True, "do": "status"},
        {"n": 1.0, "do": "status"},
        {"n": "1", "do": "status"},
        {"n": 1, "do": "hello", "role": "king", "version": 1},
        {"n": 1, "do": "hello", "role": "gateway", "version": 1},
        {"n": 1, "do": "hello", "role": "hook", "server": "a", "version": 1},
        {"n": 1, "do": "hello", "role": "agent"},
        OPEN | {"args": []},
        OPEN | {"args": None},
        OPEN | {"tool": 5},
        OPEN | {"mcp": 5},
        OPEN | {"kind": "tools/list"},
        OPEN | {"mcp": None, "kind": "resources/read"},
        CLOSE | {"outcome": "pending"},
        CLOSE | {"outcome": "blocked"},
        CLOSE | {"permit": None},
        CLOSE | {"join": "both"},
        CLOSE | {"result": []},
        CLOSE | {"size": True},
        {"n": 1, "do": "finish", "reached": "yes"},
        {"n": 1, "do": "finish", "reached": 1},
        {"n": 1, "do": "observe", "tools": {}},
    ],
)
def test_what_is_not_exactly_a_message_is_garbled(message):
    with pytest.raises(Garbled):
        wire.parse(message)


def test_a_result_that_calls_itself_an_error_is_one():
    _, request = wire.parse(CLOSE | {"result": {"isError": True}})
    assert request.reply.outcome is Outcome.ERROR


@pytest.mark.parametrize("size", [-1, 0])
def test_no_size_is_negative(size):
    assert wire.parse(CLOSE | {"size": size})[1].reply.size == 0


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[]",
        b"5",
        b'{"a":1,"a":2}',
        b'{"a":NaN}',
        b'{"a":"\xff"}',
        b'{"a":' + b"[" * 200_000,
        b"9" * 5000,
    ],
)
def test_a_line_that_is_no_plain_object_is_garbled(line):
    with pytest.raises(Garbled):
        wire.decode(line)


@given(st.dictionaries(st.text(), JSON))
def test_what_is_encoded_is_one_line_and_decodes_to_itself(message):
    line = wire.encode(message)
    assert line.count(b"\n") == 1
    assert wire.decode(line) == message


@given(
    st.dictionaries(st.sampled_from(["n", "do", "role", "server", "mcp", "tool", "args", "outcome", "permit"]), JSON)
)
def test_any_object_is_a_message_or_garbled(message):
    try:
        wire.parse(message)
    except Garbled:
        return
    json.dumps(message)


def test_nan_is_not_sent():
    with pytest.raises(ValueError, match="JSON"):
        wire.encode({"a": float("nan")})


def test_each_folder_has_an_address_of_its_own_outside_of_it():
    one, two = (wire.socket_path(Path("/s/mcp-assay"), folder) for folder in ("/p/one", "/p/two"))
    assert one != two
    assert one.parent == Path("/s/mcp-assay/run")
    assert one == wire.socket_path(Path("/s/mcp-assay"), "/p/one")


def test_an_address_that_no_socket_can_have_is_told_with_the_way_out():
    path = wire.socket_path(Path("/" + "s" * 72), "/p")
    assert len(os.fsencode(path)) == 107
    with pytest.raises(UserError, match="XDG_STATE_HOME"):
        wire.socket_path(Path("/" + "s" * 73), "/p")

"""What a line of the agent's is taken for: only what every reader of JSON takes for the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.frames import Kind, Oversized
from mcp_assay.host import traffic
from mcp_assay.host.traffic import Fault, Said, Wanted, as_task, read, wanted

CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"t","arguments":{}}}'
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {}, "x": 1}


def said(**message):
    found = read(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    assert isinstance(found, Said), found
    return found


def code(fault):
    """The error code of a fault's answer; None if it has none."""
    assert isinstance(fault, Fault)
    if fault.answer is None:
        return None
    answer = json.loads(fault.answer)
    return answer["error"]["code"], answer["id"]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("number", ["1", '"a"', '""', "-1", "0", "123456789012345678901234567890", '"\\ud800"'])
def test_a_request_has_an_id_that_json_rpc_allows(number, end):
    found = read((CALL % number + end).encode())
    assert (found.kind, found.id, found.method) == (Kind.REQUEST, json.loads(number), "tools/call")


@pytest.mark.parametrize("number", ["1.5", "1.0", "1e2", "null", "true", "false", "{}", "[1]"])
def test_a_call_with_another_id_is_neither_a_request_nor_a_notification(number):
    assert code(read((CALL % number).encode())) == (-32600, None)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"", (-32700, None)),
        (b"\xff{}", (-32700, None)),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', (-32700, None)),
        (b"{", (-32700, None)),
        (b"[" * 200_000, (-32700, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', (-32700, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', (-32700, None)),
        (b"[]", (-32600, None)),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', (-32600, None)),
        (b'"ping"', (-32600, None)),
        (b'{"id":1,"method":"ping"}', (-32600, None)),
        (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":1}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', (-32602, 1)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', (-32602, 1)),
    ],
)
def test_what_is_no_message_is_answered_as_json_rpc_says(line, expected):
    assert code(read(line)) == expected


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}',
        b'{"jsonrpc":"2.0","method":"NOTIFICATIONS/x"}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":[{}]}',
        b'{"jsonrpc":"2.0","result":{}}',
        b'{"jsonrpc":"2.0","id":null,"error":{}}',
        b'{"jsonrpc":"2.0","id":1.5,"result":{}}',
    ],
)
def test_what_json_rpc_leaves_unanswered_is_refused_without_a_word(line):
    assert code(read(line)) is None


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"p":1,"p":2}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","param\xc5\xbf":{}}',  # a long s
        b'{"jsonrpc":"2.0","id":1,"result":{},"METHOD":"tools/call"}',
        b'{"jsonrpc":"2.0","ID":1,"method":"notifications/x"}',
        # The inner line is a whole call, for a server whose lines end at a carriage return.
        b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[\r' + (CALL % 1).encode() + b"\r]}}",
        b'\r{"jsonrpc":"2.0","id":1,"method":"ping"}',
    ],
)
def test_what_two_readers_could_read_differently_is_refused(line):
    assert code(read(line + b"\n")) == (-32600, None)


def test_a_twin_of_a_parameter_is_refused_and_a_strange_one_is_not():
    for twin in ("Name", "ARGUMENTS", "argument\u017f", "requeststate", "_Meta", "Task"):
        params = {"name": "t", "arguments": {}, twin: {}}
        assert code(wanted(said(id=1, method="tools/call", params=params))) == (-32602, 1)
    assert isinstance(wanted(said(id=1, method="tools/call", params={"name": "t", "x-vendor": 1})), Wanted)


def test_a_notification_stays_one_whatever_it_carries():
    params = {"method": "tools/call", "name": "t", "id": 7}
    assert said(method="notifications/tools/call", params=params).kind is Kind.NOTIFICATION


@pytest.mark.parametrize("args", [{}, {"arguments": None}, {"arguments": {"a": 1}}])
def test_a_call_names_a_tool_and_its_arguments(args):
    found = wanted(said(id=1, method="tools/call", params={"name": "t", **args}))
    assert found == Wanted("t", args.get("arguments") or {}, None)


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": "t", "arguments": []}, {"name": "t", "arguments": "{}"}])
def test_a_call_that_names_none_is_refused(params):
    assert code(wanted(said(id=1, method="tools/call", params=params))) == (-32602, 1)


def test_a_call_as_a_task_is_refused_since_its_result_could_not_be_fetched():
    fault = wanted(said(id=1, method="tools/call", params={"name": "t", "task": {"ttl": 1}}))
    result = json.loads(fault.answer)["result"]
    assert (result["isError"], "resultType" in result) == (True, False)
    assert "call it without a task" in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("result", "is_task"),
    [
        ({"resultType": "task", "taskId": "1"}, True),
        ({"task": {"taskId": "1", "status": "working"}}, True),
        ({"task": {"taskId": "1"}, "content": []}, False),
        ({"task": "write", "content": []}, False),
        ({"resultType": "complete", "content": []}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_reply_that_is_a_task_is_no_result(result, is_task):
    why = as_task({"id": 1, "result": result})
    assert (why is not None) == is_task
    assert as_task({"id": 1, "error": {}}) is None


def test_other_judged_requests_are_their_parameters_without_the_protocol_s_own():
    params = {"uri": "a:b", "_meta": {"callId": "c-1"}, "inputResponses": {}, "requestState": "s"}
    assert wanted(said(id=1, method="resources/read", params=params)) == Wanted("resources/read", {"uri": "a:b"}, "c-1")


@pytest.mark.parametrize(
    ("meta", "join"),
    [
        ({"claudecode/toolUseId": "toolu_1", "callId": "x"}, "toolu_1"),
        ({"callId": "c" * 300}, "c" * 256),
        ({"callId": 5}, None),
        ({"progressToken": 1}, None),
        (None, None),
        ("callId", None),
    ],
)
def test_the_host_s_own_id_of_a_call_is_found(meta, join):
    assert wanted(said(id=1, method="tools/call", params={"name": "t", "_meta": meta})).join == join


def test_a_refusal_has_the_shape_of_the_request_s_era():
    old = said(id="a", method="tools/call", params={"name": "t"})
    new = said(id=2, method="tools/call", params={"name": "t", "_meta": META})
    blocks = [{"type": "text", "text": "no"}]
    assert json.loads(traffic.refusal(old, "no")) == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {"content": blocks, "isError": True},
    }
    assert json.loads(traffic.refusal(new, "no"))["result"] == {
        "content": blocks,
        "isError": True,
        "resultType": "complete",
    }
    read_it = said(id=3, method="resources/read", params={"uri": "a:b"})
    assert json.loads(traffic.refusal(read_it, "no"))["error"] == {"code": -32000, "message": "no"}


def test_only_the_protocol_s_own_part_of_the_envelope_is_used_again():
    assert set(traffic.envelope({"_meta": META})) == set(META) - {"x"}
    assert traffic.envelope({}) == traffic.envelope({"_meta": 5}) == {}


def test_nothing_is_both_judged_and_handed_on():
    assert not traffic.JUDGED & traffic.PASSED


def test_a_frame_that_is_too_long_is_answered():
    assert json.loads(traffic.oversized(Oversized(1000)))["error"]["code"] == -32600


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0"]),
        "id": ANY,
        "method": st.sampled_from(["tools/call", "ping", "notifications/x", "x"]) | ANY,
        "params": ANY,
        "result": ANY,
        "Method": st.just("tools/call"),
    },
)


@given(MEMBERS)
def test_whatever_is_taken_for_a_message_is_one_to_a_plain_reader_too(message):
    line = json.dumps(message).encode()
    found = read(line)
    if isinstance(found, Fault):
        return
    assert dict(found.message) == json.loads(line)
    if found.kind is not Kind.REQUEST:
        assert "id" not in message or "method" not in message
        assert found.kind is Kind.RESPONSE or message["method"].startswith("notifications/")
    else:
        assert isinstance(message["id"], str | int)


@given(st.binary() | st.text().map(str.encode))
def test_reading_is_total(line):
    assert isinstance(read(line), Said | Fault)

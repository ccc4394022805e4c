import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.policy import resources, tools, wire
from mcp_assay.policy.protocol import MOST_IN_BATCH, Server
from policy_frames import BAD, META, NAMES, NOTE, PING, SEAT, VERSION, call, modern, request

SCORECARD = "agent-eval://scorecard/latest"


@pytest.fixture
def server():
    return Server(lambda: None)


def reply(server, frame):
    line = server.line(frame)
    assert line is not None
    assert b"\n" not in line
    return json.loads(line, parse_constant=pytest.fail)


def result(server, frame):
    return reply(server, frame)["result"]


def error(server, frame):
    return reply(server, frame)["error"]["code"]


@pytest.mark.parametrize(("what", "frame", "code", "number"), BAD, ids=NAMES)
def test_a_bad_frame_has_its_answer_and_the_next_request_is_served(server, what, frame, code, number):
    found = reply(server, frame)
    assert (found["error"]["code"], found["id"]) == (code, number)
    assert found["jsonrpc"] == "2.0"
    assert result(server, PING) == {}


@pytest.mark.parametrize("number", [0, -3, "", "x", 2**70])
def test_any_string_or_integer_is_an_id_and_comes_back_as_it_was(server, number):
    assert reply(server, request("ping", number=number)) == {"jsonrpc": "2.0", "id": number, "result": {}}


@pytest.mark.parametrize("wanted", ["2025-06-18", "2025-11-25", "2099-01-01"])
def test_initialize_agrees_on_a_version_and_says_what_there_is(server, wanted):
    found = result(server, request("initialize", {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {}}))
    assert found["protocolVersion"] == (wanted if wanted < "2026" else "2025-11-25")
    assert found["capabilities"] == {"tools": {}, "resources": {}}
    assert found["serverInfo"]["name"] == "agent-eval-policy"
    assert found["instructions"]


def test_nothing_needs_a_handshake_first(server):
    assert result(server, call())["structuredContent"]["ok"] is True


def test_every_tool_is_listed_with_its_schemas_its_title_and_that_it_only_reads(server):
    listed = result(server, request("tools/list"))["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in tools.TOOLS]
    for tool in listed:
        assert tool["title"]
        assert tool["description"]
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["annotations"]["readOnlyHint"] is True


def test_a_result_is_there_as_text_and_as_a_structure(server):
    found = result(server, call())
    assert found["isError"] is False
    assert (
        json.loads(found["content"][0]["text"])
        == found["structuredContent"]
        == tools.call_tool("route_agent_seat", SEAT)
    )


def test_a_refusal_of_the_policy_is_a_normal_result(server):
    spent = {**SEAT, "budget": {**SEAT["budget"], "usedCU": 10}}
    found = result(server, call(arguments=spent))
    assert found["isError"] is False
    assert found["structuredContent"]["ok"] is False
    assert found["structuredContent"]["reasons"]


@pytest.mark.parametrize("arguments", [{}, {**SEAT, "cu": 0}, {"role": 1, "budget": []}, [], "x", None, 1e309])
def test_arguments_that_do_not_fit_are_an_error_of_the_tool_that_names_each_problem(server, arguments):
    frame = call(arguments=arguments).replace(b"Infinity", b"1e309")
    found = result(server, frame)
    assert found["isError"] is True
    assert "structuredContent" not in found
    with pytest.raises(tools.InvalidArguments) as bad:
        tools.call_tool("route_agent_seat", arguments)
    assert all(problem in found["content"][0]["text"] for problem in bad.value.problems)


def test_arguments_that_are_left_out_are_none_at_all(server):
    assert result(server, request("tools/call", {"name": "route_agent_seat"}))["isError"] is True


def test_every_resource_is_listed_and_can_be_read(server):
    listed = result(server, request("resources/list"))["resources"]
    assert [resource["uri"] for resource in listed] == [resource.uri for resource in resources.RESOURCES]
    for resource in listed:
        assert resource["name"]
        assert resource["title"]
        for content in result(server, request("resources/read", {"uri": resource["uri"]}))["contents"]:
            assert (content["uri"], content["mimeType"]) == (resource["uri"], resource["mimeType"])
            assert isinstance(content["text"], str)
    assert result(server, request("resources/templates/list")) == {"resourceTemplates": []}


def test_the_scorecard_is_the_one_of_the_moment():
    cards = iter(["one", "two"])
    server = Server(lambda: next(cards))
    frame = request("resources/read", {"uri": SCORECARD})
    assert [result(server, frame)["contents"][0]["text"] for _ in range(2)] == ["one", "two"]


def test_notifications_want_no_answer_and_do_nothing(server):
    for method in ("notifications/initialized", "notifications/cancelled", "nonsense", "tools/call", "ping"):
        assert server.line(json.dumps({"jsonrpc": "2.0", "method": method}).encode()) is None


def test_a_batch_is_answered_as_one_array_in_its_order(server):
    members = [PING, b'{"id":1}', NOTE, call(number=2), b"3", request("nope", number="n")]
    found = reply(server, b"[" + b",".join(members) + b"]")
    assert [one["id"] for one in found] == ["next", 1, 2, None, "n"]
    assert [one.get("error", {}).get("code") for one in found] == [None, -32600, None, -32600, -32601]


@pytest.mark.parametrize("frame", [b"[]", b"[ ]", b"[1" + b",1" * MOST_IN_BATCH + b"]"])
def test_an_empty_batch_and_one_that_is_too_long_get_one_error(server, frame):
    found = reply(server, frame)
    assert (found["error"]["code"], found["id"]) == (-32600, None)


def test_a_batch_of_a_batch_or_of_notifications(server):
    assert [one["error"]["code"] for one in reply(server, b"[[],1]")] == [-32600, -32600]
    assert server.line(b"[" + NOTE + b"," + NOTE + b"]") is None


def test_the_stateless_era_is_discovered_and_says_more_with_each_result(server):
    found = result(server, modern("server/discover"))
    assert found["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18"]
    assert found["capabilities"] == {"tools": {}, "resources": {}}
    for frame in (modern("tools/list"), modern("resources/list"), modern("resources/read", {"uri": SCORECARD})):
        later = result(server, frame)
        assert later["resultType"] == "complete"
        assert {"ttlMs", "cacheScope", "_meta"} <= later.keys()
    called = result(server, modern("tools/call", {"name": "route_agent_seat", "arguments": SEAT}))
    assert called["resultType"] == "complete"
    assert called["structuredContent"] == result(server, call())["structuredContent"]


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "subscriptions/listen", "nope"])
def test_what_the_stateless_era_does_not_have_is_not_found_in_it(server, method):
    assert error(server, modern(method, {"protocolVersion": "2025-11-25"})) == -32601


def test_the_two_eras_name_the_same_fault_differently(server):
    params = {"uri": "agent-eval://no/such"}
    assert error(server, request("resources/read", params)) == -32002
    assert error(server, modern("resources/read", params)) == -32602
    assert error(server, request("server/discover")) == -32602


def test_an_unknown_version_is_told_the_known_ones(server):
    found = reply(server, request("tools/list", {"_meta": {**META, VERSION: "2099-01-01"}}, 5))
    assert (found["id"], found["error"]["code"]) == (5, -32022)
    assert "2026-07-28" in found["error"]["data"]["supported"]


def test_a_fault_of_ours_is_an_internal_error_that_tells_no_secrets():
    def broken():
        raise RuntimeError("/home/someone/secret")

    server = Server(broken)
    found = reply(server, request("resources/read", {"uri": SCORECARD}, 8))
    assert (found["id"], found["error"]["code"]) == (8, -32603)
    assert "secret" not in json.dumps(found)
    assert result(server, PING) == {}


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_arguments_end_the_server(arguments):
    server = Server(lambda: None)
    for tool in tools.TOOLS:
        found = reply(
            server,
            json.dumps(json.loads(call(tool.name)) | {"params": {"name": tool.name, "arguments": arguments}}).encode(),
        )
        assert ("error" in found) != ("result" in found)


def test_what_a_frame_nests_as_deeply_as_can_be_parsed_is_answered(server):
    for depth in (400, 900, 5_000, 50_000):
        for tool in tools.TOOLS:
            frame = call(tool.name, "HOLE", 6).replace(b'"HOLE"', b'{"a":' * depth + b"1" + b"}" * depth)
            found = reply(server, frame)
            assert found.get("error", {}).get("code") in (None, -32700, -32602)
    assert result(server, PING) == {}


POSTED = {"content-type": "application/json"}
ROUTED = {**POSTED, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}


def posted(server, frame, headers=POSTED):
    status, body = server.post(frame, headers)
    return status, json.loads(body) if body else None


@pytest.mark.parametrize(("what", "frame", "code", "number"), BAD, ids=NAMES)
def test_over_http_a_frame_that_is_no_request_has_status_400_and_a_request_that_fails_200(
    server, what, frame, code, number
):
    status, found = posted(server, frame)
    assert (found["error"]["code"], found["id"]) == (code, number)
    assert status == (400 if code in (-32700, -32600) or b'"params": [' in frame or b'"params": "' in frame else 200)


def test_over_http_there_are_no_batches(server):
    for frame in (b"[" + PING + b"]", b"[]", b"[" + NOTE + b"]"):
        status, found = posted(server, frame)
        assert (status, found["error"]["code"]) == (400, -32600)
        assert "batch" in found["error"]["message"]


def test_over_http_a_notification_is_accepted_unless_its_version_is_unknown(server):
    assert server.post(NOTE, POSTED) == (202, b"")
    assert server.post(NOTE, ROUTED) == (202, b"")
    status, found = posted(server, NOTE, {**POSTED, "mcp-protocol-version": "1999-01-01"})
    assert (status, found["error"]["code"], found["id"]) == (400, -32022, None)


@pytest.mark.parametrize(
    ("frame", "version", "status"),
    [
        (request("tools/list"), "1999-01-01", 400),
        (request("tools/list"), None, 200),
        (request("tools/list"), "2025-06-18", 200),
        (request("initialize", {"protocolVersion": "2099-01-01"}), None, 200),
        # The header is judged by itself: what the body would negotiate does not mend it.
        (request("initialize", {"protocolVersion": "2025-06-18"}), "2099-01-01", 400),
    ],
)
def test_over_http_the_version_in_the_header_must_be_a_known_one_if_there_is_one(server, frame, version, status):
    headers = POSTED if version is None else {**POSTED, "mcp-protocol-version": version}
    assert posted(server, frame, headers)[0] == status


@pytest.mark.parametrize(
    ("frame", "headers", "status", "code"),
    [
        (modern("tools/list"), ROUTED, 200, None),
        (modern("tools/list"), {**ROUTED, "mcp-method": "tools/call"}, 400, -32020),
        (modern("tools/list"), POSTED, 400, -32020),
        (request("tools/list"), ROUTED, 400, -32602),
        (
            request("tools/list", {"_meta": {**META, VERSION: "v9"}}),
            {**ROUTED, "mcp-protocol-version": "v9"},
            400,
            -32022,
        ),
        (modern("nope"), {**ROUTED, "mcp-method": "nope"}, 404, -32601),
        (modern("ping"), {**ROUTED, "mcp-method": "ping"}, 404, -32601),
        (modern("tools/call", {"name": "rm"}), {**ROUTED, "mcp-method": "tools/call", "mcp-name": "rm"}, 400, -32602),
    ],
)
def test_over_http_the_stateless_era_has_statuses_of_its_own(server, frame, headers, status, code):
    found = posted(server, frame, headers)
    assert found[0] == status
    assert found[1].get("error", {}).get("code") == code


def test_no_answer_is_larger_than_it_should_be_for_a_frame_that_was_not_read(server):
    found = json.loads(server.oversized())
    assert (found["error"]["code"], found["id"]) == (-32600, None)
    assert str(wire.MOST_BYTES) in found["error"]["message"]

"""Streamable HTTP as a gateway speaks it: what is sent in each era, and what becomes of every kind of answer."""

import json
import time
from typing import Any

import pytest

from far_stage import HELLO, INITIALIZED, STATELESS, Far, call, request
from mcp_assay.frames import MAX_FRAME
from web import Out, Seen, Web, as_json, event, events, mcp, reply, result

ODD = b'{ "id":1 ,"result":{"x-odd":1.50,"e":"\\u00e9","\xc3\xa9":[1E2]}, "jsonrpc":"2.0"}'
FINE: dict[str, Any] = {"content": []}


def answering(answer, **more):
    """A server whose only tool answers so."""
    return Web(mcp({"t": answer}, **more))


def seen(web, method):
    (found,) = web.asked(method)
    return found.headers


# --- a session --------------------------------------------------------------------------------------------------------


def test_a_session_s_id_and_version_go_with_all_that_comes_after_initialize():
    with answering(lambda seen: result(seen, FINE), session="abc") as web:
        with Far(web.url) as far:
            far.hello()
            assert far.ask(call(1, "t"))["result"] == FINE
            far.until(lambda: len(web.asked("GET")) == 1)
        first, *rest = web.seen
        assert "mcp-session-id" not in first.headers
        assert "mcp-protocol-version" not in first.headers
        assert [each.asks for each in rest if each.method == "POST"] == ["notifications/initialized", "tools/call"]
        assert rest[-1].method == "DELETE"
        for each in rest:
            assert each.headers["mcp-session-id"] == "abc"
            assert each.headers["mcp-protocol-version"] == "2025-11-25"
            assert "mcp-method" not in each.headers
        posted = [each.headers for each in web.seen if each.method == "POST"]
        assert {each["accept"] for each in posted} == {"application/json, text/event-stream"}
        assert {each["content-type"] for each in posted} == {"application/json"}


def test_without_a_session_s_id_nothing_is_deleted():
    with answering(None) as web:
        with Far(web.url) as far:
            far.hello()
            far.ask(request(1, "tools/list"))
        assert web.asked("DELETE") == []


def test_a_lost_session_is_told_so_and_ends_what_waits():
    def answer(seen):
        return as_json({"jsonrpc": "2.0", "id": seen.message["id"], "error": {"code": -32001}}, 404)

    with answering(answer, session="abc") as web, Far(web.url) as far:
        far.hello()
        far.send(call(1, "t"))
        assert far.lost() == "the server ended the session (HTTP 404)"


def test_a_session_s_id_that_mcp_does_not_allow_is_not_taken():
    with answering(None, session="a b") as web, Far(web.url) as far:
        assert far.fails(HELLO) == ("error", "the server gave a session id that MCP does not allow")


def test_a_second_initialize_begins_anew():
    with answering(lambda seen: result(seen, FINE), session="abc") as web, Far(web.url) as far:
        far.hello()
        far.ask({**HELLO, "id": "again"})
        assert "mcp-session-id" not in web.asked("initialize")[1].headers


# --- without a session ------------------------------------------------------------------------------------------------


def test_a_stateless_request_says_in_headers_what_it_says_itself_and_nothing_of_a_session():
    tool = {"name": "t\u00e9", "inputSchema": {"properties": {"r": {"type": "string", "x-mcp-header": "R"}}}}

    def answer(seen):
        return result(seen, {"tools": [tool]} if seen.asks == "tools/list" else FINE)

    with Web(answer) as web, Far(web.url) as far:
        far.ask(request(1, "tools/list", _meta=STATELESS))
        far.ask(call(2, "t\u00e9", stateless=True, r="eu"))
        headers = seen(web, "tools/call")
        assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", "tools/call")
        assert (headers["mcp-name"], headers["mcp-param-r"]) == ("=?base64?dMOp?=", "eu")
        assert "mcp-session-id" not in headers
    assert [each.method for each in web.seen] == ["POST", "POST"]


def test_to_cancel_a_stateless_request_is_to_close_its_stream_and_nothing_is_said():
    closed = []

    def answer(seen):
        def chunks():
            try:
                while True:
                    yield b": on and on\n"
                    time.sleep(0.01)
            finally:
                closed.append(seen.asks)

        return events(chunks())

    with Web(answer) as web, Far(web.url) as far:
        far.send(call(1, "t", stateless=True))
        far.until(lambda: web.seen != [])
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        far.until(lambda: closed == ["tools/call"])
        assert len(web.seen) == 1
        far.rest()
        assert far.got == []


def test_to_cancel_a_session_s_request_is_to_say_so():
    def hang(_: Seen) -> Out:
        return web.hang()

    web: Web
    with answering(hang, session="abc") as web, Far(web.url) as far:
        far.hello()
        far.send(call(1, "t"))
        far.until(lambda: web.asked("tools/call") != [])
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        far.until(lambda: web.asked("notifications/cancelled") != [])
        assert far.ask(request(2, "tools/list"))["id"] == 2
        assert far.got == []


# --- bytes ------------------------------------------------------------------------------------------------------------


def test_what_is_sent_and_what_comes_back_are_the_same_bytes():
    sent = b'{ "params":{"name":"t","arguments":{"n":1.50,"e":"\\u00e9","\xc3\xa9":1E2}},"method":"tools/call",'
    sent += b'"id":1 ,"jsonrpc":"2.0"}'
    with Web(lambda _: as_json(ODD)) as web, Far(web.url) as far:
        far.send(sent + b"\r\n")
        assert far.receive() == ODD + b"\n"
        assert web.seen[0].body == sent


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + ODD + b"\n\n"],
        [b"event: message\r\nid: 1\r\ndata:" + ODD[:20], ODD[20:] + b"\r\n\r\n: more"],
    ],
)
def test_an_event_s_data_is_the_frame(chunks):
    with Web(lambda _: events(chunks)) as web, Far(web.url) as far:
        far.send(call(1, "t"))
        assert far.receive() == ODD + b"\n"


def test_data_over_several_lines_is_one_line_to_the_agent():
    data = b'data: {"jsonrpc":"2.0",\ndata:  "id":1,\ndata: "result":{}}\n\n'
    with Web(lambda _: events([data])) as web, Far(web.url) as far:
        far.send(call(1, "t"))
        assert far.receive() == b'{"jsonrpc":"2.0",  "id":1, "result":{}}\n'


def test_what_comes_before_a_reply_comes_first():
    def answer(seen):
        progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
        asked = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {}}
        return events([event(progress), event(asked), event(reply(seen, result=FINE)), event(progress)])

    with Web(answer) as web, Far(web.url) as far:
        far.send(call(1, "t"))
        found = [json.loads(far.receive()) for _ in range(3)]
        assert [each.get("method") for each in found] == ["notifications/progress", "elicitation/create", None]


# --- answers that are none --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("out", "outcome", "why"),
    [
        (Out(401), "error", "OAuth sign-in is not done here"),
        (Out(403), "error", "does not accept the authorization that was sent (HTTP 403)"),
        (Out(404), "error", "has no endpoint of this type at its address (HTTP 404)"),
        (Out(500, b"secret page"), "error", "the server failed the request (HTTP 500)"),
        (as_json({"error": {"code": -32020}, "id": None, "jsonrpc": "2.0"}, 400), "error", "JSON-RPC error -32020"),
        (Out(202), "error", "said that no reply will come"),
        (Out(204), "error", "answered with nothing"),
        (Out(200, b"<html>", {"content-type": "text/html"}), "error", "web page"),
        (Out(200, b"x", {"content-type": "text/plain"}), "error", "type of content"),
        (Out(302, b"", {"location": "http://example.com/"}), "error", "redirects elsewhere (HTTP 302)"),
        (Out(307, b"", {"location": "http://127.0.0.1:1/"}), "error", "redirects elsewhere (HTTP 307)"),
        (Out(307, b"", {"location": "/mcp"}), "error", "redirects elsewhere (HTTP 307)"),
        (as_json(b"x" * (MAX_FRAME + 2)), "error", "larger than 16 MiB"),
        (events([b"data: ", b"x" * (MAX_FRAME + 2)]), "error", "larger than 16 MiB"),
        (as_json(b"no json"), "error", "no JSON-RPC reply"),
        (as_json({"jsonrpc": "2.0", "id": 2, "result": {}}), "error", "no JSON-RPC reply"),
        (as_json([{"jsonrpc": "2.0", "id": 1, "result": {}}]), "error", "no JSON-RPC reply"),
        (as_json(b"{}", **{"content-encoding": "gzip"}), "error", "compressed"),
        (events([]), "lost", "ended its event stream without a reply"),
        (events([b": nothing\n\n"]), "lost", "ended its event stream without a reply"),
    ],
)
def test_it_is_told_in_our_words_and_the_next_call_is_a_new_try(out, outcome, why):
    def answer(seen):
        return out if seen.message["id"] == 1 else result(seen, FINE)

    with Web(answer) as web, Far(web.url) as far:
        found = far.fails(call(1, "t"))
        assert (found[0], why in found[1]) == (outcome, True), found
        assert far.ask(call(3, "t"))["result"] == FINE


def test_a_json_rpc_error_with_an_http_error_is_the_reply():
    error = {"code": -32601, "message": "Method not found", "data": [1.5]}
    with Web(lambda seen: as_json(reply(seen, error=error), 404)) as web, Far(web.url) as far:
        assert far.ask(call(1, "t", stateless=True))["error"] == error


def test_a_redirect_on_the_origin_is_followed_with_all_that_was_sent():
    def answer(seen):
        return result(seen, FINE) if seen.path == "/there" else Out(308, b"", {"location": "/there"})

    with Web(answer) as web, Far(web.url) as far:
        assert far.ask(call(1, "t", stateless=True))["result"] == FINE
        assert web.seen[0].headers == web.seen[1].headers


# --- streams that break -----------------------------------------------------------------------------------------------


def test_a_reply_s_stream_that_ends_is_gone_on_with_from_its_last_event():
    def answer(seen):
        if seen.method == "POST":
            return events([b"id: e1\nretry: 10\ndata:\n\n"])
        assert seen.headers["last-event-id"] in ("e1", "e2")
        message = {"jsonrpc": "2.0", "id": 1, "result": FINE}
        return events([b"id: e2\n\n" if seen.headers["last-event-id"] == "e1" else b"", event(message, id="e2")])

    with Web(answer) as web, Far(web.url) as far:
        assert far.ask(call(1, "t"))["result"] == FINE
        far.rest(0.1)
        assert len(web.seen) == 2


def test_a_stateless_reply_s_stream_is_not_gone_on_with():
    with Web(lambda _: events([b"id: e1\ndata:\n\n"])) as web, Far(web.url) as far:
        assert far.fails(call(1, "t", stateless=True))[0] == "lost"
        assert len(web.seen) == 1


def test_what_the_server_says_unasked_comes_and_its_stream_is_opened_again():
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}

    def listen(_):
        last = web.asked("GET")[-1].headers.get("last-event-id")
        return events([event(changed, id="e1", retry="10")] if last is None else [])

    with answering(None, session="abc", listen=listen) as web, Far(web.url) as far:
        far.hello()
        assert json.loads(far.receive()) == changed
        far.until(lambda: len(web.asked("GET")) >= 2)
        assert web.asked("GET")[1].headers["last-event-id"] == "e1"
        assert far.got == []


def test_a_stream_that_is_refused_is_not_asked_for_again():
    with answering(lambda seen: result(seen, FINE)) as web, Far(web.url) as far:
        far.hello()
        far.send(INITIALIZED)
        far.rest(0.3)
        assert len(web.asked("GET")) == 1
        assert far.fates == []

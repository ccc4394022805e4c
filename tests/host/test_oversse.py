"""The older transport as a gateway speaks it: one stream, an endpoint on the same origin, and how it ends."""

import json
from typing import Any

import pytest

from far_stage import Far, call, request
from mcp_assay.frames import MAX_FRAME
from web import Out, OverSse, Seen, Web, event, events, result

FINE: dict[str, Any] = {"content": []}


def test_replies_and_notifications_come_over_the_stream_byte_for_byte():
    odd = '{ "id":1 ,"result":{"n":1.50,"e":"\\u00e9"}, "jsonrpc":"2.0"}'

    def answer(_: Seen) -> Out:
        server.say(event(odd, event="message"))
        return Out(202)

    server = OverSse({"t": answer})
    with Web(server) as web, Far(web.url, "sse") as far:
        assert far.hello()["result"]["protocolVersion"] == "2025-11-25"
        far.send(call(1, "t"))
        assert far.receive() == odd.encode() + b"\n"
        server.say(event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
        assert json.loads(far.receive())["method"] == "notifications/tools/list_changed"
        assert [each.path for each in web.seen if each.method == "POST"] == ["/messages?session=1"] * 3
        server.end()
        assert far.lost() == "the server ended its event stream"


def test_what_is_to_be_cancelled_is_told():
    server = OverSse({"t": lambda _: Out(202)})
    with Web(server) as web, Far(web.url, "sse") as far:
        far.hello()
        far.send(call(1, "t"))
        far.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        far.until(lambda: web.asked("notifications/cancelled") != [])
        server.end()


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://example.com/messages",
        "//example.com/",
        "https://127.0.0.1/",
        "http://127.0.0.1:1/",
        "http://[",
        "\u00e9",
    ],
)
def test_messages_go_to_the_origin_of_the_stream_or_nowhere(endpoint):
    with Web(lambda _: events([event(endpoint, event="endpoint")])) as web, Far(web.url, "sse") as far:
        far.send(request(1, "tools/list"))
        why = far.lost()
        assert "another origin" in why or "did not say where messages go" in why
        assert [each.method for each in web.seen] == ["GET"]


@pytest.mark.parametrize(
    ("out", "why"),
    [
        (Out(401), "OAuth sign-in is not done here"),
        (Out(404), "has no endpoint of this type"),
        (Out(302, b"", {"location": "http://example.com/"}), "redirects elsewhere"),
        (Out(200, b"{}", {"content-type": "application/json"}), "type of content"),
        (events([event("/here", event="endpoint"), b"data: ", b"x" * (MAX_FRAME + 2)]), "larger than 16 MiB"),
    ],
)
def test_a_stream_that_cannot_be_is_the_end(out, why):
    with Web(lambda seen: out if seen.method == "GET" else Out(202)) as web, Far(web.url, "sse") as far:
        far.send(request(1, "tools/list"))
        assert why in far.lost()


def test_a_server_that_never_says_where_messages_go_is_given_up():
    def silent():
        yield b": hi\n\n"
        web.hang()

    with Web(lambda _: events(silent())) as web, Far(web.url, "sse", start_timeout=0.3) as far:
        far.send(request(1, "tools/list"))
        assert far.lost() == "the server did not say where messages go within 0.3 s"
        far.receive()
        assert far.fails(request(2, "tools/list")) == ("lost", "the server did not say where messages go")


def test_a_message_that_is_refused_is_its_own_end_alone():
    server = OverSse({"bad": lambda _: Out(500), "t": lambda seen: result(seen, FINE)})
    with Web(server) as web, Far(web.url, "sse") as far:
        far.hello()
        assert far.fails(call(1, "bad")) == ("error", "the server failed the request (HTTP 500)")
        assert far.ask(call(2, "t"))["result"] == FINE
        server.end()

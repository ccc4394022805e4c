"""What a server may do to an HTTP exchange, each over a real connection, and what is then said of it."""

import asyncio
import socket
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest

from mcp_assay.core.model import Transport
from mcp_assay.errors import ConnectionLost, ProtocolError, RpcError, ServerError
from mcp_assay.upstream import Upstream
from web import Out, OverSse, Seen, Web, as_json, event, events, mcp, reply, result
from web_session import PATIENCE, SECRET, call, refused, soon, using

THEIRS = "text-of-theirs"
AUTH = {"authorization": "Bearer ${TOKEN}"}


def at_initialize(out: Out, transport: Transport = Transport.HTTP, **fields: Any) -> str:
    """What is said of a server that answers the first request so."""
    with Web(lambda _: out) as web:
        text = refused(web.config(transport, **fields), limit=1 << 20)
    assert THEIRS not in text
    return text


def in_call(
    out: Out, transport: Transport = Transport.HTTP, kind: type[ServerError] = ProtocolError, **seen: Any
) -> str:
    """What is said of a server that answers a call so; the calls after it are as good as ever."""
    calls = {"bad": lambda _: out, "good": lambda seen: result(seen, {"n": 1})}

    async def use(upstream: Upstream) -> str:
        with pytest.raises(kind) as caught:
            await call(upstream, "bad")
        assert type(caught.value) is kind
        assert (await call(upstream, "good")).result == {"n": 1}
        return str(caught.value)

    with Web(mcp(calls, **seen) if transport is Transport.HTTP else OverSse(calls)) as web:
        text = using(web.config(transport), use, limit=1 << 20)
    assert THEIRS not in text
    return str(text)


REFUSALS = [
    (
        Out(401, headers={"www-authenticate": f'Bearer realm="{THEIRS}"'}),
        "asks for authorization (HTTP 401); OAuth sig",
    ),
    (as_json({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": THEIRS}}, 401), "in headers through ${VAR}"),
    (Out(403, THEIRS.encode()), "asks for authorization (HTTP 403); OAuth sign-in is not done here; give a token in"),
    (
        Out(404),
        "has no endpoint of this type at its address (HTTP 404); check the url, and whether the type is http or",
    ),
    (Out(405), "has no endpoint of this type at its address (HTTP 405)"),
    (Out(500, THEIRS.encode(), {"content-type": "text/html"}), "failed the request (HTTP 500)"),
    (as_json({"detail": THEIRS}, 503), "failed the request (HTTP 503)"),
]
UNFIT = [
    (Out(202), "took the request and said that no reply will come (HTTP 202)"),
    (Out(204), "answered with nothing (HTTP 204)"),
    (Out(200, b"<html>", {"content-type": "text/html; charset=utf-8"}), "answered with a web page: there is no MCP"),
    (Out(200, b"hi"), "answered with a type of content that MCP does not have there"),
    (as_json(THEIRS.encode()), "answered with something that is no JSON-RPC reply to the request"),
    (as_json({"jsonrpc": "2.0", "id": 99, "result": {}}), "answered with something that is no JSON-RPC reply to the"),
    (as_json([{"jsonrpc": "2.0", "id": 1, "result": {}}]), "answered with something that is no JSON-RPC reply to the"),
    (as_json({"jsonrpc": "2.0", "id": 1, "result": {"n": float("nan")}}), "is no JSON-RPC reply to the request"),
    (as_json(b"[" * 100_000), "answered with something that is no JSON-RPC reply to the request"),
    (as_json(b"x" * (1 << 20) + b"x"), "answered with a reply larger than 1 MiB"),
    (as_json({}, **{"content-encoding": "gzip"}), "answered in a compressed form that was not asked for"),
    (events([event(THEIRS)]), "answered with something that is no JSON-RPC reply"),
    (events([b"data: " + b"x" * (1 << 21)]), "answered with an event that is too large to be read"),
]
REDIRECTS = [
    (
        Out(307, headers={"location": f"http://{THEIRS}.example/"}),
        "redirects elsewhere (HTTP 307), which is not followed",
    ),
    (Out(302, headers={"location": "/other"}), "redirects elsewhere (HTTP 302), which is not followed"),
    (Out(308, headers={"location": "http://[bad"}), "redirects elsewhere (HTTP 308)"),
    (Out(307, headers={"location": "/again"}), "redirects elsewhere (HTTP 307)"),
    (Out(304), "redirects elsewhere (HTTP 304)"),
]


@pytest.mark.parametrize(("out", "words"), REFUSALS + UNFIT + REDIRECTS)
def test_a_server_that_is_none_is_told_in_our_words(out: Out, words: str) -> None:
    text = at_initialize(out)
    assert text.startswith("initialize failed: the server ")
    assert words in text


@pytest.mark.parametrize(
    ("out", "words"), REFUSALS + REDIRECTS[:1] + [(Out(200, b"<html>", {"content-type": "text/html"}), "a web page")]
)
def test_so_is_one_over_sse(out: Out, words: str) -> None:
    assert words in at_initialize(out, Transport.SSE)


def test_a_token_that_is_not_accepted_is_told_from_one_that_was_not_given() -> None:
    text = at_initialize(Out(401), headers=AUTH)
    assert "does not accept the authorization that was sent (HTTP 401); check the token in its headers" in text


@pytest.mark.parametrize(("out", "words"), REFUSALS[:6] + UNFIT + REDIRECTS[:1])
def test_a_call_that_goes_wrong_costs_no_other(out: Out, words: str) -> None:
    assert words in in_call(out)


@pytest.mark.parametrize(("out", "words"), REFUSALS + REDIRECTS[:1])
def test_a_call_that_goes_wrong_over_sse_costs_no_other(out: Out, words: str) -> None:
    assert words in in_call(out, Transport.SSE)


def test_an_endless_body_is_given_up_at_the_limit() -> None:
    endless = Out(headers={"content-type": "application/json"}, chunks=repeat(b"x" * 65_536))
    assert in_call(endless) == "answered with a reply larger than 1 MiB"


def test_a_reply_that_breaks_off_is_a_lost_connection_and_the_next_call_opens_another() -> None:
    cut = Out(headers={"content-type": "application/json", "content-length": "1000"}, chunks=[b'{"jsonrpc"'])
    assert in_call(cut, kind=ConnectionLost) == "the connection to the server broke"


def test_an_event_stream_that_ends_without_the_reply_is_a_lost_connection() -> None:
    nothing = events([event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})])
    assert in_call(nothing, kind=ConnectionLost) == "the server ended its event stream without a reply"


def test_a_session_that_the_server_ended_is_lost_and_no_message_of_its_own_hides_that() -> None:
    gone = as_json({"jsonrpc": "2.0", "id": "x", "error": {"code": -32001, "message": THEIRS}}, 404)
    assert in_call(gone, kind=ConnectionLost, session="abc") == "the server ended the session (HTTP 404)"


@pytest.mark.parametrize("status", [200, 400, 404, 500])
def test_a_json_rpc_error_is_one_whatever_the_http_status(status: int) -> None:
    def bad(seen: Seen) -> Out:
        error = {"code": -32050, "message": "no\nway", "data": {"why": 1}}
        return as_json(reply(seen, error=error), status)

    async def use(upstream: Upstream) -> None:
        with pytest.raises(RpcError, match=r"JSON-RPC error -32050$") as caught:
            await call(upstream, "bad")
        assert (caught.value.code, caught.value.message, caught.value.data) == (-32050, "no\nway", {"why": 1})

    with Web(mcp({"bad": bad})) as web:
        using(web.config(), use)


# Redirects and secrets


@pytest.mark.parametrize("transport", [Transport.HTTP, Transport.SSE])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_what_is_sent_never_follows_a_redirect_to_another_origin(transport: Transport, status: int) -> None:
    with Web(lambda _: Out(200)) as other, Web(lambda _: Out(status, headers={"location": other.url})) as web:
        refused(web.config(transport, headers=AUTH))
        assert web.seen[0].headers["authorization"] == f"Bearer {SECRET}"
        assert other.seen == []


def test_a_redirect_on_the_origin_is_followed_with_what_was_sent() -> None:
    good = mcp({"look": lambda seen: result(seen, {"n": 1})})

    def moved(seen: Seen) -> Out:
        return good(seen) if seen.path == "/mcp/" else Out(307, headers={"location": "/mcp/"})

    async def use(upstream: Upstream) -> Any:
        return (await call(upstream, "look")).result

    with Web(moved) as web:
        assert using(web.config(headers=AUTH), use) == {"n": 1}
        (asked, again) = web.asked("tools/call")
        assert (asked.path, again.path) == ("/mcp", "/mcp/")
        assert again.headers["authorization"] == f"Bearer {SECRET}"


def test_a_proxy_that_was_not_allowed_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Web(lambda _: Out(500)) as proxy, Web(mcp()) as web:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        using(web.config(), lambda upstream: upstream.manifest())
        assert proxy.seen == []


def test_a_proxy_that_was_allowed_carries_it_all() -> None:
    with Web(lambda _: Out(500)) as proxy:
        config = proxy.config(url="http://h.invalid/mcp")
        text = refused(config, {"HTTP_PROXY": f"127.0.0.1:{proxy.port}"}, ["HTTP_PROXY"])
        assert "failed the request (HTTP 500)" in text
        assert proxy.seen[0].headers["host"] == "h.invalid"


# What is not there


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("transport", [Transport.HTTP, Transport.SSE])
def test_an_address_where_nothing_is_refuses_the_connection(transport: Transport) -> None:
    with Web(mcp()) as web:
        config = web.config(transport, url=f"http://127.0.0.1:{free_port()}/{SECRET}")
    assert refused(config) == "the server cannot be reached: the connection is refused"


def test_a_server_without_tls_is_no_https_server() -> None:
    with Web(mcp()) as web:
        text = refused(web.config(url=web.url.replace("http:", "https:")))
    assert text == "the server cannot be reached: its TLS certificate or its TLS is not acceptable"


def test_a_host_that_has_no_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with Web(mcp()) as web:
        config = web.config(url=f"http://{SECRET}.example/")
    assert refused(config) == "the server cannot be reached: its host name cannot be resolved"


# Event streams that do not end, or end again and again


def test_an_event_stream_without_the_reply_is_dropped_once_nobody_waits() -> None:
    sent: list[bytes] = []

    def endless(seen: Seen) -> Out:
        def chunks() -> Iterator[bytes]:
            while not web.over.wait(0.01):
                sent.append(event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
                yield sent[-1]

        return events(chunks())

    async def use(upstream: Upstream) -> None:
        with pytest.raises(ServerError, match=r"no answer to tools/call within 0\.2 s"):
            await call(upstream, "endless", wait=0.2)
        assert (await call(upstream, "good")).result == {}
        before = -1
        async with asyncio.timeout(PATIENCE):
            while len(sent) != before:
                before = len(sent)
                await asyncio.sleep(0.1)

    with Web(mcp({"endless": endless, "good": lambda seen: result(seen, {})})) as web:
        using(web.config(), use)


def test_a_reply_may_come_after_the_stream_was_opened_again() -> None:
    def listen(seen: Seen) -> Out:
        if "last-event-id" not in seen.headers:
            return Out(405)
        asked = web.asked("tools/call")[0]
        return events([event(reply(asked, result={"n": 2}))])

    polled = events([event("", id="e-1", retry="1")])

    async def use(upstream: Upstream) -> Any:
        return (await call(upstream, "polled")).result

    with Web(mcp({"polled": lambda _: polled}, listen=listen)) as web:
        assert using(web.config(), use) == {"n": 2}


def test_a_server_that_ends_each_stream_at_once_is_not_asked_for_ever() -> None:
    again = events([event("", id="e-1", retry="0")])

    async def use(upstream: Upstream) -> None:
        await soon(lambda: len(web.asked("GET")) >= 100)
        assert (await call(upstream, "good")).result == {}
        assert len(web.asked("GET")) == 100

    calls = {"good": lambda seen: result(seen, {})}
    with Web(mcp(calls, session="s", listen=lambda _: again)) as web:
        using(web.config(), use)

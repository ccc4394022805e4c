import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mcp_assay import remote as module
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import ConnectionLost, ProtocolError, RequestTimeout, RpcError
from mcp_assay.upstream import Upstream
from stage import ROOT, Stage, contents, scenario, step
from web import Out, OverSse, Seen, Web, as_json, event, events, mcp, reply, result
from web_session import PATIENCE, SECRET, call, refused, session, soon, using

SDK_SERVER = Path(__file__).parent / "servers" / "sdk_web.py"
BOTH = pytest.mark.parametrize("transport", [Transport.HTTP, Transport.SSE])


def served(transport: Transport, calls: dict[str, Any]) -> Web:
    return Web(mcp(calls) if transport is Transport.HTTP else OverSse(calls))


# The official SDK's own server


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    command = [sys.executable, str(SDK_SERVER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


@pytest.fixture(params=[Transport.HTTP, Transport.SSE])
def sdk(request: pytest.FixtureRequest, port: int) -> ServerConfig:
    path = "mcp" if request.param is Transport.HTTP else "sse"
    headers = {"Authorization": "Bearer ${TOKEN}"}
    return ServerConfig("s", "t", transport=request.param, url=f"http://127.0.0.1:{port}/{path}", headers=headers)


def test_its_tools_are_listed_under_the_version_that_was_agreed_on(sdk: ServerConfig) -> None:
    manifest = using(sdk, lambda upstream: upstream.manifest())
    assert {"read_echo", "read_error"} <= {tool.name for tool in manifest.tools}
    assert (manifest.server, manifest.protocol, manifest.limitation, manifest.notes) == ("s", "2025-11-25", None, ())


def test_a_call_brings_back_the_result_as_it_is_with_its_size(sdk: ServerConfig) -> None:
    answer = using(sdk, lambda upstream: call(upstream, "read_echo", {"text": "caf\u00e9"}))
    assert answer.result["structuredContent"] == {"text": "caf\u00e9"}
    assert answer.size == len(json.dumps(answer.result, ensure_ascii=False, separators=(",", ":")).encode())


def test_headers_reach_the_server_and_over_http_the_version_too(sdk: ServerConfig) -> None:
    seen = using(sdk, lambda upstream: call(upstream, "read_headers")).result["structuredContent"]
    assert seen["authorization"] == f"Bearer {SECRET}"
    assert seen["user-agent"].startswith("mcp-assay/")
    assert seen.get("mcp-protocol-version") == ("2025-11-25" if sdk.transport is Transport.HTTP else None)


def test_its_errors_are_told_apart(sdk: ServerConfig) -> None:
    async def use(upstream: Upstream) -> None:
        assert (await call(upstream, "read_error")).result["isError"] is True
        with pytest.raises(RpcError, match="-32601"):
            await upstream.request("no/such/method", {}, PATIENCE)

    using(sdk, use)


def test_it_is_told_when_nobody_waits_any_more(sdk: ServerConfig) -> None:
    async def use(upstream: Upstream) -> None:
        before = (await call(upstream, "read_cut_off")).result["structuredContent"]["result"]
        with pytest.raises(RequestTimeout, match=r"no answer to tools/call within 0\.2 s"):
            await call(upstream, "read_slowly", wait=0.2)
        async with asyncio.timeout(PATIENCE):
            while (await call(upstream, "read_cut_off")).result["structuredContent"]["result"] == before:
                pass

    using(sdk, use)


def test_what_it_asks_of_us_is_answered_at_once(sdk: ServerConfig) -> None:
    answer = using(sdk, lambda upstream: call(upstream, "ask_client"))
    assert answer.result["structuredContent"]["answer"] == "not supported by this client"


def test_a_change_of_its_tools_is_heard_until_they_are_listed_again(sdk: ServerConfig) -> None:
    async def use(upstream: Upstream) -> None:
        await call(upstream, "add_tool")
        await soon(lambda: upstream.tools_changed)
        assert upstream.tools_changed
        assert (await upstream.manifest()).get("read_news")
        assert not upstream.tools_changed

    using(sdk, use)


def test_calls_may_run_side_by_side(sdk: ServerConfig) -> None:
    async def use(upstream: Upstream) -> list[Any]:
        calls = (call(upstream, "read_echo", {"text": str(number)}) for number in range(20))
        return [answer.result["structuredContent"]["text"] for answer in await asyncio.gather(*calls)]

    assert using(sdk, use) == [str(number) for number in range(20)]


# What is sent and what comes back


@BOTH
def test_a_result_is_not_changed_by_a_byte_of_what_it_says(transport: Transport) -> None:
    odd = {
        "content": [{"type": "hologram", "x": None}],
        "structuredContent": [1],
        "_meta": {},
        "more": 2**70,
        "e": 1e300,
    }
    with served(transport, {"odd": lambda seen: result(seen, odd)}) as web:
        assert using(web.config(transport), lambda upstream: call(upstream, "odd")).result == odd


@pytest.mark.parametrize("arguments", [{}, {"n": 1.5, "big": 2**70, "text": "\u2028\x00", "list": [None, True]}])
def test_what_is_sent_is_what_was_given(arguments: dict[str, Any]) -> None:
    with Web(mcp({"look": lambda seen: result(seen, {})})) as web:
        using(web.config(), lambda upstream: call(upstream, "look", arguments))
        assert web.asked("tools/call")[0].message["params"] == {"name": "look", "arguments": arguments}


def test_the_session_s_id_and_version_go_with_every_request_and_its_end_is_told() -> None:
    with Web(mcp({"look": lambda seen: result(seen, {})}, session="abc")) as web:
        using(web.config(), lambda upstream: call(upstream, "look"))
        first, *others = web.seen
        assert [seen.asks for seen in others if seen.asks != "GET"] == [
            "notifications/initialized",
            "tools/call",
            "DELETE",
        ]
        assert "mcp-session-id" not in first.headers
        sent = [(seen.headers["mcp-session-id"], seen.headers["mcp-protocol-version"]) for seen in others]
        assert set(sent) == {("abc", "2025-11-25")}


def test_a_version_that_the_server_prefers_is_spoken() -> None:
    def old(seen: Seen) -> Out:
        out = good(seen)
        return result(seen, {"protocolVersion": "2025-03-26"}) if seen.asks == "initialize" else out

    good = mcp()
    with Web(old) as web:
        assert using(web.config(), lambda upstream: upstream.manifest()).protocol == "2025-03-26"
        assert web.asked("tools/list")[0].headers["mcp-protocol-version"] == "2025-03-26"


@BOTH
def test_a_version_that_is_not_known_is_refused(transport: Transport) -> None:
    server = mcp()

    def new(seen: Seen) -> Out:
        return result(seen, {"protocolVersion": "2026-07-28"}) if seen.asks == "initialize" else server(seen)

    over_sse = OverSse()
    over_sse._answer = new
    with Web(new if transport is Transport.HTTP else over_sse) as web:
        assert "protocol version, 2026-07-28, is not supported" in refused(web.config(transport))


def test_what_json_cannot_say_is_not_sent() -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(ValueError, match="JSON"):
            await call(upstream, "look", {"n": float("nan")})
        with pytest.raises(ProtocolError, match="lone surrogate"):
            await call(upstream, "look", {"text": "\ud800"})
        with pytest.raises(RequestTimeout, match="not sent"):
            await call(upstream, "look", wait=0)

    with Web(mcp()) as web:
        using(web.config(), use)
        assert web.asked("tools/call") == []


def test_over_sse_a_result_that_is_no_json_is_no_reply() -> None:
    with served(Transport.SSE, {"bad": lambda seen: result(seen, {"n": float("nan")})}) as web:

        async def use(upstream: Upstream) -> None:
            with pytest.raises(ProtocolError, match="no JSON"):
                await call(upstream, "bad")

        using(web.config(Transport.SSE), use)


def test_a_large_result_arrives_whole() -> None:
    size = 10 << 20
    with Web(mcp({"big": lambda seen: result(seen, {"blob": "x" * size})})) as web:
        answer = using(web.config(), lambda upstream: call(upstream, "big"))
        assert len(answer.result["blob"]) == size
        assert size < answer.size < size + 20


def test_an_event_that_the_sdk_does_not_read_over_sse_ends_the_connection_and_is_said_to() -> None:
    async def use(upstream: Upstream) -> None:
        for _ in range(2):
            with pytest.raises(ConnectionLost):
                await call(upstream, "big")

    with served(Transport.SSE, {"big": lambda seen: result(seen, {"blob": "x" * (2 << 20)})}) as web:
        using(web.config(Transport.SSE), use)


def test_what_a_server_asks_on_the_way_to_its_reply_is_answered_there() -> None:
    def ask(seen: Seen) -> Out:
        def chunks() -> Iterator[bytes]:
            for number, method in enumerate(["ping", "sampling/createMessage"]):
                yield event({"jsonrpc": "2.0", "id": f"q{number}", "method": method, "params": {}})
            while len(answers()) < 2 and not web.over.wait(0.01):
                pass
            yield event(reply(seen, result={"n": 1}))

        return events(chunks())

    def answers() -> list[Any]:
        return [seen.message for seen in web.asked("POST")]

    with Web(mcp({"ask": ask})) as web:
        assert using(web.config(), lambda upstream: call(upstream, "ask")).result == {"n": 1}
        found = {answer["id"]: answer.get("result", answer.get("error")) for answer in answers()}
        assert found == {"q0": {}, "q1": {"code": -32601, "message": "not supported by this client"}}


# Waits that end


@BOTH
def test_a_server_that_hangs_at_the_start_is_given_up_in_time(transport: Transport) -> None:
    def hang(_: Seen) -> Out:
        web.hang()
        return Out(200)

    with Web(hang) as web:
        began = time.monotonic()
        assert refused(web.config(transport), start_timeout=0.3) == "the server did not finish initialize within 0.3 s"
        assert time.monotonic() - began < 2
        assert web.asked("notifications/cancelled") == []


def test_a_stream_over_sse_that_ends_before_the_session_is_no_session() -> None:
    with Web(lambda _: events([b": hello\n\n"])) as web:
        text = refused(web.config(Transport.SSE))
    assert text == "initialize failed: the server ended its event stream before the session began"


def test_a_notification_that_is_refused_costs_nothing() -> None:
    server = OverSse({"good": lambda seen: result(seen, {})})

    def answer(seen: Seen) -> Out:
        return Out(500) if seen.asks == "notifications/initialized" else server(seen)

    with Web(answer) as web:
        assert using(web.config(Transport.SSE), lambda upstream: call(upstream, "good")).result == {}


def test_a_stream_over_sse_that_ends_takes_every_call_with_it() -> None:
    def end(_: Seen) -> Out:
        server.end()
        return Out(202)

    async def use(upstream: Upstream) -> None:
        for _ in range(2):
            with pytest.raises(ConnectionLost, match="the connection to the server was closed"):
                await call(upstream, "end")

    server = OverSse({"end": end})
    with Web(server) as web:
        using(web.config(Transport.SSE), use)


@BOTH
def test_a_call_that_hangs_times_out_the_server_is_told_and_the_next_call_is_answered(transport: Transport) -> None:
    def hang(_: Seen) -> Out:
        if transport is Transport.HTTP:
            web.hang()
        return Out(202)

    async def use(upstream: Upstream) -> None:
        with pytest.raises(RequestTimeout):
            await call(upstream, "hang", wait=0.2)
        assert (await call(upstream, "good")).result == {}
        await soon(lambda: bool(web.asked("notifications/cancelled")))

    with served(transport, {"hang": hang, "good": lambda seen: result(seen, {})}) as web:
        using(web.config(transport), use)
        assert web.asked("notifications/cancelled")[0].message["params"] == {"requestId": 2, "reason": "timed out"}


def test_a_cancelled_wait_tells_the_server() -> None:
    def hang(_: Seen) -> Out:
        web.hang()
        return Out(202)

    async def use(upstream: Upstream) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call(upstream, "hang"), 0.2)
        await soon(lambda: bool(web.asked("notifications/cancelled")))

    with Web(mcp({"hang": hang})) as web:
        using(web.config(), use)
        told = web.asked("notifications/cancelled")[0].message["params"]
        assert told == {"requestId": 2, "reason": "no longer wanted"}


def test_a_server_that_does_not_take_its_leave_cannot_hold_the_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GOODBYE", 0.2)
    good = mcp(session="abc")

    def answer(seen: Seen) -> Out:
        if seen.method == "DELETE":
            web.hang()
        return good(seen)

    with Web(answer) as web:
        began = time.monotonic()
        using(web.config(), lambda upstream: upstream.manifest())
        assert time.monotonic() - began < 2
        assert len(web.asked("DELETE")) == 1


def test_closing_ends_what_waits_and_may_be_done_again() -> None:
    def hang(_: Seen) -> Out:
        web.hang()
        return Out(202)

    async def run() -> None:
        async with session(web.config()) as upstream:
            waiting = asyncio.ensure_future(call(upstream, "hang"))
            await soon(lambda: bool(web.asked("tools/call")))
            await upstream.close()
            for lost in (waiting, call(upstream, "hang"), upstream.manifest()):
                with pytest.raises(ConnectionLost):
                    await lost

    with Web(mcp({"hang": hang})) as web:
        asyncio.run(run())


def test_an_event_stream_may_not_send_what_is_sent_to_another_origin() -> None:
    with Web(lambda _: Out(202)) as other:
        away = events([event(other.url, event="endpoint"), *[b": wait\n\n"] * 3])
        with Web(lambda _: away) as web:
            refused(web.config(Transport.SSE, headers={"Authorization": "${TOKEN}"}), start_timeout=0.3)
        assert other.seen == []


# What is never said


CONTACT = """
import asyncio, logging, sys
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import StartError
from mcp_assay.remote import connect

async def main(kind, url):
    config = ServerConfig("s", "t", transport=Transport(kind), url=url, headers={"Authorization": "${TOKEN}"})
    try:
        await connect(config, {"TOKEN": sys.argv[-1]}, start_timeout=0.5)
    except StartError as bad:
        print(bad)

if sys.argv[1] == "loud":
    logging.basicConfig(level=logging.INFO)
for kind, url in zip(sys.argv[2:-1:2], sys.argv[3:-1:2]):
    asyncio.run(main(kind, url))
"""


@pytest.mark.parametrize("logging", ["loud", "quiet"])
def test_nothing_of_the_server_s_or_the_user_s_is_logged(logging: str) -> None:
    outs = [
        Out(401, b"theirs"),
        Out(307, headers={"location": "http://theirs.example/"}),
        as_json(b"{theirs"),
        events([event("{theirs", event="odd"), event("{theirs"), event("http://theirs.example/", event="endpoint")]),
    ]

    def answer(out: Out, _: Seen) -> Out:
        return out

    with ExitStack() as stack:
        webs = [stack.enter_context(Web(partial(answer, out))) for out in outs]
        words = [word for web in webs for kind in ("http", "sse") for word in (kind, f"{web.url}?key={SECRET}")]
        command = [sys.executable, "-c", CONTACT, logging, *words, SECRET]
        environ = {"PYTHONPATH": str(ROOT / "src")}
        ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert ran.stderr == ""
    assert len(ran.stdout.splitlines()) == 2 * len(outs)
    assert not any(word in ran.stdout for word in ("theirs", SECRET, "127.0.0.1"))


@pytest.mark.parametrize("transport", [Transport.STDIO, Transport.OTHER])
def test_only_http_and_sse_are_contacted(transport: Transport) -> None:
    assert refused(ServerConfig("s", "t", transport=transport, url="http://h/")).startswith("a server of type ")


def test_who_has_no_such_server_does_not_import_the_sdk() -> None:
    code = "import sys, mcp_assay.cli.evaluate; print([name for name in ('mcp', 'httpx2') if name in sys.modules])"
    environ = {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# A whole evaluation

TOKEN = "canary-5cf1d0e2"
LOOK = scenario("Look twice.", step("mcp__web__read_item", args={"id": 7}), step("mcp__web__read_item", args={"id": 8}))


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_an_evaluation_over_http_gives_the_token_to_the_server_and_to_nobody_else(
    tmp_path: Path, flags: list[str]
) -> None:
    tool = {"name": "read_item", "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}}}

    def guarded(seen: Seen) -> Out:
        if seen.headers.get("authorization") != f"Bearer {TOKEN}":
            return Out(401, TOKEN.encode())
        return result(seen, {"tools": [tool]}) if seen.asks == "tools/list" else good(seen)

    good = mcp({"read_item": lambda seen: result(seen, {"content": [{"type": "text", "text": f"not found {TOKEN}"}]})})
    stage = Stage(tmp_path)
    with Web(guarded) as web:
        headers = {"Authorization": "Bearer ${MY_TOKEN}"}
        stage.config({"web": {"type": "http", "url": f"{web.url}?k=${{MY_TOKEN}}", "headers": headers}})
        digest = stage.run("discover", "--json").json["attached"][0]["digest"]
        plan = stage.plan(LOOK, dispositions={"web": "read_only"}, connect={"web": digest})
        ran = stage.run("eval", "--name", "one", "--plan", plan, *flags, MY_TOKEN=TOKEN)
    assert (ran.code, [line["assay"]["outcome"] for line in stage.lines()]) == (0, ["ok", "ok"])
    assert [seen.message["params"]["arguments"] for seen in web.asked("tools/call")] == [{"id": 7}, {"id": 8}]
    assert {seen.path for seen in web.seen} == {f"/mcp?k={TOKEN}"}
    assert stage.state()["attached_mcps"][0]["assay"]["protocol"] == "2025-11-25"
    said = {"stdout": ran.out.encode(), "stderr": ran.err.encode(), **contents(tmp_path)}
    assert [where for where, text in said.items() if TOKEN.encode() in text] == []


def test_an_evaluation_says_what_kept_a_server_out(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with Web(lambda _: Out(401)) as web:
        stage.config({"web": {"type": "http", "url": web.url}, "notes": stage.server()})
        plan = stage.plan(dispositions={"web": "read_only", "notes": "read_only"}, connect="all")
        ran = stage.run("eval", "--name", "one", "--plan", plan, "--trust-config")
    assert ran.code == 4
    limitation = stage.state()["attached_mcps"][0]["assay"]["limitation"]
    assert limitation.startswith(
        "initialize failed: the server asks for authorization (HTTP 401); OAuth sign-in is not"
    )
    assert "OAuth sign-in is not done here" in stage.read("report.md")

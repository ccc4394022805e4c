import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mcp_assay import child, handshake
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import ConnectionLost, ProtocolError, RequestTimeout, RpcError, StartError
from mcp_assay.upstream import Upstream, connect

SERVERS = Path(__file__).parent / "servers"
ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GITHUB_TOKEN": "ghp-secret", "AWS_SECRET": "aws-secret"}
PATIENCE = 10.0


def served(name: str, *args: str, **fields: Any) -> ServerConfig:
    return ServerConfig("s", "test", command=sys.executable, args=("-S", str(SERVERS / f"{name}.py"), *args), **fields)


def shell(script: str) -> ServerConfig:
    return ServerConfig("s", "test", command="sh", args=("-c", script))


@asynccontextmanager
async def session(config: ServerConfig, **options: Any) -> AsyncIterator[Upstream]:
    upstream = await connect(config, ENVIRON, **options)
    try:
        yield upstream
    finally:
        await upstream.close()


async def call(
    upstream: Upstream, trick: str, arguments: Mapping[str, Any] | None = None, wait: float = PATIENCE
) -> Any:
    params = {"name": trick, "arguments": arguments or {}}
    return (await upstream.request("tools/call", params, wait)).result.get("structuredContent")


def with_tricks(use: Callable[[Upstream], Awaitable[Any]], **options: Any) -> Any:
    async def run() -> Any:
        async with session(served("tricks"), **options) as upstream:
            return await use(upstream)

    return asyncio.run(run())


def refused(config: ServerConfig, **options: Any) -> str:
    """The message with which starting this server fails."""

    async def run() -> str:
        with pytest.raises(StartError) as caught:
            await connect(config, ENVIRON, **options)
        return str(caught.value)

    return asyncio.run(run())


def alive(pid: int) -> bool:
    """Whether a process runs: one that only waits to be buried by its parent does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return state.strip() != "" and not state.startswith("Z")


def dies(pid: int) -> bool:
    """Whether a process that was killed a moment ago is gone soon."""
    deadline = time.monotonic() + 2
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stubborn servers are not waited for as long as in earnest."""
    monkeypatch.setattr(child, "_GRACE", 0.1)
    monkeypatch.setattr(child, "_TERM_GRACE", 0.2)


# The environment and what is started


def test_the_child_sees_the_safe_base_and_no_secret() -> None:
    seen = with_tricks(lambda upstream: call(upstream, "environment"))
    assert {"PATH": ENVIRON["PATH"], "HOME": "/nowhere"}.items() <= seen.items()
    assert not {"GITHUB_TOKEN", "AWS_SECRET"} & seen.keys()


def test_the_child_sees_what_was_allowed_and_what_its_entry_sets() -> None:
    async def run() -> Any:
        config = served("tricks", env={"KEY": "${AWS_SECRET}", "MODE": "${MODE:-dry}"})
        async with session(config, allowed=["GITHUB_TOKEN"]) as upstream:
            return await call(upstream, "environment")

    seen = asyncio.run(run())
    assert {"GITHUB_TOKEN": "ghp-secret", "KEY": "aws-secret", "MODE": "dry"}.items() <= seen.items()
    assert "AWS_SECRET" not in seen


def test_the_entry_s_folder_is_relative_to_the_project_and_unset_references_are_named(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()

    async def run() -> tuple[Any, tuple[str, ...]]:
        async with session(served("tricks", "${NO_SUCH}", cwd="sub"), cwd=str(tmp_path)) as upstream:
            return await call(upstream, "folder"), (await upstream.manifest()).notes

    seen, notes = asyncio.run(run())
    assert seen == {"cwd": str(tmp_path / "sub"), "argv": ["${NO_SUCH}"]}
    assert notes == ("NO_SUCH is not set; the reference to it was passed on as it stands",)


# Starts that fail


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ServerConfig("s", "t", command="no-such-command"), "no such command: 'no-such-command'; install it"),
        (ServerConfig("s", "t", command="${AWS_SECRET}"), "no such command: '${AWS_SECRET}'"),
        (ServerConfig("s", "t", command=str(SERVERS)), "Permission denied"),
        (ServerConfig("s", "t", command="sh", args=("\0",)), "cannot start 'sh': an argument"),
        (ServerConfig("s", "t", command="sh", cwd="/no/such/folder"), "cannot enter its working directory"),
        (ServerConfig("s", "t", transport=Transport.SSE, url="http://h/"), "type sse"),
        (ServerConfig("s", "t"), "without a command"),
    ],
)
def test_what_cannot_be_started_is_said_with_the_command_and_without_values(config: ServerConfig, message: str) -> None:
    text = refused(config)
    assert message in text
    assert "aws-secret" not in text


def test_an_exit_before_initialize_is_reported_at_once_with_the_names_that_were_wanted() -> None:
    began = time.monotonic()
    text = refused(served("dying", "GITHUB_TOKEN or ACME_API_KEY missing, got hunter2 at /private/place"))
    assert time.monotonic() - began < PATIENCE
    assert "exited with status 4 before initialize finished" in text
    assert "GITHUB_TOKEN, ACME_API_KEY" in text
    assert not any(word in text for word in ("ghp-secret", "hunter2", "/private", "missing"))


def test_an_exit_is_noticed_although_a_grandchild_keeps_the_pipes_open(tmp_path: Path) -> None:
    began = time.monotonic()
    text = refused(shell(f"sleep 600 & echo $! > {tmp_path}/pid; kill -9 $$"))
    assert time.monotonic() - began < PATIENCE
    assert "was ended by signal 9" in text
    assert dies(int((tmp_path / "pid").read_text()))


@pytest.mark.usefixtures("hasty")
def test_a_hang_at_initialize_ends_in_time_and_with_the_whole_process_group(tmp_path: Path) -> None:
    began = time.monotonic()
    text = refused(shell(f"sleep 600 & echo $! > {tmp_path}/pid; cat >/dev/null"), start_timeout=0.5)
    assert time.monotonic() - began < 4
    assert text == "the server did not finish initialize within 0.5 s"
    assert not alive(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            {"error": {"code": -32601, "message": "m"}},
            "only the stateless protocol of 2026-07-28; that protocol is not",
        ),
        (
            {"error": {"code": -32022, "message": "m"}},
            "only the stateless protocol of 2026-07-28; that protocol is not",
        ),
        ({"error": {"code": -32000, "message": "\x1b[2J"}}, "rejected initialize (JSON-RPC error -32000)"),
        ({"error": "boom"}, "initialize failed: the server answered with an error that has no code"),
        ({"result": {"protocolVersion": "2026-07-28"}}, "protocol version, 2026-07-28, is not supported"),
        ({"result": {"protocolVersion": "\x1b[2J"}}, "protocol version, one that is no date, is not supported"),
        ({"result": {"protocolVersion": ["2025-11-25"]}}, "one that is no date"),
        ({"result": {}}, "one that is no date"),
        ({"result": []}, "initialize failed: the server answered with a result that is no object"),
    ],
)
def test_an_initialize_that_goes_wrong(reply: dict[str, Any], message: str) -> None:
    text = refused(served("greeter", "", json.dumps(reply)))
    assert message in text
    assert "\x1b" not in text


@pytest.mark.usefixtures("hasty")
def test_a_stream_without_line_ends_is_given_up_at_the_limit() -> None:
    text = refused(served("flood", "x"), limit=1 << 20)
    assert text == "initialize failed: the server answered with a reply larger than 1 MiB"


@pytest.mark.usefixtures("hasty")
def test_endless_noise_before_initialize_is_given_up() -> None:
    assert "wrote more than 10,000 lines that are no JSON-RPC before initialize" in refused(served("flood", "x\\n"))


@pytest.mark.parametrize("script", ["exit 1", "exec cat >/dev/null"])
@pytest.mark.usefixtures("hasty")
def test_a_start_that_fails_names_the_references_that_were_not_set(script: str) -> None:
    config = ServerConfig("s", "t", command="sh", args=("-c", script, "${NONE_A}", "${NONE_B}"))
    assert "not set, though its entry refers to it: NONE_A, NONE_B" in refused(config, start_timeout=0.5)


# Noise


@pytest.mark.parametrize("version", handshake.PROTOCOLS)
def test_banners_before_and_between_frames_are_skipped_and_noted_once(version: str) -> None:
    banner = "┌──┐\n[12:00] INFO starting\n\n[1,2]\n".encode() + b"\xff\xfe\n"
    reply = {"result": {"protocolVersion": version, "capabilities": {}}}

    async def run() -> tuple[str | None, tuple[str, ...]]:
        async with session(served("greeter", banner.hex(), json.dumps(reply))) as upstream:
            await upstream.request("ping", {}, PATIENCE)
            manifest = await upstream.manifest()
            return manifest.protocol, manifest.notes

    assert asyncio.run(run()) == (version, ("wrote 20 lines that are no JSON-RPC to stdout",))


def test_nothing_but_the_reply_is_taken_for_the_reply() -> None:
    async def use(upstream: Upstream) -> None:
        assert await call(upstream, "mislead") == {"right": True}
        assert await call(upstream, "echo", {"x": 1}) == {"x": 1}

    with_tricks(use)


# Requests


def test_what_the_server_asks_is_answered_at_once_and_its_ids_are_not_ours() -> None:
    async def use(upstream: Upstream) -> Any:
        assert await call(upstream, "ask") == {"mine": True}
        return await call(upstream, "heard")

    heard = with_tricks(use)
    assert heard[0] == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert [(reply["id"], reply.get("result"), reply.get("error", {}).get("code")) for reply in heard[1:]] == [
        (2, None, -32601),
        ("p", {}, None),
        (7, None, -32601),
        (None, None, -32600),
    ]


@pytest.mark.parametrize("size", [200 * 1024, 10 * 1024 * 1024])
def test_a_large_reply_arrives_whole(size: int) -> None:
    async def use(upstream: Upstream) -> None:
        answer = await upstream.request("tools/call", {"name": "big", "arguments": {"bytes": size}}, PATIENCE)
        assert len(answer.result["blob"]) == size
        assert size < answer.size < size + 200

    with_tricks(use)


def test_a_reply_over_the_limit_fails_its_call_and_no_other() -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(ProtocolError, match="reply larger than 1 MiB"):
            await call(upstream, "big", {"bytes": 2 << 20})
        assert await call(upstream, "echo", {"x": 1}) == {"x": 1}
        assert (await upstream.manifest()).notes == ("wrote 1 line that is larger than 1 MiB, unread, to stdout",)

    with_tricks(use, limit=1 << 20)


def test_of_several_waiting_calls_none_is_blamed_for_a_reply_over_the_limit() -> None:
    async def use(upstream: Upstream) -> list[Any]:
        big, hang = call(upstream, "big", {"bytes": 2 << 20}, 0.5), call(upstream, "hang", wait=0.5)
        return list(await asyncio.gather(hang, big, return_exceptions=True))

    assert [type(outcome) for outcome in with_tricks(use, limit=1 << 20)] == [RequestTimeout, RequestTimeout]


@pytest.mark.parametrize("body", ["NaN", "[" * 200_000])
def test_a_reply_that_cannot_be_parsed_fails_its_call_at_once_and_no_other(body: str) -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(ProtocolError, match="answered with a reply that cannot be parsed as JSON"):
            await call(upstream, "garble", {"body": body}, wait=60)
        assert await call(upstream, "echo", {"x": 1}) == {"x": 1}
        assert upstream.notes == ()

    with_tricks(use)


def test_an_rpc_error_keeps_its_code_message_and_data() -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(RpcError, match=r"JSON-RPC error -32050$") as caught:
            await call(upstream, "fail")
        assert (caught.value.code, caught.value.message, caught.value.data) == (-32050, "no\nway", {"why": 1})

    with_tricks(use)


@pytest.mark.parametrize("trick", ["scalar", "misfail"])
def test_a_reply_of_the_wrong_shape_is_no_reply(trick: str) -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(ProtocolError):
            await call(upstream, trick)
        assert await call(upstream, "echo", {"x": 1}) == {"x": 1}

    with_tricks(use)


def test_a_timeout_tells_the_server_and_drops_the_late_reply() -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(RequestTimeout, match=r"no answer to tools/call within 0\.1 s"):
            await call(upstream, "hang", wait=0.1)
        heard = await call(upstream, "heard")
        assert heard[1:] == [
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 2, "reason": "timed out"},
            }
        ]
        assert await call(upstream, "echo", {"x": 1}) == {"x": 1}

    with_tricks(use)


def test_a_cancelled_wait_tells_the_server() -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call(upstream, "hang"), 0.1)
        heard = await call(upstream, "heard")
        assert heard[1]["params"] == {"requestId": 2, "reason": "no longer wanted"}

    with_tricks(use)


def test_without_time_nothing_is_sent() -> None:
    async def use(upstream: Upstream) -> None:
        with pytest.raises(RequestTimeout, match="not sent"):
            await call(upstream, "echo", wait=0)
        assert len(await call(upstream, "heard")) == 1

    with_tricks(use)


def test_calls_may_run_side_by_side() -> None:
    async def use(upstream: Upstream) -> list[Any]:
        return await asyncio.gather(*(call(upstream, "echo", {"n": number}) for number in range(50)))

    assert with_tricks(use) == [{"n": number} for number in range(50)]


def test_a_death_in_mid_call_fails_every_waiting_call_at_once_and_later_ones_too() -> None:
    async def use(upstream: Upstream) -> None:
        began = time.monotonic()
        calls = [call(upstream, trick, wait=60) for trick in ("hang", "die", "echo")]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert [str(outcome) for outcome in outcomes] == ["the server exited with status 3"] * 3
        assert time.monotonic() - began < PATIENCE
        for later in (call(upstream, "echo"), upstream.manifest()):
            with pytest.raises(ConnectionLost):
                await later

    with_tricks(use)


def test_a_server_that_does_not_read_cannot_make_a_call_or_the_close_hang() -> None:
    async def run() -> float:
        upstream = await connect(served("deaf"), ENVIRON)
        with pytest.raises(RequestTimeout):
            await call(upstream, "echo", {"blob": "x" * (1 << 20)}, wait=0.2)
        began = time.monotonic()
        await upstream.close()
        return time.monotonic() - began

    assert asyncio.run(run()) < 3


# The tool list


def listed(*pages: dict[str, Any]) -> tuple[list[str], str | None, list[str | None]]:
    """The tools found, the limitation, and the cursors that the server was asked for."""

    async def run() -> tuple[list[str], str | None, list[str | None]]:
        async with session(served("paged", json.dumps(pages))) as upstream:
            manifest = await upstream.manifest()
            asked = (await upstream.request("tools/call", {}, PATIENCE)).result["asked"]
            assert (manifest.server, manifest.protocol) == ("s", "2025-06-18")
            return [tool.name for tool in manifest.tools], manifest.limitation, asked

    return asyncio.run(run())


A, B = {"tools": [{"name": "a"}]}, {"tools": [{"name": "b"}]}


@pytest.mark.parametrize(
    ("pages", "found", "asked"),
    [
        ([A, B], ["a"], [None]),
        ([{**A, "nextCursor": "x"}, {**B, "nextCursor": None}], ["a", "b"], [None, "x"]),
        ([{**A, "nextCursor": ""}, B], ["a", "b"], [None, ""]),
        ([{**A, "nextCursor": ""}], ["a"], [None, ""]),
        ([{**A, "nextCursor": "x"}], ["a"], [None, "x"]),
    ],
)
def test_the_pages_are_followed_to_their_end(pages: list[dict[str, Any]], found: list[str], asked: list[Any]) -> None:
    assert listed(*pages) == (found, None, asked)


@pytest.mark.parametrize(
    ("pages", "found", "limitation"),
    [
        ([{"code": -32601, "message": "m"}], [], "it has no tools: it does not know the method tools/list"),
        ([{"code": -32603, "message": "m"}], [], "its tools could not all be listed: JSON-RPC error -32603"),
        (
            [{**A, "nextCursor": "x"}, {"code": -32603, "message": "m"}],
            ["a"],
            "its tools could not all be listed: JSON-RPC error -32603",
        ),
    ],
)
def test_a_list_that_fails_is_a_limitation_in_our_words(
    pages: list[dict[str, Any]], found: list[str], limitation: str
) -> None:
    assert listed(*pages)[:2] == (found, limitation)


@pytest.mark.usefixtures("hasty")
def test_a_list_that_does_not_come_is_a_limitation() -> None:
    async def run() -> str | None:
        async with session(served("deaf"), start_timeout=0.5) as upstream:
            return (await upstream.manifest()).limitation

    limitation = asyncio.run(run())
    assert limitation == "its tools could not all be listed within 2 s"


def test_changed_tools_are_noticed_until_the_list_is_asked_for_again() -> None:
    async def use(upstream: Upstream) -> list[bool]:
        seen = [upstream.tools_changed]
        await call(upstream, "change")
        seen.append(upstream.tools_changed)
        await upstream.manifest()
        return [*seen, upstream.tools_changed]

    assert with_tricks(use) == [False, True, False]


# The end


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("script", ["sleep 600", "(trap '' TERM; sleep 600)", "sleep 600 </dev/null >/dev/null 2>&1"])
def test_grandchildren_are_ended_with_the_server(script: str, tmp_path: Path) -> None:
    server = f"'{sys.executable}' -S '{SERVERS / 'tricks.py'}'"

    async def run() -> None:
        upstream = await connect(shell(f"{script} & echo $! > {tmp_path}/pid; {server}"), ENVIRON)
        assert alive(int((tmp_path / "pid").read_text()))
        await upstream.close()

    asyncio.run(run())
    assert not alive(int((tmp_path / "pid").read_text()))


def test_a_session_may_be_closed_twice_and_stays_closed() -> None:
    async def use(upstream: Upstream) -> None:
        await upstream.close()
        await upstream.close()
        with pytest.raises(ConnectionLost, match="the session was closed"):
            await call(upstream, "echo")

    with_tricks(use)


def test_a_server_that_ends_by_itself_is_not_waited_for() -> None:
    async def use(upstream: Upstream) -> float:
        began = time.monotonic()
        await upstream.close()
        return time.monotonic() - began

    assert with_tricks(use) < 0.4


def test_closing_fails_the_calls_that_wait() -> None:
    async def use(upstream: Upstream) -> None:
        waiting = asyncio.create_task(call(upstream, "hang"))
        await asyncio.sleep(0)
        await upstream.close()
        with pytest.raises(ConnectionLost, match="closed"):
            await waiting

    with_tricks(use)


def forgets_to_close(pids: Path) -> Coroutine[Any, Any, None]:
    async def run() -> None:
        script = f"sleep 600 & echo $! $$ > {pids}; '{sys.executable}' -S '{SERVERS / 'tricks.py'}'"
        await connect(shell(script), ENVIRON)

    return run()


def is_cancelled_while_starting(pids: Path) -> Coroutine[Any, Any, None]:
    async def run() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connect(shell(f"sleep 600 & echo $! $$ > {pids}; cat >/dev/null"), ENVIRON), 0.3)

    return run()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("owner", [forgets_to_close, is_cancelled_while_starting])
def test_nothing_is_left_running_by_an_owner_who(
    owner: Callable[[Path], Coroutine[Any, Any, None]], tmp_path: Path
) -> None:
    asyncio.run(owner(tmp_path / "pids"))
    assert all(dies(int(pid)) for pid in (tmp_path / "pids").read_text().split())

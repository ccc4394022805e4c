"""The real hook against the real socket, and what is no hook."""

import asyncio
import socket
import stat

import pytest

from hook_events import SESSION, decision, listing, use
from hook_process import answered, start
from host_client import short
from mcp_assay.errors import StoreError
from mcp_assay.host.hooks import Answer, Hooks
from mcp_assay.host.hooksocket import HookSocket

__all__ = ["short"]


def listening(short, scene):
    async def run():
        path = short / "mcp-assay" / "run" / f"s-{SESSION}.sock"
        hooks = Hooks(short / "eval", short / "mcp-assay", session=SESSION, note=lambda _: None)
        async with asyncio.timeout(30), HookSocket(path, hooks):
            await scene(path, hooks)
        assert not path.exists()

    asyncio.run(run())


async def hook(short, event, body):
    return Answer(*await asyncio.to_thread(lambda: answered(start(event, state=short), body)))


def test_a_hook_brings_its_event_and_ends_as_it_is_answered(short):
    async def scene(_, hooks):
        ours = use("t1", "Bash", {"command": "mcp-assay host show"})
        assert decision(await hook(short, "PreToolUse", ours))[0] == "allow"
        assert decision(await hook(short, "PreToolUse", listing("t2")))[0] == "deny"
        assert decision(await hook(short, "PreToolUse", listing("t3") | {"session_id": "x"}))[0] == "fault"
        assert await hook(short, "PostToolUse", ours | {"tool_response": ""}) == (0, "", "")
        assert [call["tool"] for call in hooks.outside] == ["mcp__a__list_items"]

    listening(short, scene)


def test_many_at_once_are_answered_each_for_itself(short):
    async def scene(_, hooks):
        answers = await asyncio.gather(*(hook(short, "PreToolUse", listing(f"t{number}")) for number in range(8)))
        assert {decision(answer)[0] for answer in answers} == {"deny"}
        assert len(hooks.outside) == 8

    listening(short, scene)


def test_text_of_any_kind_comes_through(short):
    async def scene(_, hooks):
        hooks.outside.clear()
        answer = await hook(short, "PreToolUse", use("t1", "Bash", {"command": "\u2028\r\n\ud800 é 𝄞 \\n"}))
        assert decision(answer)[0] == "deny"
        answer = await hook(short, "PreToolUse", use("t2", "Ünïcode\n", {}))
        assert decision(answer)[0] == "deny"
        assert hooks.outside[1]["tool"] == "Ünïcode\n"

    listening(short, scene)


@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"PreToolUse\n",
        b"PreToolUse []\n",
        b'PreToolUse {"a": 1, "a": 2}\n',
        b'PreToolUse {"a": NaN}\n',
        b"PreToolUse {" + b'"a":{' * 200_000 + b"\n",
        b"Stop {}\n",
        b"pretooluse {}\n",
        b"\xff {}\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b'PreToolUse {"a": "' + b"x" * (33 * 1024 * 1024) + b'"}\n',
        b"PreToolUse {}",
    ],
    ids=range(12),
)
def test_what_is_no_event_gets_no_answer_and_ends_nothing_else(short, data):
    async def scene(path, _):
        reader, writer = await asyncio.open_unix_connection(path)
        try:
            writer.write(data)
            writer.write_eof()
            assert await reader.read() == b""
        except ConnectionError:
            pass
        finally:
            writer.close()
        assert (await hook(short, "SessionStart", {"session_id": SESSION})).exit == 0

    listening(short, scene)


def test_only_this_user_can_reach_it_and_there_is_one(short):
    async def scene(path, hooks):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with pytest.raises(StoreError, match="another mcp-assay process"):
            await HookSocket(path, hooks).__aenter__()

    listening(short, scene)


def test_a_socket_that_a_killed_owner_left_is_replaced(short):
    path = short / "mcp-assay" / "run" / f"s-{SESSION}.sock"
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
        left.listen()

    async def scene(_, __):
        assert (await hook(short, "SessionStart", {"session_id": SESSION})).exit == 0

    listening(short, scene)

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from mcp_assay import child as module
from mcp_assay.child import Child
from mcp_assay.core.expand import Launch
from mcp_assay.errors import StartError
from mcp_assay.frames import Oversized


def with_child(script: str, use: Callable[[Child, list[bytes | Oversized]], Awaitable[Any]]) -> Any:
    """Use a child that runs a shell script; the list fills with the lines that it writes."""

    async def run() -> Any:
        lines: list[bytes | Oversized] = []
        child = Child(lines.append, lambda: None, 1 << 20)
        await child.start(Launch("sh", ("-c", script), env={"PATH": os.environ["PATH"]}), None, "sh")
        try:
            return await use(child, lines)
        finally:
            await child.end()

    return asyncio.run(run())


async def over(child: Child, lines: list[bytes | Oversized]) -> tuple[str, list[bytes | Oversized]]:
    await asyncio.wait_for(child._over.wait(), 10)
    return child.fate, lines


@pytest.mark.parametrize(
    ("script", "fate", "lines"),
    [
        ("echo a; printf b", "exited with status 0", [b"a\n", b"b"]),
        ("exit 3", "exited with status 3", []),
        ("kill -9 $$", "was ended by signal 9", []),
    ],
)
def test_how_it_ended_and_what_it_wrote(script: str, fate: str, lines: list[bytes]) -> None:
    assert with_child(script, over) == (fate, lines)


@pytest.mark.parametrize("redirection", ["exec >&-", "exec <&-"])
def test_a_server_that_closes_its_input_or_output_is_lost_though_it_lives(redirection: str) -> None:
    async def run() -> str:
        lost = asyncio.Event()
        child = Child(lambda _: None, lost.set, 1 << 20)
        plan = Launch("sh", ("-c", f"{redirection}; exec sleep 600"), env={"PATH": os.environ["PATH"]})
        await child.start(plan, None, "sh")
        await asyncio.wait_for(lost.wait(), 10)
        fate = child.fate
        await child.end()
        return fate

    assert asyncio.run(run()) == "closed its input or output"


def test_only_the_tail_of_stderr_is_kept() -> None:
    async def use(child: Child, lines: list[bytes | Oversized]) -> str:
        await over(child, lines)
        return child.complaint

    complaint = with_child("head -c 300000 /dev/zero | tr '\\0' x >&2; printf '\\377end' >&2", use)
    assert complaint.endswith("x\ufffdend")
    assert len(complaint) <= 16 * 1024


def test_what_may_be_lost_is_not_kept_for_a_server_that_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BACKLOG", 1 << 20)
    monkeypatch.setattr(module, "_GRACE", 0.1)

    async def use(child: Child, _: list[bytes | Oversized]) -> int:
        for _number in range(1000):
            child.write_if_read(b"x" * 9_999 + b"\n")
        pipe = child._input()
        return pipe.get_write_buffer_size() if pipe else 0

    assert 1 << 20 <= with_child("exec sleep 600", use) < (1 << 20) + 10_000


def test_a_child_that_was_never_started_can_be_ended_and_written_to() -> None:
    async def run() -> str:
        child = Child(lambda _: None, lambda: None, 1 << 20)
        with pytest.raises(StartError):
            await child.start(Launch("no-such-command"), None, "shown")
        child.write(b"x")
        await child.end()
        return child.fate

    assert asyncio.run(run()) == "closed its input or output"

"""Sessions over HTTP and SSE for the tests of what carries them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mcp_assay.core.model import ServerConfig
from mcp_assay.errors import StartError
from mcp_assay.remote import connect
from mcp_assay.upstream import Answer, Upstream

PATIENCE = 10.0
SECRET = "s3cr3t-value"
ENVIRON = {"PATH": "/usr/bin:/bin", "TOKEN": SECRET}


@asynccontextmanager
async def session(config: ServerConfig, **options: Any) -> AsyncIterator[Upstream]:
    upstream = await connect(config, ENVIRON, **options)
    try:
        yield upstream
    finally:
        await upstream.close()


def using(config: ServerConfig, use: Callable[[Upstream], Awaitable[Any]], **options: Any) -> Any:
    """What ``use`` comes to in a session of its own."""

    async def run() -> Any:
        async with session(config, **options) as upstream:
            return await use(upstream)

    return asyncio.run(run())


async def call(
    upstream: Upstream, tool: str, arguments: Mapping[str, Any] | None = None, wait: float = PATIENCE
) -> Answer:
    return await upstream.request("tools/call", {"name": tool, "arguments": dict(arguments or {})}, wait)


def refused(
    config: ServerConfig, environ: Mapping[str, str] = ENVIRON, allowed: Collection[str] = (), **options: Any
) -> str:
    """The message with which contacting this server fails; no secret of the environment is in it."""

    async def run() -> str:
        with pytest.raises(StartError) as caught:
            await connect(config, environ, allowed=allowed, **options)
        return str(caught.value)

    text = asyncio.run(run())
    assert SECRET not in text
    return text


async def soon(condition: Callable[[], bool]) -> None:
    """Until something is so that is to be so in a moment."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in another thread
            await asyncio.sleep(0.01)

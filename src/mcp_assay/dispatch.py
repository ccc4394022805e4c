"""The only code that talks to MCP servers: starting them and listing their tools, and one call, whole.

A call is open, send, close; there is no other way to send one. Nothing is started here without consent: whoever hands
over a server has it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_assay.clock import Clock
from mcp_assay.core.model import Manifest, Outcome, Reply, ServerConfig, ToolCall, Transport
from mcp_assay.errors import ConnectionLost, RequestTimeout, RpcError, ServerError
from mcp_assay.gate import Gate, Permit, Refusal
from mcp_assay.promise import Promises
from mcp_assay.upstream import Answer, Upstream, connect

__all__ = ["CALL_TIMEOUT", "Dispatch", "Fleet", "Local"]

CALL_TIMEOUT = 60.0

Local = Callable[[Mapping[str, Any]], Awaitable[Reply]]
"""A non-MCP tool: its arguments in, what came of it out."""


class Fleet:
    """The running servers of one evaluation, by name, and what each offered when it was listed."""

    def __init__(self) -> None:
        self.upstreams: dict[str, Upstream] = {}
        self.manifests: dict[str, Manifest] = {}

    async def start(
        self,
        servers: Sequence[ServerConfig],
        environ: Mapping[str, str],
        *,
        allowed: Mapping[str, Collection[str]],
        folder: str,
    ) -> None:
        """Start all of them at once. One that does not start is listed without tools and with the reason."""
        started = (self._start(server, environ, allowed.get(server.name, ()), folder) for server in servers)
        for manifest in await asyncio.gather(*started):
            self.manifests[manifest.server] = manifest

    async def stop(self) -> None:
        await asyncio.gather(*(upstream.close() for upstream in self.upstreams.values()))
        self.upstreams.clear()

    async def _start(
        self, server: ServerConfig, environ: Mapping[str, str], allowed: Collection[str], folder: str
    ) -> Manifest:
        if server.transport is not Transport.STDIO:
            why = f"{server.transport} servers are not driven by this version; only stdio servers are"
            return Manifest(server.name, limitation=why)
        try:
            upstream = await connect(server, environ, allowed=allowed, cwd=server.cwd or folder)
            self.upstreams[server.name] = upstream
            return await upstream.manifest()
        except ServerError as bad:
            return Manifest(server.name, limitation=str(bad))


class Dispatch:
    """What a driver calls. ``persist`` saves the state; it runs while the server works."""

    def __init__(
        self,
        gate: Gate,
        upstreams: Mapping[str, Upstream],
        clock: Clock,
        *,
        local: Mapping[str, Local],
        persist: Callable[[], None],
        remaining: Callable[[], float],
        timeout: float = CALL_TIMEOUT,
    ) -> None:
        self._gate, self._upstreams, self._clock = gate, upstreams, clock
        self._promises = Promises()
        self._local, self._persist, self._remaining, self._timeout = local, persist, remaining, timeout

    async def call(self, call: ToolCall) -> Reply | Refusal:
        """Send one call if the gate permits it. Never raises for what a server does; cancellation passes through."""
        await self._refresh(call.mcp)
        opened = self._gate.open(call)
        if isinstance(opened, Refusal):
            self._persist()
            return opened
        return await self._send(opened)

    async def _send(self, permit: Permit) -> Reply:
        began = self._clock.monotonic()
        reply = Reply(Outcome.CANCELLED, error_text="cut off")
        try:
            sent = asyncio.ensure_future(self._ask(permit.call))
            try:
                await asyncio.sleep(0)
                self._persist()
                reply = await sent
            finally:
                sent.cancel()
        except asyncio.CancelledError:
            if self._remaining() <= 0:
                reply = Reply(Outcome.TIMEOUT, error_text="cut off")
            raise
        finally:
            reply = replace(reply, duration_ms=round((self._clock.monotonic() - began) * 1000))
            self._gate.close(permit, reply)
        return reply

    async def _ask(self, call: ToolCall) -> Reply:
        if call.mcp is None:
            return await self._local[call.tool](call.args)
        timeout = max(0.0, min(self._timeout, self._remaining()))
        params = {"name": call.tool, "arguments": dict(call.args)}
        try:
            answer = await self._upstreams[call.mcp].request("tools/call", params, timeout)
        except RequestTimeout:
            return Reply(Outcome.TIMEOUT, error_text="timeout")
        except ConnectionLost:
            return Reply(Outcome.LOST, error_text="connection lost")
        except RpcError as bad:
            return Reply(Outcome.ERROR, error_code=bad.code, error_text=str(bad.message))
        except ServerError as bad:
            return Reply(Outcome.ERROR, error_text=str(bad))
        return self._reply(call, answer)

    def _reply(self, call: ToolCall, answer: Answer) -> Reply:
        outcome = Outcome.ERROR if answer.result.get("isError") is True else Outcome.OK
        tool = self._gate.policy.pinned[str(call.mcp)].get(call.tool)
        judged = tool if outcome is Outcome.OK else None
        kept = self._promises.kept(str(call.mcp), judged, answer.result, answer.size) if judged else None
        return Reply(outcome, answer.result, size=answer.size, schema_valid=kept)

    async def _refresh(self, server: str | None) -> None:
        """List the tools anew if the server said that they changed: the gate must judge what is there now."""
        upstream = self._upstreams.get(server) if server else None
        if server is None or upstream is None or not upstream.tools_changed:
            return
        try:
            manifest = await upstream.manifest()
        except ServerError:
            self._gate.observe(server, {})
        else:
            self._gate.observe(server, {tool.name: tool.digest for tool in manifest.tools})

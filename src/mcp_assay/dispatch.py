"""The only code that talks to MCP servers: starting them and listing their tools, and one call, whole.

A call is open, send, close; there is no other way to send one. Nothing is started here without consent: whoever hands
over a server has it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_assay.clock import Clock
from mcp_assay.core.limits import CALL_TIMEOUT, START_TIMEOUT
from mcp_assay.core.model import Manifest, Outcome, Reply, ServerConfig, ToolCall, Transport
from mcp_assay.errors import ConnectionLost, RequestTimeout, RpcError, ServerError, StartError
from mcp_assay.gate import Gate, Permit, Refusal
from mcp_assay.promise import Promises
from mcp_assay.upstream import Answer, Enclose, Upstream, connect

__all__ = ["Connect", "Dispatch", "Fleet", "Local"]

Connect = Callable[..., Awaitable[Upstream]]
"""Starts one server's session: its config and the environment in, an Upstream out."""

Local = Callable[[Mapping[str, Any]], Awaitable[Reply]]
"""A non-MCP tool: its arguments in, what came of it out."""


class Fleet:
    """The running servers of one evaluation, by name, and what each offered when it was listed."""

    def __init__(self, remote: Callable[[], Connect] | None = None) -> None:
        """``remote`` loads what starts HTTP and SSE sessions; it is called only if such a server is to be started."""
        self._remote = remote
        self.upstreams: dict[str, Upstream] = {}
        self.manifests: dict[str, Manifest] = {}
        self._noted: dict[str, tuple[str, ...]] = {}

    async def start(
        self,
        servers: Sequence[ServerConfig],
        environ: Mapping[str, str],
        *,
        allowed: Mapping[str, Collection[str]],
        folder: str,
        timeout: float = START_TIMEOUT,  # noqa: ASYNC109 - each server has its own
        enclose: Mapping[str, Enclose] | None = None,
    ) -> None:
        """Start all of them at once. One that does not start is listed without tools and with the reason.

        ``timeout`` is what each may take, in seconds; ``enclose`` holds the boxes of those that run in one.
        """
        boxes = enclose or {}
        started = []
        for server in servers:
            options = {"allowed": allowed.get(server.name, ()), "cwd": folder, "start_timeout": timeout}
            if server.name in boxes:
                options["enclose"] = boxes[server.name]
            started.append(self._start(server, environ, options))
        for manifest in await asyncio.gather(*started):
            self.manifests[manifest.server] = manifest

    def notes(self, name: str) -> list[str]:
        """What is odd about a server's list, and about how it has spoken until now."""
        then, upstream = self._noted.get(name, ()), self.upstreams.get(name)
        of_list = [note for note in self.manifests[name].notes if note not in then]
        return [*(upstream.notes if upstream else then), *of_list]

    async def stop(self, names: Collection[str] | None = None) -> None:
        """End the sessions of these servers, or of all."""
        ending = list(self.upstreams) if names is None else [name for name in names if name in self.upstreams]
        await asyncio.gather(*(self.upstreams.pop(name).close() for name in ending))

    async def _start(self, server: ServerConfig, environ: Mapping[str, str], options: Mapping[str, Any]) -> Manifest:
        try:
            upstream = await self._connect(server)(server, environ, **options)
            self.upstreams[server.name] = upstream
            manifest = await upstream.manifest()
            self._noted[server.name] = upstream.notes
        except ServerError as bad:
            return Manifest(server.name, limitation=str(bad))
        return manifest

    def _connect(self, server: ServerConfig) -> Connect:
        if server.transport is Transport.STDIO:
            return connect
        if server.transport is Transport.OTHER or self._remote is None:
            raise StartError(f"a server of type {server.transport} cannot be driven here")
        return self._remote()


_LAST_LOOK = 5.0
"""Seconds for a server's list after the last call, which nothing depends on any more."""


def _ignore(_: Manifest) -> None:
    """Nobody wants to know."""


class Dispatch:
    """What a driver calls. ``persist`` saves the state; it runs while the server works.

    The tools of a server are listed anew before its first call in each scenario, and whenever it says that they
    changed: the gate must judge what is there now. ``observed`` is told of every such list.
    """

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
        observed: Callable[[Manifest], None] = _ignore,
    ) -> None:
        self._gate, self._upstreams, self._clock, self._observed = gate, upstreams, clock, observed
        self._listed: set[str] = set()
        self._scenario: str | None = None
        self._promises = Promises()
        self._local, self._persist, self._remaining, self._timeout = local, persist, remaining, timeout

    async def call(self, call: ToolCall) -> Reply | Refusal:
        """Send one call if the gate permits it. Never raises for what a server does; cancellation passes through."""
        if call.mcp is not None and self._is_stale(call.mcp):
            await self._refresh(call.mcp, self._timeout)
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
        # Whatever stands there instead of true or false is no success: the line's shape says so as well.
        outcome = Outcome.ERROR if answer.result.get("isError") else Outcome.OK
        tool = self._gate.policy.pinned[str(call.mcp)].get(call.tool)
        judged = tool if outcome is Outcome.OK else None
        kept = self._promises.kept(str(call.mcp), judged, answer.result, answer.size) if judged else None
        return Reply(outcome, answer.result, size=answer.size, schema_valid=kept)

    async def relist(self) -> None:
        """After the last call: list the tools of every server that was called, for a change that was never told."""
        for server in list(self._gate.policy.live):
            await self._refresh(server, min(self._timeout, _LAST_LOOK))

    def _is_stale(self, server: str) -> bool:
        """Whether what is known of a server's tools is from before this scenario, or is out of date by its own word."""
        run, pinned = self._gate.run, self._gate.policy.pinned.get(server)
        if run is not None and run.scenario.id != self._scenario:
            self._scenario = run.scenario.id
            self._listed.clear()
        upstream = self._upstreams.get(server)
        if upstream is not None and upstream.tools_changed:
            return True
        # A list that was cut short is cut elsewhere the next time: it shows no change.
        return server not in self._listed and pinned is not None and not pinned.limitation

    async def _refresh(self, server: str, patience: float) -> None:
        """Tell the gate what the server offers now. One that does not say so in time offers nothing."""
        self._listed.add(server)
        upstream = self._upstreams.get(server)
        if upstream is None:
            return
        told, manifest = upstream.tools_changed, Manifest(server, limitation=f"no list within {patience:g} s")
        try:
            async with asyncio.timeout(patience):
                manifest = await upstream.manifest()
        except ConnectionLost as bad:
            if not told:
                return  # nothing can be called any more, and the call itself will tell why
            manifest = Manifest(server, limitation=str(bad))
        except TimeoutError:
            pass
        self._gate.observe(server, {tool.name: tool.digest for tool in manifest.tools})
        self._observed(manifest)

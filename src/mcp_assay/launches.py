"""What starts each server, expanded: for a gateway, which has neither the configs nor the user's environment."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mcp_assay.core.expand import Launch, launch
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import StartError, UserError

__all__ = ["Address", "Launches", "Resolve"]


class Address(Protocol):
    """Where a remote server is, expanded."""

    @property
    def url(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def proxy(self) -> str | None: ...


Resolve = Callable[..., Awaitable[Address]]
"""A remote server's config and the environment in, its address out. Raises StartError."""


class Launches:
    """What starts each of the servers, as a gateway is told of it. ``folder`` is absolute."""

    def __init__(
        self,
        servers: Sequence[ServerConfig],
        environ: Mapping[str, str],
        *,
        allowed: Mapping[str, Sequence[str]],
        folder: str,
        timeout: float,
        enclose: Mapping[str, Callable[[Launch, str], Launch]],
        resolve: Callable[[], Resolve] | None = None,
    ) -> None:
        """``resolve`` loads what expands a remote server's entry; it is called only if there is one."""
        self._servers = {server.name: server for server in servers}
        self._environ, self._allowed, self._folder = environ, allowed, folder
        self._timeout, self._enclose, self._resolve = timeout, enclose, resolve

    async def of(self, name: str) -> dict[str, Any]:
        """Raises UserError for a server that is not attached, StartError for one that cannot be started."""
        server = self._servers.get(name)
        if server is None:
            raise UserError("no attached MCP has this name")
        told = self._local(server) if server.transport is Transport.STDIO else await self._remote(server)
        return {"transport": str(server.transport), **told, "start_timeout": self._timeout}

    def _local(self, server: ServerConfig) -> dict[str, Any]:
        plan = launch(server, self._environ, self._allowed.get(server.name, ()))
        cwd = str(Path(self._folder, plan.cwd or "."))
        if server.name in self._enclose:
            plan = self._enclose[server.name](plan, cwd)
        return {"command": plan.command, "args": list(plan.args), "cwd": cwd, "env": dict(plan.env)}

    async def _remote(self, server: ServerConfig) -> dict[str, Any]:
        if server.transport is Transport.OTHER or self._resolve is None:
            raise StartError(f"a server of type {server.transport} cannot be driven here")
        allowed = self._allowed.get(server.name, ())
        found = await self._resolve()(server, self._environ, allowed, self._folder)
        return {"url": found.url, "headers": dict(found.headers), "proxy": found.proxy}

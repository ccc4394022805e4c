"""What every session begins with, whatever carries it: initialize, and the walk through the pages of tools/list.

Messages are in our own words: of what a server says, nothing but a date is repeated.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_assay import __version__
from mcp_assay.core.paging import Pages
from mcp_assay.errors import ConnectionLost, RequestTimeout, RpcError, ServerError, StartError

__all__ = ["LIST_SHARE", "METHOD_NOT_FOUND", "PROTOCOLS", "Answer", "Ask", "agreed", "failure", "hello", "walk"]

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol versions that a server may answer ``initialize`` with; we ask for the last."""

LIST_SHARE = 4
"""All pages of a server's tool list together may take this many times as long as its start."""

METHOD_NOT_FOUND = -32601
_UNSUPPORTED_VERSION = -32022
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Answer:
    """A result as it came, and its size in bytes: over stdio of its frame with the line end, else of its JSON."""

    result: dict[str, Any]
    size: int


Ask = Callable[[str, Mapping[str, Any], float], Awaitable[Answer]]
"""A session's ``request``: method, parameters and seconds to wait."""


def hello() -> dict[str, Any]:
    """The parameters of ``initialize``: no capability is declared, so a server may ask us for nothing but ping."""
    client = {"name": "mcp-assay", "version": __version__}
    return {"protocolVersion": PROTOCOLS[-1], "capabilities": {}, "clientInfo": client}


def agreed(result: Mapping[str, Any]) -> str:
    """The protocol version that the result of ``initialize`` settles on. Raises StartError if we do not speak it."""
    version = result.get("protocolVersion")
    if version not in PROTOCOLS:
        named = version if isinstance(version, str) and _DATE.fullmatch(version) else "one that is no date"
        supported = f"(supported: {', '.join(PROTOCOLS)})"
        raise StartError(f"the server's protocol version, {named}, is not supported {supported}")
    return str(version)


def failure(bad: ServerError) -> str:
    """What to say of a server that answered ``initialize``, but not with a result."""
    if not isinstance(bad, RpcError):
        return f"initialize failed: the server {bad}"
    if bad.code in (METHOD_NOT_FOUND, _UNSUPPORTED_VERSION):
        return (
            f"the server rejected initialize (JSON-RPC error {bad.code}), as one does that speaks only the stateless "
            "protocol of 2026-07-28; that protocol is not driven yet"
        )
    return f"the server rejected initialize (JSON-RPC error {bad.code})"


async def walk(ask: Ask, patience: float) -> Pages:
    """All pages of ``tools/list`` within ``patience`` seconds; what ends the walk early is a limitation.

    Raises ConnectionLost.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    pages = Pages()
    while not pages.over:
        try:
            answer = await ask("tools/list", pages.params, deadline - clock())
        except ConnectionLost:
            raise
        except ServerError as bad:
            pages.stop(_unlisted(bad, patience))
        else:
            pages.add(answer.result, answer.size)
    return pages


def _unlisted(bad: ServerError, patience: float) -> str:
    if isinstance(bad, RequestTimeout):
        return f"its tools could not all be listed within {round(patience, 2):g} s"
    if isinstance(bad, RpcError) and bad.code == METHOD_NOT_FOUND:
        return "it has no tools: it does not know the method tools/list"
    return f"its tools could not all be listed: {bad}"

"""The two eras of MCP: what each calls its methods' results, its errors and, over HTTP, their statuses.

Up to 2025-11-25 a client opens with ``initialize`` and the server answers in the version agreed there. Since 2026-07-28
there is no such handshake: each request carries its version in ``params._meta``. Both are served at once, request by
request, and nothing is remembered between requests.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_assay import __version__
from mcp_assay.policy.wire import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Refusal,
    Request,
    dump,
)

__all__ = [
    "CAPABILITIES",
    "HANDSHAKE",
    "INSTRUCTIONS",
    "SERVER_INFO",
    "STATELESS",
    "SUPPORTED",
    "Era",
    "declared",
    "negotiated",
    "unsupported",
]

STATELESS_VERSION = "2026-07-28"
HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18")
SUPPORTED = (STATELESS_VERSION, *HANDSHAKE_VERSIONS)

SERVER_INFO = {"name": "agent-eval-policy", "title": "Agent evaluation policy", "version": __version__}
CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}}
INSTRUCTIONS = (
    "Deterministic policy checks for agents: route a worker to a seat and admit its spend, check a response against a "
    "contract, lint a dossier. A refusal is a normal result with ok false and every reason."
)

_PREFIX = "io.modelcontextprotocol/"
_VERSION_KEY, _CAPABILITIES_KEY = f"{_PREFIX}protocolVersion", f"{_PREFIX}clientCapabilities"


class Era(NamedTuple):
    """``statuses`` maps error codes to HTTP statuses: 200 for a code that is not in it."""

    only: frozenset[str]
    """The methods that this era alone has."""
    no_resource: int
    statuses: Mapping[int, int]
    more: bytes
    """What every result says besides, as JSON members after its own, each with a comma before it."""
    lasting: Mapping[str, bytes]
    """And what the results of some methods say about how long, and by whom, they may be cached."""

    def finished(self, method: str, result: bytes) -> bytes:
        """The result of a method, a JSON object with at least one member, as this era sends it."""
        if not self.more:
            return result
        return b"%b%b%b}" % (result[:-1], self.more, self.lasting.get(method, b""))


_FOR_ALL = b',"ttlMs":3600000,"cacheScope":"public"'
"""What the server offers does not change while it runs, but the next version of it may offer something else."""
_FOR_NOW = b',"ttlMs":0,"cacheScope":"private"'
"""A scorecard is there from one moment to the next, and it is the user's own."""

HANDSHAKE = Era(frozenset({"initialize", "ping"}), RESOURCE_NOT_FOUND, statuses={}, more=b"", lasting={})
STATELESS = Era(
    frozenset({"server/discover"}),
    INVALID_PARAMS,
    # "If the server does not implement the requested RPC method, it MUST respond with 404 Not Found"
    statuses={INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404},
    more=b',"resultType":"complete","_meta":' + dump({f"{_PREFIX}serverInfo": SERVER_INFO}),
    lasting={
        "server/discover": _FOR_ALL,
        "tools/list": _FOR_ALL,
        "resources/list": _FOR_ALL,
        "resources/templates/list": _FOR_ALL,
        "resources/read": _FOR_NOW,
    },
)


def declared(request: Request) -> str | None:
    """The version that a request carries, or None if it is one of the era of the handshake.

    Raises Refusal (-32602) if it carries only a part of what each stateless request must.
    """
    meta = request.params.get("_meta")
    if not isinstance(meta, dict):
        meta = {}
    carried = [key for key in (_VERSION_KEY, _CAPABILITIES_KEY) if key in meta]
    if not carried and request.method not in STATELESS.only:
        return None
    # "A request missing any required field is malformed; the server MUST reject it with JSON-RPC error code -32602"
    if len(carried) < 2:  # noqa: PLR2004 - both of them
        raise incomplete(request)
    version = meta[_VERSION_KEY]
    if not isinstance(version, str) or not isinstance(meta[_CAPABILITIES_KEY], dict):
        raise incomplete(request)
    return version


def incomplete(request: Request) -> Refusal:
    """That a stateless request does not carry what it must."""
    message = f'Invalid params: "_meta" must hold "{_VERSION_KEY}" (a string) and "{_CAPABILITIES_KEY}" (an object)'
    return Refusal(INVALID_PARAMS, message, id=request.id)


def served(version: str | None, number: str | int) -> Era:
    """The era of a version, None being the handshake's. Raises Refusal (-32022) for one that is not served."""
    if version == STATELESS_VERSION:
        return STATELESS
    if version is None or version in HANDSHAKE_VERSIONS:
        return HANDSHAKE
    raise unsupported(version, number)


def unsupported(version: str, number: str | int | None) -> Refusal:
    """That a version is not served, with those that are."""
    data = {"supported": list(SUPPORTED), "requested": version}
    return Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data, id=number)


def negotiated(wanted: str) -> str:
    """The version that ``initialize`` agrees on: the client's, if it has that handshake, else the newest that has."""
    return wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]

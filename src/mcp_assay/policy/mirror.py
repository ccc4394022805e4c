"""What HTTP headers say about a request, held against what the request says itself.

Before 2026-07-28 there is one header, and it stands alone. Since then headers mirror parts of the body, so that what
lies between client and server can route by them, and they must not say anything else than the body does.
"""

import base64
import binascii
import re
from collections.abc import Mapping

from mcp_assay.policy import eras
from mcp_assay.policy.eras import Era
from mcp_assay.policy.wire import HEADER_MISMATCH, Refusal, Request

__all__ = ["HEADERS", "check_version", "era"]

HEADERS = _VERSION, _METHOD, _NAME = "mcp-protocol-version", "mcp-method", "mcp-name"
_NAMED_BY = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")


def check_version(headers: Mapping[str, str]) -> None:
    """Raises Refusal (-32022) if the header names a version that is not served. It may be absent."""
    version = headers.get(_VERSION)
    if version is not None and version not in eras.SUPPORTED:
        raise eras.unsupported(version, None)


def era(request: Request, headers: Mapping[str, str]) -> Era:
    """The era of a request over HTTP.

    Raises Refusal: -32602 if a stateless request does not say all that it must, -32020 if its headers say something
    else than it does, -32022 if it names a version that is not served.
    """
    header, version = headers.get(_VERSION), eras.declared(request)
    if version is None and header != eras.STATELESS_VERSION:
        return eras.served(header, request.id)
    if version is None:
        raise eras.incomplete(request)
    # "The header value MUST match the
    # io.modelcontextprotocol/protocolVersion field carried in the request body's _meta."
    if header != version:
        raise _mismatch("MCP-Protocol-Version", request)
    found = eras.served(version, request.id)
    if found is eras.STATELESS:
        _check_mirrored(request, headers)
    return found


def _check_mirrored(request: Request, headers: Mapping[str, str]) -> None:
    if headers.get(_METHOD) != request.method:
        raise _mismatch("Mcp-Method", request)
    source = _NAMED_BY.get(request.method)
    if source is not None and isinstance(value := request.params.get(source), str) and _decoded(headers) != value:
        raise _mismatch("Mcp-Name", request)


def _decoded(headers: Mapping[str, str]) -> str | None:
    """The name in the header; None if there is none, or its encoding is broken."""
    value = headers.get(_NAME)
    encoded = None if value is None else _ENCODED.fullmatch(value)
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None


def _mismatch(header: str, request: Request) -> Refusal:
    message = f"Header mismatch: {header} is missing, or is not what the request's body says"
    return Refusal(HEADER_MISMATCH, message, id=request.id)

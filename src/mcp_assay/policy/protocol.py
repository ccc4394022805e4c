"""The policy server without its transports: a frame of bytes in, the bytes of its reply out. It does no I/O.

    frame ──wire.parse──▶ message ──wire.request──▶ request ──era──▶ method ──▶ result ──wire.dump──▶ reply
                 └─────────────┴── Refusal ── an error reply ──────────┘

``line`` is a frame of the stdio transport, ``post`` the body of an HTTP request.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mcp_assay.policy import eras, mirror, resources, tools, wire
from mcp_assay.policy.eras import Era
from mcp_assay.policy.wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Refusal,
    Request,
    dump,
)

__all__ = ["MOST_IN_BATCH", "Reply", "Server"]

MOST_IN_BATCH = 1000
"""The most messages that one batch may hold: a small frame must not ask for an answer without bound."""

Method = Callable[[Request, Era], bytes]
"""Gives the result as JSON: it is encoded once, since a tool's result goes out as a structure and as text."""

_TOO_LARGE = f"Invalid Request: a frame of more than {wire.MOST_BYTES} bytes"


class Reply(NamedTuple):
    """What goes out for one message."""

    body: bytes
    code: int | None = None
    """The error's code, or None if there is none."""


class Server:
    """Answers requests; keeps nothing between them. ``scorecard`` reads the latest scorecard, None if there is none."""

    def __init__(self, scorecard: Callable[[], str | None]) -> None:
        self._scorecard = scorecard
        self._methods: dict[str, Method] = {
            "initialize": _initialize,
            "ping": _ping,
            "server/discover": _discover,
            "tools/list": _list_tools,
            "tools/call": _call_tool,
            "resources/list": _list_resources,
            "resources/templates/list": _list_templates,
            "resources/read": self._read_resource,
        }

    def line(self, frame: bytes) -> bytes | None:
        """The reply to one line of stdin, without the newline; None if it wants none. Never raises."""
        try:
            message = wire.parse(frame)
        except Refusal as bad:
            return bad.reply()
        if isinstance(message, list):
            return self._batch(message)
        reply = self._message(message)
        return None if reply is None else reply.body

    def oversized(self) -> bytes:
        """The reply to a frame that was too large to be read."""
        return Refusal(INVALID_REQUEST, _TOO_LARGE).reply()

    def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """The HTTP status and body that answer a POST. ``headers`` have lower-case names. Never raises."""
        try:
            request = wire.request(_single(wire.parse(body)))
            if request is None:
                mirror.check_version(headers)
                return 202, b""
            era = mirror.era(request, headers)
        except Refusal as bad:
            return 400, bad.reply()
        reply = self._reply(request, era)
        return 200 if reply.code is None else era.statuses.get(reply.code, 200), reply.body

    def _batch(self, messages: list[Any]) -> bytes | None:
        if not messages:
            return Refusal(INVALID_REQUEST, "Invalid Request: an empty batch").reply()
        if len(messages) > MOST_IN_BATCH:
            return Refusal(INVALID_REQUEST, f"Invalid Request: a batch of more than {MOST_IN_BATCH}").reply()
        replies = [reply.body for message in messages if (reply := self._message(message)) is not None]
        return b"[" + b",".join(replies) + b"]" if replies else None

    def _message(self, message: object) -> Reply | None:
        try:
            request = wire.request(message)
            if request is None:
                return None  # a notification: none of them changes anything here
            era = eras.served(eras.declared(request), request.id)
        except Refusal as bad:
            return Reply(bad.reply(), bad.code)
        return self._reply(request, era)

    def _reply(self, request: Request, era: Era) -> Reply:
        try:
            result = era.finished(request.method, self._method(request, era)(request, era))
            return Reply(wire.answer(request.id, result))
        except Refusal as bad:
            return _refused(bad, request)
        except RecursionError:
            return _refused(Refusal(INVALID_PARAMS, "Invalid params: nested too deeply"), request)
        except Exception as fault:  # noqa: BLE001 - a fault of ours must not end the server, nor leave a request unanswered
            return _refused(Refusal(INTERNAL_ERROR, f"Internal error: {type(fault).__name__}"), request)

    def _method(self, request: Request, era: Era) -> Method:
        method = self._methods.get(request.method)
        other = eras.STATELESS if era is eras.HANDSHAKE else eras.HANDSHAKE
        if method is None or request.method in other.only:
            raise Refusal(METHOD_NOT_FOUND, "Method not found", data={"method": request.method})
        return method

    def _read_resource(self, request: Request, era: Era) -> bytes:
        uri = _string(request, "uri")
        found = resources.read(uri, self._scorecard)
        if found is None:
            raise Refusal(era.no_resource, "Resource not found", data={"uri": uri})
        mime_type, text = found
        return dump({"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]})


def _single(message: object) -> object:
    # "The body of the HTTP POST MUST be a single JSON-RPC request or notification."
    if isinstance(message, list):
        raise Refusal(INVALID_REQUEST, "Invalid Request: a batch; send one message in each POST")
    return message


def _refused(bad: Refusal, request: Request) -> Reply:
    bad.id = request.id
    return Reply(bad.reply(), bad.code)


def _initialize(request: Request, _: Era) -> bytes:
    return dump(
        {
            "protocolVersion": eras.negotiated(_string(request, "protocolVersion")),
            "capabilities": eras.CAPABILITIES,
            "serverInfo": eras.SERVER_INFO,
            "instructions": eras.INSTRUCTIONS,
        }
    )


def _ping(_request: Request, _: Era) -> bytes:
    return b"{}"


def _discover(_request: Request, _: Era) -> bytes:
    return dump(
        {
            "supportedVersions": eras.SUPPORTED,
            "capabilities": eras.CAPABILITIES,
            "instructions": eras.INSTRUCTIONS,
        }
    )


def _list_tools(request: Request, _: Era) -> bytes:
    _only_page(request)
    return dump({"tools": [_tool(tool) for tool in tools.TOOLS]})


def _tool(tool: tools.ToolDef) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    }


def _call_tool(request: Request, _: Era) -> bytes:
    name = _string(request, "name")
    try:
        result = dump(tools.call_tool(name, request.params.get("arguments", {})))
    except tools.UnknownTool:
        raise Refusal(INVALID_PARAMS, "Unknown tool", data={"name": name}) from None
    except tools.InvalidArguments as bad:
        return _content("Invalid arguments:\n" + "\n".join(bad.problems), b'"isError":true')
    # "For backwards compatibility, a tool that returns structured content SHOULD also return the serialized JSON"
    return _content(result.decode("ascii"), b'"structuredContent":%b,"isError":false' % result)


def _content(text: str, more: bytes) -> bytes:
    return b'{"content":[{"type":"text","text":%b}],%b}' % (dump(text), more)


def _list_resources(request: Request, _: Era) -> bytes:
    _only_page(request)
    return dump({"resources": [_resource(resource) for resource in resources.RESOURCES]})


def _resource(resource: resources.ResourceDef) -> dict[str, Any]:
    return {
        "uri": resource.uri,
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mimeType": resource.mime_type,
    }


def _list_templates(request: Request, _: Era) -> bytes:
    _only_page(request)
    return b'{"resourceTemplates":[]}'


def _only_page(request: Request) -> None:
    """Raises Refusal if another page is asked for than the first: "Invalid cursors SHOULD result in an error"."""
    if request.params.get("cursor") is not None:
        raise Refusal(INVALID_PARAMS, "Invalid params: an unknown cursor; there is one page")


def _string(request: Request, name: str) -> str:
    value = request.params.get(name)
    if not isinstance(value, str):
        raise Refusal(INVALID_PARAMS, f'Invalid params: "{name}" must be a string')
    return value

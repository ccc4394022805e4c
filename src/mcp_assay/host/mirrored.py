"""The headers of a stateless request over HTTP (2026-07-28), which say what its body says. Pure.

"clients MUST … include" them, so that whatever lies between may route by them; a server refuses a request whose headers
and body differ. They are made of the very bytes that are sent, so what was judged is what they say.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Parameters", "encoded", "mirrored"]

_VERSION = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?|")
_ENCODED = re.compile(r"=\?base64\?.*\?=")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CARRIED = ("string", "integer", "boolean")
_DEEPEST = 32
_MOST = 100
_ANNOTATION = "x-mcp-header"

_Path = tuple[str, ...]


class Parameters:
    """Which arguments of which tools are mirrored: what ``x-mcp-header`` says in the schemas that were listed."""

    def __init__(self) -> None:
        self._of: dict[str, dict[_Path, str]] = {}

    def listed(self, result: object) -> None:
        """Take in the result of a ``tools/list``, of whatever page."""
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                self._of[tool["name"]] = _annotated(tool.get("inputSchema"))

    def headers(self, tool: object, arguments: object) -> dict[str, str]:
        """Those of a call. An argument that is absent, or null, has none."""
        known = self._of.get(tool, {}) if isinstance(tool, str) else {}
        texts = {name: _text(_at(arguments, path)) for path, name in known.items()}
        return {f"mcp-param-{name}": value for name, text in texts.items() if (value := encoded(text)) is not None}


def mirrored(message: Mapping[str, Any], parameters: Parameters) -> dict[str, str] | None:
    """The headers of a stateless request or notification; None for one of an earlier era."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION) if isinstance(meta, dict) else None
    if not isinstance(params, dict) or version is None:
        return None
    method = message["method"]
    named = params.get(_NAMED_BY.get(method, ""))
    found = {
        "mcp-protocol-version": encoded(version),
        "mcp-method": encoded(method),
        "mcp-name": encoded(named),
    }
    if method == "tools/call":
        found |= parameters.headers(named, params.get("arguments"))
    return {name: value for name, value in found.items() if value is not None}


def encoded(text: object) -> str | None:
    """A text as a header's value: as it is, or in base64 if HTTP would not carry it whole. None if it is no text."""
    if not isinstance(text, str):
        return None
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    try:
        return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
    except UnicodeEncodeError:  # half a surrogate pair: no header can say it
        return None


def _annotated(schema: object) -> dict[_Path, str]:
    """The paths of the properties that are mirrored, and their headers' names.

    Empty if one annotation is none that may stand there: no client may use such a tool's annotations.
    """
    found: dict[_Path, str] = {}
    for path, node in _properties(schema, ()):
        name = node.get(_ANNOTATION)
        if name is None:
            continue
        if not isinstance(name, str) or not _TOKEN.fullmatch(name) or node.get("type") not in _CARRIED:
            return {}
        found[path] = name.lower()
    return found if len(set(found.values())) == len(found) <= _MOST else {}


def _properties(schema: object, path: _Path) -> Iterator[tuple[_Path, Mapping[str, Any]]]:
    members = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(members, dict) or len(path) == _DEEPEST:
        return
    for name, node in members.items():
        if isinstance(node, dict):
            yield (*path, name), node
            yield from _properties(node, (*path, name))


def _at(value: object, path: _Path) -> object:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None

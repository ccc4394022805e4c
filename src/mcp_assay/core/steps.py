"""Scripted steps as values: names into calls, ``${saved}`` values into arguments, results into data."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp_assay.core.model import Manifest, Step, ToolCall
from mcp_assay.core.naming import fold, is_mcp, split

__all__ = ["MissingValueError", "data_of", "filled", "to_call"]

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class MissingValueError(Exception):
    """A step needs a value that no earlier step saved; the message is its name."""


def to_call(step: Step, saved: Mapping[str, Any], manifests: Mapping[str, Manifest]) -> ToolCall:
    """The call that a step stands for. Raises MissingValueError.

    A folded tool name becomes the raw name that the server's manifest has for it; a name it does not have is kept, for
    the gate to refuse.
    """
    args = {key: filled(value, saved) for key, value in step.args.items()}
    parts = split(step.tool, manifests) if is_mcp(step.tool) else None
    if parts is None:
        return ToolCall(None, step.tool, args, step.justification)
    server, tool = parts
    raw = next((known.name for known in manifests[server].tools if fold(known.name) == tool), tool)
    return ToolCall(server, raw, args)


def filled(value: Any, saved: Mapping[str, Any]) -> Any:
    """A value with its ``${name}`` references replaced: alone, by the saved value itself; inside text, by its text."""
    if isinstance(value, dict):
        return {key: filled(item, saved) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, saved) for item in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole:
        return _saved(whole[1], saved)
    return _REFERENCE.sub(lambda found: _text(_saved(found[1], saved)), value)


def data_of(result: Mapping[str, Any] | None) -> Any:
    """What a JSON path is looked up in: the structured content, else JSON in the first text, else that text."""
    if result is None:
        return None
    if "structuredContent" in result:
        return result["structuredContent"]
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    text = next((b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)), None)
    try:
        return json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return text


def _saved(name: str, saved: Mapping[str, Any]) -> Any:
    if name not in saved:
        raise MissingValueError(name)
    return saved[name]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

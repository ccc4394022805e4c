"""Arguments and results as shapes and sizes: what a transcript line says about them, by construction never a value.

"args_summary must not include credentials, tokens, or PII. Summarize shape and a few representative field names".
What is printed is words of ours, counts, and declared keys that look like identifiers; nothing else has a way in.
"""

import hmac
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mcp_assay.core import quantity
from mcp_assay.core.cause import is_told
from mcp_assay.core.content import Body, read
from mcp_assay.core.declared import UNDECLARED, Declared, shown
from mcp_assay.core.errclass import failure, hidden_failure
from mcp_assay.core.identified import echoes, identifies
from mcp_assay.core.model import Reply, Tool, canonical
from mcp_assay.core.shapes import KEYS, shape

__all__ = ["args_summary", "digest", "result_facts", "result_shape"]

_MAX_SUMMARY = 300
_MAX_SHAPE = 160
_MAX_SHOWN_BLOCKS = 6
_MAX_ERROR = 4_000
_MAX_NAMES, _MAX_NAMED = 3, 48  # parameters, and characters of them together


def args_summary(args: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """``{query: string[12], limit: int, labels: array[3] of string, +2 undeclared}``: at most 300 ASCII characters."""
    declared = Declared.of(schema)
    known = {key: member for key in args if (member := declared.member(key)) is not None}
    undeclared = len(args) - len(known)
    tail = [f"+{undeclared} undeclared"] if undeclared else []
    room = _MAX_SUMMARY - len("{, +999999999 more, }") - len("".join(tail))
    parts: list[str] = []
    for key, member in known.items():
        part = f"{shown(key)}: {_fitting(args[key], member, 100)}"
        room -= len(part) + 2
        if room < 0:
            tail.insert(0, f"+{len(known) - len(parts)} more")
            break
        parts.append(part)
    return "{" + ", ".join(parts + tail) + "}"


def result_shape(reply: Reply, output_schema: Mapping[str, Any] | None, body: Body | None = None) -> str:
    """``array[47] of {id,state,title}``, ``text:json map[3]``, ``error:404``, …: at most 160 ASCII characters.

    "If the call failed, prefix with error: and include the status or error class." ``body`` is the result taken
    apart, if that has been done already.
    """
    body = body or read(reply.result)
    failed = failure(reply, body)
    if failed is not None:
        return f"error:{failed.removeprefix('http:')}"
    if body.data is not None and (body.structured or body.blocks == 1):
        # The wrapper's schema says nothing about the text that it wraps.
        declared = UNDECLARED if body.from_text and body.structured else Declared.of(output_schema)
        prefix = "text:json " if body.from_text else ""
        return prefix + _fitting(body.data, declared, _MAX_SHAPE - len(prefix))
    return _content(body)


def _fitting(value: object, declared: Declared, room: int) -> str:
    """The most telling shape that fits: with fewer and fewer keys shown."""
    tries = (shape(value, declared, keys, nested=nested) for keys in range(KEYS, -1, -1) for nested in (True, False))
    return next((text for text in tries if len(text) <= room), "object")


def _content(body: Body) -> str:
    if not body.blocks:
        return f"map[{body.extra}]" if body.extra else "empty"
    blocks = zip(body.kinds[:_MAX_SHOWN_BLOCKS], body.texts[:_MAX_SHOWN_BLOCKS], strict=True)
    words = [f"text[{len(text)}]" if kind == "text" else kind for kind, text in blocks]
    if body.blocks == 1:
        return words[0]
    more = [f"+{body.blocks - len(words)}"] if body.blocks > len(words) else []
    return f"content[{body.blocks}]: {', '.join(words + more)}"


def result_facts(reply: Reply, args: Mapping[str, Any], tool: Tool | None, body: Body | None = None) -> dict[str, Any]:
    """The transcript's ``result`` object: sizes and yes or no, every one of bounded length. ``body`` as above."""
    body = body or read(reply.result)
    failed, hidden = failure(reply, body), None
    items = count = limited = following = None
    if failed is None:
        hidden = hidden_failure(body)
        items, count = quantity.item_count(body.data), quantity.total(body.data)
        limited = quantity.at_limit(items, args, Declared.of(tool.input_schema if tool else None))
        following = quantity.more(reply.result, body.data, items)
    return {
        "bytes": reply.size,
        "est_tokens": -(-reply.size // 4),
        "content": sorted(set(body.kinds)),
        "structured": body.structured,
        "schema_valid": reply.schema_valid,
        "text_is_json": body.text_is_json,
        "wraps": body.wraps,
        "items": items,
        "total": count,
        "at_limit": limited,
        "next_cursor": following,
        "identified": identifies(body) if failed is None else None,
        "echoes": echoes(body, args) if failed is None else None,
        "error_in_success": hidden is not None,
        "error_class": failed or hidden,
        "cause": None if failed is None else _cause(reply, body, tool),
        "about": None if failed is None else _about(reply, body, tool),
    }


def _cause(reply: Reply, body: Body, tool: Tool | None) -> bool | None:
    """Whether a failed result says why. None without a result: of a protocol error only the message is known."""
    if reply.result is None:
        return None
    # Only texts are read: an image, a link or an object of the server's own may say anything.
    texts_only = set(body.kinds) <= {"text"} and (not body.structured or body.wraps)
    return not texts_only or is_told("\n".join(body.texts), tool.name if tool else "")


def _about(reply: Reply, body: Body, tool: Tool | None) -> list[str]:
    """The first declared parameters that an error's text names, as many as a line has room for."""
    text = "\n".join((reply.error_text, *body.texts))[:_MAX_ERROR]
    declared = Declared.of(tool.input_schema).names() if tool else []
    named = (name for name in declared if shown(name) == name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    found: list[str] = []
    for name in named:
        if sum(map(len, found)) + len(name) > _MAX_NAMED or len(found) == _MAX_NAMES:
            break
        found.append(name)
    return found


def digest(key: bytes, value: object) -> str:
    """16 hex characters of a keyed HMAC-SHA256 over the canonical JSON of a value: equal means equal. Total."""
    try:
        text = canonical(value)
    except (RecursionError, TypeError, ValueError):
        text = "".join(_spelled(value))
    return hmac.digest(key, text.encode(), "sha256").hex()[:16]


class _Mark(str):
    """Punctuation between values, as against a string that is a value."""

    __slots__ = ()


def _spelled(value: object) -> Iterator[str]:
    """The pieces of the canonical text, without recursion: how deep the stack was must not change a digest."""
    waiting: list[object] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Mark):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed([_Mark("{"), *_members(item), _Mark("}")]))
        elif isinstance(item, list):
            waiting.extend(reversed([_Mark("["), *_elements(item), _Mark("]")]))
        else:
            yield _scalar(item)


def _members(table: dict[Any, Any]) -> Iterator[object]:
    for index, key in enumerate(sorted(table, key=str)):
        yield _Mark(f"{',' if index else ''}{json.dumps(str(key))}:")
        yield table[key]


def _elements(items: list[Any]) -> Iterator[object]:
    for index, item in enumerate(items):
        if index:
            yield _Mark(",")
        yield item


def _scalar(value: object) -> str:
    # Python does not write integers of more than 4,300 digits in decimal.
    if isinstance(value, int) and value.bit_length() > 10_000:  # noqa: PLR2004
        return f"{value:x}"
    return json.dumps(value, default=repr)

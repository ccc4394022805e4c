"""What a result object holds: its content blocks, its texts, and the one JSON value that is its data.

Everything here is a server's own text and must not be shown; ``shapes`` says what may be.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["KINDS", "Body", "parsed", "read"]

KINDS = ("text", "image", "audio", "resource", "resource_link")
"""The content types that are shown by name; every other is ``other``."""

_MAX_BLOCKS = 10_000  # later ones are counted, not looked into
_MAX_JSON = 4 * 1024 * 1024  # characters of text that are tried as JSON
_PROTOCOL_KEYS = frozenset({"_meta", "content", "isError", "nextCursor", "resultType", "structuredContent"})


@dataclass(frozen=True, slots=True)
class Body:
    """A result, taken apart.

    ``blocks`` is their number; ``kinds`` and ``texts`` go with the first 10,000 of them, "" where a block has no text.
    ``data`` is the structured content if that is an object or a list, else the JSON of the only text block, else None;
    structured content that only wraps the text as an SDK does, ``{"result": text}``, does not count.
    ``wraps``: the structured content is one member, whatever its name, and that is the only text over again.
    ``extra`` is how many members there are beside those of a tool's result, ``links`` where resources lie.
    """

    blocks: int = 0
    kinds: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    structured: bool = False
    text_is_json: bool = False
    from_text: bool = False
    data: dict[str, Any] | list[Any] | None = None
    extra: int = 0
    links: tuple[str, ...] = ()
    wraps: bool = False


def read(result: object) -> Body:
    """Take a result apart: that of ``tools/call``, or of ``resources/read`` or ``prompts/get``. Total."""
    if not isinstance(result, Mapping):
        return Body()
    blocks = _blocks(result)
    looked = blocks[:_MAX_BLOCKS]
    texts = tuple(_text(block) for block in looked)
    data, structured = result.get("structuredContent"), isinstance(result.get("structuredContent"), dict | list)
    written = [text for text in texts if text]
    from_text = parsed(written[0]) if len(written) == 1 else None
    wraps = len(written) == 1 and _wraps(data, written[0])
    if not structured or (wraps and "result" in result["structuredContent"]):
        data = from_text
    return Body(
        blocks=len(blocks),
        kinds=tuple(_kind(block) for block in looked),
        texts=texts,
        structured=structured,
        text_is_json=from_text is not None,
        from_text=from_text is not None and data is from_text,
        data=data,
        extra=len(result.keys() - _PROTOCOL_KEYS),
        links=tuple(link for block in looked if (link := _link(block))),
        wraps=wraps,
    )


def parsed(text: str) -> dict[str, Any] | list[Any] | None:
    """The object or list that a text spells out in strict JSON, or None. A lone number or word is not called JSON."""
    if len(text) > _MAX_JSON or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (RecursionError, ValueError):
        return None
    return value if isinstance(value, dict | list) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _wraps(data: object, text: str) -> bool:
    """SDK servers wrap a tool's plain string as {"result": text}, others by another name: the text is the answer."""
    return isinstance(data, dict) and list(data.values()) == [text]


def _blocks(result: Mapping[str, Any]) -> list[Any]:
    for name in ("content", "contents"):
        if isinstance(result.get(name), list):
            return list(result[name])
    messages = result.get("messages")
    contents = [_field(message, "content") for message in messages] if isinstance(messages, list) else []
    return [block for content in contents for block in (content if isinstance(content, list) else [content])]


def _kind(block: object) -> str:
    kind = _field(block, "type")
    if isinstance(kind, str) and kind in KINDS:
        return kind
    # The contents of resources/read have an address and no type.
    return "resource" if kind is None and isinstance(_field(block, "uri"), str) else "other"


def _text(block: object) -> str:
    """The text of a text block or of an embedded resource."""
    text = _field(block, "text") or _field(_field(block, "resource"), "text")
    return text if isinstance(text, str) else ""


def _link(block: object) -> str:
    uri = _field(block, "uri") or _field(_field(block, "resource"), "uri")
    return uri if isinstance(uri, str) else ""


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None

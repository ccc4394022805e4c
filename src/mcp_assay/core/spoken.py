"""Values for a tool's parameters from the user's own words: what is quoted, addressed, numbered, or a listed choice.

Only what stands plainly in the text is taken. What a sentence means is for a model to tell; this knows no language.
"""

import re
from collections.abc import Iterator
from typing import Any

from mcp_assay.core.entities import looks, subject
from mcp_assay.core.harvest import converted
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.sample import FREE_TEXT, identifies
from mcp_assay.core.words import tokens

__all__ = ["spoken"]

_MAX_TEXT = 5_000
_QUOTED = re.compile(r"[\"\u201c\u2018`]([^\"\u201d\u2019`\n]{1,200})[\"\u201d\u2019`]|(?<!\w)'([^'\n]{1,200})'(?!\w)")
_URL = re.compile(r"https?://[^\s\"'<>)\]]+[^\s\"'<>)\].,;!?]")
_PATH = re.compile(r"(?<![\w:/])(?:/[\w.@-]+(?:/[\w.@-]+)*|[\w-]+(?:/[\w.-]+)*\.[A-Za-z]{1,5}\b(?!/))")
_FILE = re.compile(r"\.\w{1,5}$")
_ZONE = re.compile(r"\b(?:UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+)\b")
_NUMBER = re.compile(r"#(\d{1,15})\b|\b(?:number|no\.|id)\s+(\d{1,15})\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_AFTER = re.compile(
    r"\b(?:mentioning|about|matching|containing|named|called|titled)\s+(?:the\s+|an?\s+)?([\w-]{2,60})", re.IGNORECASE
)


def spoken(text: str, tool: Tool, server: str) -> dict[str, Any]:
    """Arguments that the text itself names, for any of the tool's parameters; at most one value for each."""
    text, is_place = text[:_MAX_TEXT], looks(tool, server)
    found: dict[str, Any] = {}
    for parameter in parameters(tool):
        value = next(
            (form for said in _said(text, parameter, is_place=is_place) for form in converted(said, parameter)), None
        )
        if value is not None:
            found[parameter.name] = value
    return found


def _said(text: str, parameter: Parameter, *, is_place: bool) -> Iterator[str]:
    """``is_place``: a path says where to look, so that no file is meant."""
    words = tokens(parameter.name[:200])
    last = words[-1] if words else ""
    choices = parameter.schema.get("enum")
    if isinstance(choices, list):
        yield from _chosen(text, choices)
    elif last in ("url", "uri", "link"):
        yield from _URL.findall(text)
    elif last in ("path", "file", "filename", "filepath"):
        found = _PATH.findall(_URL.sub(" ", text))
        yield from (path for path in found if not (is_place and _FILE.search(path)))
    elif last in ("timezone", "tz"):
        yield from _ZONE.findall(text)
    elif identifies(parameter):
        yield from _identified(text, parameter)
    elif last in FREE_TEXT and parameter.takes_text:
        yield from (one or other for one, other in _QUOTED.findall(text))
        yield from _AFTER.findall(text)


def _chosen(text: str, choices: list[Any]) -> Iterator[str]:
    """A choice that is a word of the text: ``open`` in "all open issues"."""
    said = {word.lower() for word in _WORD.findall(text)}
    yield from (choice for choice in choices if isinstance(choice, str) and choice.lower() in said)


def _identified(text: str, parameter: Parameter) -> Iterator[str]:
    """What follows the entity's own name ("issue 12", "project acme-web"), and any number that is marked as one."""
    entity = subject(parameter.name).entity
    if entity:
        after = rf"\b{re.escape(entity[-1])}\w*\s+(?:#|number\s+|named\s+|called\s+)?[\"'`]?([\w./-]*[\d_/-][\w./-]*)"
        yield from (found.rstrip(".") for found in re.findall(after, text, re.IGNORECASE))
    if parameter.type in ("integer", "number") or subject(parameter.name).identifier in ("number", "id", "key"):
        yield from (one or other for one, other in _NUMBER.findall(text))

"""One value of a JSON text set or taken out, and not a byte of the rest changed: people keep their files as they like.

The text must be valid JSON whose outermost value is an object, as ``jsontext.loads`` has found it.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["drop", "put"]

_BLANKS = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member begins, where its value does, and where that ends."""

    key: str
    start: int
    value: int
    end: int


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the value at that path of keys; objects on the way are made, and what is no object is replaced."""
    if not text.strip():
        text = "{}\n"
    at = _past(text, 0)
    for depth, key in enumerate(path):
        members = _members(text, at)
        found = next((member for member in members if member.key == key), None)
        rest = path[depth + 1 :]
        if found is None:
            return _inserted(text, at, members, {key: _nested(rest, value)}, depth + 1)
        if not rest or text[found.value] != "{":
            new = _written(text, _nested(rest, value), depth + 1)
            return text[: found.value] + new + text[found.end :]
        at = found.value
    return text


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the value at that path, and without objects that held nothing else."""
    if not text.strip():
        return text
    at, doomed = _past(text, 0), None
    for key in path:
        members = _members(text, at) if text[at] == "{" else []
        place = next((number for number, member in enumerate(members) if member.key == key), None)
        if place is None:
            return text
        if doomed is None or len(members) > 1:
            doomed = (at, members, place)
        at = members[place].value
    return _without(text, *doomed) if doomed else text


def _without(text: str, at: int, members: list[_Member], place: int) -> str:
    """The text without one member, the comma that goes with it, and the blanks before it."""
    if place > 0:
        return text[: members[place - 1].end] + text[members[place].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    return text[: at + 1] + text[_past(text, members[0].end) :]


def _inserted(text: str, at: int, members: list[_Member], new: dict[str, Any], depth: int) -> str:
    """The text with one new last member in the object that begins ``at``."""
    [(key, value)] = new.items()
    written = f"{json.dumps(key, ensure_ascii=False)}: {_written(text, value, depth)}"
    if members:
        last = members[-1]
        before = text[_back(text, last.start) : last.start]
        return text[: last.end] + "," + before + written + text[last.end :]
    end, line = _past(text, at + 1), _line_end(text)
    indent = _indent(text)
    inner, outer = (f"{line}{indent * depth}", f"{line}{indent * (depth - 1)}")
    return text[: at + 1] + inner + written + outer + text[end:]


def _written(text: str, value: Any, depth: int) -> str:
    """A value as it is written at that depth, in the text's own manner."""
    indent = _indent(text)
    lines = json.dumps(value, indent=indent, ensure_ascii=False).split("\n")
    return f"{_line_end(text)}{indent * depth}".join(lines)


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _members(text: str, at: int) -> list[_Member]:
    """The members of the object that begins ``at``."""
    found, place = [], _past(text, at + 1)
    while text[place] != "}":
        key, end = _DECODER.raw_decode(text, place)
        value = _past(text, _past(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(_Member(key, place, value, end))
        place = _past(text, end)
        if text[place] == ",":
            place = _past(text, place + 1)
    return found


def _past(text: str, at: int) -> int:
    """Where the blanks that begin there end."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _back(text: str, at: int) -> int:
    """Where the blanks that end there begin."""
    return len(text[:at].rstrip(" \t\r\n"))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    """How the first indented line is indented."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "

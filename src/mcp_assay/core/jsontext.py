"""JSON that people wrote: strict, with the line of every complaint and of every key.

The standard parser keeps the last of two equal keys, accepts NaN and knows no positions. Here a byte-order mark is
tolerated, duplicate keys and non-numbers are errors, and ``line_of`` finds where a key stands.
"""

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from mcp_assay.errors import InputError

__all__ = ["decode", "line_of", "loads"]

_BLANKS = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def decode(data: bytes, source: str) -> str:
    """UTF-8 with an optional byte-order mark. Raises InputError naming the line of the first bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        raise InputError(source, "not UTF-8 text; save the file as UTF-8", line=line) from None


def loads(data: bytes, source: str) -> Any:
    """Parse JSON bytes. Raises InputError (file, line, key) for anything that RFC 8259 or good sense forbids."""
    text = decode(data, source)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError(source, "duplicate key; keep one of them", line=_second(text, twice), key=twice)
        return table

    def refuse(constant: str) -> NoReturn:
        raise InputError(source, f"{constant} is not JSON", line=_first(text, constant))

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except json.JSONDecodeError as bad:
        raise InputError(source, f"not valid JSON: {bad.msg}", line=bad.lineno) from None
    except RecursionError:
        raise InputError(source, "nested too deeply") from None


def line_of(data: bytes, path: tuple[str, ...]) -> int | None:
    """The 1-based line on which the key at ``path`` stands (keys of nested objects), or None if it does not."""
    text = data.decode("utf-8-sig", errors="replace")
    start, found = 0, None
    for key in path:
        found = next(((at, value) for name, at, value in _members(text, start) if name == key), None)
        if found is None:
            return None
        start = found[1]
    return None if found is None else text.count("\n", 0, found[0]) + 1


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """(key, offset of the key, offset of its value) for the object that begins at ``start``, if one does."""
    at = _skip(text, start)
    if text[at : at + 1] != "{":
        return
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, end = scanstring(text, at + 1)
        value = _skip(text, _skip(text, end) + 1)
        yield key, at, value
        _, end = _DECODER.raw_decode(text, value)
        at = _skip(text, _skip(text, end) + 1)


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _second(text: str, key: str) -> int | None:
    """The line of the second key of that name: a hint for people, so the nearest textual match will do."""
    matches = [match.start() for match in re.finditer(re.escape(json.dumps(key)) + r"\s*:", text)]
    return text.count("\n", 0, matches[1]) + 1 if len(matches) > 1 else None


def _first(text: str, word: str) -> int:
    return text.count("\n", 0, max(text.find(word), 0)) + 1

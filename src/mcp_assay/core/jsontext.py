"""JSON that people wrote: strict, with the line of every complaint and of every key.

The standard parser keeps the last of two equal keys, accepts NaN and knows no positions. Here a byte-order mark is
tolerated, duplicate keys and non-numbers are errors, and ``line_of`` finds where a key stands.
"""

import json
import math
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from mcp_assay.errors import InputError

__all__ = ["decode", "line_of", "lines_of", "loads"]

_BLANKS = re.compile(r"[ \t\n\r]*")
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_LEXEME = re.compile(rf"{_STRING}|[{{}}\[\]]|[^\s\"{{}}\[\],:]+", re.DOTALL)  # a string, a bracket, or a bare word
_DECODER = json.JSONDecoder()


def decode(data: bytes, source: str) -> str:
    """UTF-8 with an optional byte-order mark. Raises InputError naming the line of the first bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = bad.object.count(b"\n", 0, bad.start) + 1  # bad.start does not count the mark, nor does bad.object
        raise InputError(source, "not UTF-8 text; save the file as UTF-8", line=line) from None


def loads(data: bytes, source: str) -> Any:
    """Parse JSON bytes. Raises InputError (file, line, key) for anything that RFC 8259 or good sense forbids."""
    text = decode(data, source)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) != len(pairs):
            key, line = _repeated(text)
            raise InputError(source, "duplicate key; keep one of them", line=line, key=key)
        return table

    def refuse(constant: str) -> NoReturn:
        raise InputError(source, f"{constant} is not JSON", line=_line_of_word(text, constant))

    def finite(digits: str) -> float:
        if math.isinf(number := float(digits)):
            raise InputError(source, "a number out of range", line=_line_of_word(text, digits))
        return number

    def integer(digits: str) -> int:
        try:
            return int(digits)
        except ValueError:  # Python reads no more than a few thousand digits
            raise InputError(source, "a number with too many digits", line=_line_of_word(text, digits)) from None

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse, parse_float=finite, parse_int=integer)
    except json.JSONDecodeError as bad:
        raise InputError(source, f"not valid JSON: {bad.msg}", line=bad.lineno) from None
    except RecursionError:
        raise InputError(source, "nested too deeply") from None


def line_of(data: bytes, path: tuple[str, ...]) -> int | None:
    """The 1-based line on which the key at ``path`` stands (keys of nested objects), or None if it does not."""
    return lines_of(data, path[:-1]).get(path[-1]) if path else None


def lines_of(data: bytes, path: tuple[str, ...]) -> dict[str, int]:
    """The 1-based line of each key of the object at ``path``; empty if no object stands there or it is not JSON."""
    text = data.decode("utf-8-sig", errors="replace")
    lines: dict[str, int] = {}
    line, seen = 1, 0
    try:
        for key, at, _ in _members(text, _value_at(text, path)):
            line += text.count("\n", seen, at)
            lines[key], seen = line, at
    except (ValueError, RecursionError):
        return {}
    return lines


def _value_at(text: str, path: tuple[str, ...]) -> int:
    """The offset of the value at ``path``, or the text's end if there is none."""
    start = 0
    for key in path:
        start = next((value for name, _, value in _members(text, start) if name == key), len(text))
    return start


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


def _repeated(text: str) -> tuple[str | None, int | None]:
    """The first key that stands twice in one object, and the line of its second appearance."""
    open_keys: list[set[str]] = []
    for lexeme in _LEXEME.finditer(text):
        if lexeme[0] in ("{", "["):
            open_keys.append(set())
        elif lexeme[0] in ("}", "]"):
            open_keys.pop()
        elif text.startswith(":", _skip(text, lexeme.end())):
            key = json.loads(lexeme[0])
            if key in open_keys[-1]:
                return key, _line_at(text, lexeme.start())
            open_keys[-1].add(key)
    return None, None


def _line_of_word(text: str, word: str) -> int | None:
    """The line of the first number or constant of that spelling, outside of strings."""
    words = (lexeme.start() for lexeme in _LEXEME.finditer(text) if lexeme[0] == word)
    return next((_line_at(text, at) for at in words), None)


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1

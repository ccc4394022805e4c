r"""The regular expressions of JSON Schema, run by Python's engine with their own meaning.

The two dialects share a syntax but for details that would let a wrong value through: in Python ``$`` also matches
before a final line feed, ``.`` matches a carriage return, ``\s`` and ``\d`` are about other characters, and ``[]a]`` is
one class, not an empty one with more behind it. What only Python knows is refused, so that a pattern means the same to
everybody who reads the schema.
"""

import re

__all__ = ["compiled", "fault"]

# An escape, a character class, the head of a special group, a possessive quantifier, one with no least, or a character.
_PIECE = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]|\(\?(?:<[=!]|.)?|[*+?}]\+|\{,\d+\}|.", re.DOTALL)
_ESCAPE = re.compile(r"\\.", re.DOTALL)
# ECMA-262: WhiteSpace and LineTerminator
_SPACES = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_TRANSLATED = {
    "$": r"\Z",
    ".": r"[^\n\r\u2028\u2029]",
    "[]": "(?!)",
    "[^]": r"[\0-\U0010ffff]",
    r"\s": f"[{_SPACES}]",
    r"\S": f"[^{_SPACES}]",
}
_GROUPS = frozenset({"(?:", "(?=", "(?!", "(?<=", "(?<!"})
_PYTHON_ONLY = frozenset({r"\A", r"\Z", r"\a", r"\N", r"\U"})
_cache: dict[str, re.Pattern[str]] = {}


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern for ``search()``. Raises re.error for one that ``fault`` complains of."""
    if pattern not in _cache:
        if len(_cache) > 1000:  # noqa: PLR2004 - patterns come from callers; a long life must not collect them
            _cache.clear()
        _cache[pattern] = re.compile("".join(map(_translate, _PIECE.findall(pattern))), re.ASCII)
    return _cache[pattern]


def fault(pattern: str) -> str | None:
    """Why the pattern cannot be used, or None."""
    try:
        compiled(pattern)
    except (re.error, OverflowError, RecursionError) as bad:
        return f"not a regular expression that is supported ({bad})"
    return None


def _translate(piece: str) -> str:
    special = piece.startswith("(?") and piece not in _GROUPS
    possessive = len(piece) == 2 and piece[1] == "+" and piece[0] in "*+?}"  # noqa: PLR2004 - a pair such as "*+"
    if special or possessive or piece.startswith("{,") or not _PYTHON_ONLY.isdisjoint(_ESCAPE.findall(piece)):
        raise re.error(f"{piece} is not in the dialect of JSON Schema")
    if piece.startswith("[") and piece not in _TRANSLATED:
        return piece.replace(r"\s", _SPACES)
    return _TRANSLATED.get(piece, piece)

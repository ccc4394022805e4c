"""The shape of a JSON value in words: its type, its size, and the keys that a schema declares. Never a value.

Everything that is printed is a word of ours, a number that we counted, or a declared key that passed ``shown``.
"""

from itertools import islice
from typing import Any

from mcp_assay.core.declared import Declared, shown

__all__ = ["KEYS", "json_type", "shape"]

KEYS = 6
"""How many declared keys of one object are shown; the others are counted."""

_MAX_LOOKED = 1_000  # items of a list, and keys of an object, that are looked at


def json_type(value: object) -> str:
    """``null``, ``boolean``, ``integer``, ``number``, ``string``, ``array`` or ``object``; ``other`` if not JSON."""
    if value is None:
        return "null"
    for kind, word in _JSON_TYPES:
        if isinstance(value, kind):
            return word
    return "other"


# Booleans first: to Python they are integers.
_JSON_TYPES: tuple[tuple[Any, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
_SHORT = {"boolean": "bool", "integer": "int"}


def shape(value: object, declared: Declared, keys: int = KEYS, *, nested: bool = True) -> str:
    """``int``, ``string[12]``, ``array[47] of {id,state,title}``, ``object{ok,count}``, ``map[3]``.

    With ``nested``, an object's only list is shown with its own shape: ``object{result: array[2] of string}``.
    """
    if isinstance(value, str):
        return f"string[{len(value)}]"
    if isinstance(value, list):
        return _array(value, declared, keys)
    if isinstance(value, dict):
        return _object(value, declared, keys, nested=nested)
    return _short(value)


def _short(value: object) -> str:
    kind = json_type(value)
    return _SHORT.get(kind, kind)


def _array(items: list[Any], declared: Declared, keys: int) -> str:
    looked = items[:_MAX_LOOKED]
    kinds = {_short(item) for item in looked}
    if not kinds:
        return "array[0]"
    if kinds == {"object"}:
        return f"array[{len(items)}] of {_records(looked, declared, keys)}"
    return f"array[{len(items)}] of {kinds.pop() if len(kinds) == 1 else 'mixed'}"


def _records(records: list[dict[str, Any]], declared: Declared, keys: int) -> str:
    """The objects of a list: the declared keys that any of them has, or how many keys they have."""
    present: dict[str, None] = {}
    undeclared: set[str] = set()
    for index, record in enumerate(records):
        item = declared.element(index)
        for key in islice(record, _MAX_LOOKED):
            if item.member(key) is None:
                undeclared.add(key)
            else:
                present[key] = None
    if not present:
        sizes = {len(record) for record in records}
        return f"map[{min(sizes)}]" if len(sizes) == 1 else f"map[{min(sizes)}-{max(sizes)}]"
    return "{" + _listed([shown(key) for key in present], keys, len(undeclared)) + "}"


def _object(table: dict[str, Any], declared: Declared, keys: int, *, nested: bool) -> str:
    present = [key for key in declared.names() if key in table]
    if not present:
        return f"map[{len(table)}]"
    lists = [key for key in present if isinstance(table[key], list)]
    names = [shown(key) for key in present]
    if nested and len(lists) == 1:
        inner = declared.member(lists[0])
        at = present.index(lists[0])
        names[at] += f": {shape(table[lists[0]], inner or declared, keys, nested=False)}"
    return "object{" + _listed(names, keys, len(table) - len(present)) + "}"


def _listed(names: list[str], keys: int, more: int) -> str:
    """Names joined by commas; those beyond ``keys``, and ``more`` that have no name to show, are counted."""
    rest = len(names) - len(names[:keys]) + more
    return ",".join([*names[:keys], *([f"+{rest}"] if rest else [])])

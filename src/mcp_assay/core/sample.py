"""A value for a parameter from its own schema, and from what everybody knows: what a time zone looks like.

What identifies something on the server is never made up: a made-up id is our own clumsiness, not the server's friction.
Candidates come best first; none means that the schema alone cannot supply a value. Total on any schema.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from mcp_assay.core.addressing import noun
from mcp_assay.core.entities import singular
from mcp_assay.core.parameters import Parameter, member, members
from mcp_assay.core.quantity import is_paging
from mcp_assay.core.words import tokens, word_set

__all__ = ["FREE_TEXT", "fits", "identifies", "is_query", "samples", "within"]

_MAX_DEPTH = 4
_MAX_ITEMS = 10
_HUGE = 10**15
_FEW = 2  # of whatever is to be counted

QUERIES = word_set("query q search text keyword term phrase needle")
FREE_TEXT = QUERIES | word_set("prompt question topic input string")
"""Last words of parameters that take any text at all."""

_WRITTEN = word_set("message content body comment description title subject summary note thought reason")
_IDENTIFYING = word_set(
    "id uuid uid guid gid iid key number num no slug sha hash identifier handle login ref name token cursor pid"
)
_KNOWN: Mapping[str, Any] = {
    **dict.fromkeys(("timezone", "tz", "zone"), "UTC"),
    **dict.fromkeys(("language", "lang", "locale"), "en"),
    **dict.fromkeys(("city", "location", "place"), "London"),
    **dict.fromkeys(("latitude", "lat"), 51.5),
    **dict.fromkeys(("longitude", "lng", "lon"), -0.12),
    **dict.fromkeys(("date", "day"), "2025-01-01"),
    **dict.fromkeys(("url", "uri", "link", "website"), "https://example.com/"),
    **dict.fromkeys(("domain", "host", "hostname"), "example.com"),
    **dict.fromkeys(("symbol", "ticker"), "AAPL"),
    **dict.fromkeys(("expression", "formula"), "1+1"),
    "currency": "USD",
    "country": "US",
    "time": "12:00",
    "datetime": "2025-01-01T00:00:00Z",
    "timestamp": "2025-01-01T00:00:00Z",
    "year": 2025,
    "month": 1,
    "email": "user@example.com",
    "ip": "192.0.2.1",
    "color": "#336699",
}
"""Values that mean the same everywhere, by the last word of a parameter's name. Addresses are reserved ones."""

_FORMATS = {
    "date": "2025-01-01",
    "date-time": "2025-01-01T00:00:00Z",
    "time": "12:00:00Z",
    "duration": "PT1H",
    "email": "user@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
}
_TOLD = re.compile(
    r"(?:\be\.g\.?,?|\bfor example,?|\bsuch as|\bexamples?:)\s*[:(]?\s*"
    r"(?:[\"'`\u2018\u201c](?P<quoted>[^\"'`\u2019\u201d\n]{1,80})[\"'`\u2019\u201d]|(?P<bare>[\w./:+-]{2,40}))",
    re.IGNORECASE,
)
_VALID = re.compile(
    r"\b(?:(?:valid|allowed|possible|supported) (?:values?|types?|options?)(?: include| are)?|one of)\s*[:(]?\s*"
    r"[\"'`]?([\w-]{2,40})",
    re.IGNORECASE,
)
_TELLING = re.compile(r"[A-Z\d/_:]")


def samples(parameter: Parameter, depth: int = 0) -> Iterator[Any]:
    """Values for a parameter, the best first: what the schema fixes, what it shows, what its name or format means."""
    found = _all(parameter, depth) if depth < _MAX_DEPTH else iter(())
    return (value for value in found if fits(value, parameter))


def _all(parameter: Parameter, depth: int) -> Iterator[Any]:
    schema = parameter.schema
    if "const" in schema:
        yield schema["const"]
    for word in ("enum", "examples"):
        values = schema.get(word)
        yield from (
            islice((value for value in values if value is not None), _MAX_ITEMS) if isinstance(values, list) else ()
        )
    if "enum" in schema or "const" in schema:
        return
    for word in ("default", "example"):
        if schema.get(word) not in (None, ""):
            yield schema[word]
    yield from _TYPES.get(parameter.type, _text)(parameter, depth)


def _text(parameter: Parameter, _: int) -> Iterator[Any]:
    schema, word = parameter.schema, _last(parameter)
    known = not identifies(parameter)
    written = schema.get("format")
    if known and isinstance(written, str) and written in _FORMATS:
        yield _FORMATS[written]
    if known:
        yield from _told(parameter.description)
    if "pattern" in schema:
        return  # whatever is made up would have to match it, and a server's expression is not ours to run
    if word in _KNOWN:
        yield _KNOWN[word] if isinstance(_KNOWN[word], str) else str(_KNOWN[word])
    if word in ("pattern", "glob", "regex"):
        about = f"{parameter.name} {parameter.description}".lower()
        yield "**/*" if "glob" in about else ".*" if "regex" in about or "regular exp" in about else "*"
    if word in FREE_TEXT | _WRITTEN:
        yield _long_enough("test" if word in FREE_TEXT else "A test entry.", schema)


def _number(parameter: Parameter, _: int) -> Iterator[Any]:
    word = _last(parameter)
    if isinstance(_KNOWN.get(word), int | float):
        yield within(_KNOWN[word], parameter.schema)
    elif is_paging(parameter.name):
        yield within(_FEW, parameter.schema)
    elif not identifies(parameter):
        yield within(1, parameter.schema)


def _flag(_: Parameter, __: int) -> Iterator[Any]:
    yield False


def _list(parameter: Parameter, depth: int) -> Iterator[Any]:
    item = member(singular_name(parameter.name), parameter.schema.get("items"), parameter.root)
    least = parameter.schema.get("minItems")
    number = min(max(least, 1), _MAX_ITEMS) if type(least) is int else 1
    found = list(islice(samples(item, depth + 1), number))
    if found:
        yield [*found, *[found[-1]] * (number - len(found))]


def _table(parameter: Parameter, depth: int) -> Iterator[Any]:
    filled = {}
    for inner in members(parameter.schema, parameter.root):
        if inner.required:
            value = next(samples(inner, depth + 1), _NOTHING)
            if value is _NOTHING:
                return
            filled[inner.name] = value
    yield filled


_NOTHING = object()
_TYPES = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": _flag,
    "array": _list,
    "object": _table,
}


def identifies(parameter: Parameter) -> bool:
    """Whether a value must name something that is there on the server, so that nobody can make it up."""
    words = tokens(parameter.name[:200])
    if not words or is_paging(parameter.name):
        return False
    last = singular(words[-1])
    return last in _IDENTIFYING or (noun([parameter.name]).addresses and last not in _KNOWN)


def is_query(parameter: Parameter) -> bool:
    """Whether a parameter takes the text of a search, and its schema shows none."""
    shown = any(word in parameter.schema for word in ("examples", "example", "default"))
    return _last(parameter) in QUERIES and parameter.type == "string" and parameter.is_free and not shown


def fits(value: object, parameter: Parameter) -> bool:
    """Whether a value has the parameter's type, is one of its choices, and keeps to its plain bounds."""
    schema = parameter.schema
    choices = schema.get("enum")
    if isinstance(choices, list) and not any(type(choice) is type(value) and choice == value for choice in choices):
        return False
    if isinstance(value, str):
        return parameter.takes_text and _bound(schema, "minLength", 0) <= len(value) <= _bound(
            schema, "maxLength", 10_000
        )
    if isinstance(value, bool):
        return parameter.type in ("boolean", "")
    if isinstance(value, int | float):
        whole = parameter.type != "integer" or float(value).is_integer()
        return parameter.takes_number and whole and value == within(value, schema)
    return parameter.type in ("", "array" if isinstance(value, list) else "object")


def within(wanted: float, schema: Mapping[str, Any]) -> int | float:
    """The wanted number, moved into the schema's bounds."""
    low, high = _number_of(schema, "minimum"), _number_of(schema, "maximum")
    above, below = _number_of(schema, "exclusiveMinimum"), _number_of(schema, "exclusiveMaximum")
    lows = [bound for bound in (low, None if above is None else above + 1) if bound is not None]
    highs = [bound for bound in (high, None if below is None else below - 1) if bound is not None]
    for bound in lows:
        wanted = max(wanted, bound)
    for bound in highs:
        wanted = min(wanted, bound)
    return wanted


def singular_name(name: str) -> str:
    """``issue_ids`` is a list of what is called ``issue_id``."""
    words = tokens(name[:200])
    return "_".join([*words[:-1], singular(words[-1])]) if words else name


def _last(parameter: Parameter) -> str:
    words = tokens(parameter.name[:200])
    return singular(words[-1]) if words else ""


def _told(description: str) -> Iterator[str]:
    """Values that the description gives in words: e.g. 'Europe/Oslo', e.g. NVDA, one of: contacts, companies."""
    yield from islice((found for found in _VALID.findall(description) if found.lower() != "the"), 1)
    for found in islice(_TOLD.finditer(description), _MAX_ITEMS):
        if found["quoted"]:
            yield found["quoted"]
        elif _TELLING.search(found["bare"]):
            yield found["bare"].rstrip(".:")


def _long_enough(text: str, schema: Mapping[str, Any]) -> str:
    least, most = _bound(schema, "minLength", 0), _bound(schema, "maxLength", 10_000)
    return (text * (min(least, 10_000) // len(text) + 1) if len(text) < least else text)[:most]


def _bound(schema: Mapping[str, Any], word: str, otherwise: int) -> int:
    value = schema.get(word)
    return value if type(value) is int and value >= 0 else otherwise


def _number_of(schema: Mapping[str, Any], word: str) -> int | float | None:
    value = schema.get(word)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < _HUGE else None

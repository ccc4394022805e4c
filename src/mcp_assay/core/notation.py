"""The other notations of a value: 12 for "#12", a day for an instant, the end of a URL; and which values mean nothing.

A value that turns up everywhere (``true``, ``open``, 10) proves nothing by turning up twice: it is *low* in entropy.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

__all__ = [
    "Moment",
    "bare",
    "is_identifier",
    "is_low",
    "is_small",
    "moment",
    "moments",
    "numeric",
    "tokens",
    "undressed",
    "url_tail",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NUMBER = re.compile(r"#?(-?\d{1,20}(?:\.\d{1,12})?)")
_MAX_NUMBER = 10**20  # larger ones, and what is no number, are not compared
_EPOCH = (946_684_800, 4_102_444_800)  # the years 2000 to 2100 in seconds
_MILLISECONDS = 1_000
_SMALL = 1_000
_TELLING_DIGITS = 5  # of a fraction: 52.520 may be a coordinate, 0.5 is a setting
_SHORT = 3
_MAX_NAME = 256

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IDENTIFIERS = _set("id ids iid iids number numbers no num nr key keys uid uuid guid gid pid sha slug ref")
_TIMES = _set("at on ts time timestamp date day created updated modified since until due start end expires")
_COMMON = _set(
    "true false yes no on off none null nil any all both asc desc ascending descending open opened closed created"
    " updated modified id ids name title body text type kind status state date time day week month year today now"
    " latest oldest new old first last next default auto main master head json xml csv html yaml markdown plain"
    " text/plain application/json utf-8 high medium low normal public private active inactive enabled disabled"
    " pending done todo success error failed read write get list search create update delete post put patch user"
    " users admin test tests issue issues file files page query value data item items result results relevance score"
    " best"
)
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_AFTER_MARK = re.compile(r"[:/@#|=~]")
_LAST_NUMBER = re.compile(r"[A-Za-z][\w.]*[-_#/](\d{1,20})")
_MARK = re.compile(r"(?:[@#~]|[A-Za-z][A-Za-z0-9+.-]{0,20}:(?!/)|[A-Za-z]{2,20}/(?=[^/]*\Z))(.+)", re.DOTALL)
_MAX_PIECES = 4
_TOKEN = re.compile(r"[^\s,;|=()\[\]{}<>\"'`]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://[^/?#\s]*/([^?#\s]*)")


def numeric(value: object) -> int | float | None:
    """The number that a value is or spells: 12 for 12, "12" and "#12". None for booleans, NaN and all else."""
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value) if len(value) <= 35 else None  # noqa: PLR2004 - the longest that can match
        if match is None:
            return None
        return float(match[1]) if "." in match[1] else int(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < _MAX_NUMBER else None


def is_small(number: float) -> bool:
    """Below 1,000, or a fraction of few digits: it turns up by chance."""
    if isinstance(number, float) and not number.is_integer():
        return abs(number) < _SMALL and sum(map(str.isdigit, repr(number))) < _TELLING_DIGITS
    return abs(number) < _SMALL


def is_identifier(name: str) -> bool:
    """Whether a key names an identifier: ``issue_number``, ``projectId``, ``key``. Then even 12 means something."""
    return _last_word(name) in _IDENTIFIERS


def _is_time(name: str) -> bool:
    return _last_word(name) in _TIMES


def _last_word(name: str) -> str:
    words = _WORD.findall(name[-40:])
    return words[-1].lower() if words else ""


def is_low(value: object, name: str) -> bool:
    """Whether an argument of that name and value is too common to say where it came from."""
    number = numeric(value)
    if number is not None:
        return is_small(number) and not is_identifier(name)
    if not isinstance(value, str):
        return True
    word = value.strip()
    return len(word) < _SHORT or word.casefold() in _COMMON or not any(map(str.isalnum, word))


class Moment(NamedTuple):
    """A point in time: epoch seconds, and the day ``YYYY-MM-DD`` as it is written, if one is."""

    instant: int
    day: str | None
    is_day: bool  # it means the whole day: no time given, or the day's first or last second


def moment(value: object, name: str = "") -> Moment | None:
    """Read an ISO 8601 date or datetime (UTC where it says nothing) or epoch seconds or milliseconds.

    Epoch numbers have a day only under a name that speaks of time: others may be ids.
    """
    if isinstance(value, str) and len(value) >= len("2000-01-01") and value[4] in "-/":
        return _written(value)
    number = numeric(value)
    if number is None:
        return None
    seconds = number / _MILLISECONDS if number >= _EPOCH[0] * _MILLISECONDS else number
    if not _EPOCH[0] <= seconds < _EPOCH[1]:
        return None
    when = datetime.fromtimestamp(seconds, UTC)
    return Moment(int(seconds), f"{when:%Y-%m-%d}" if _is_time(name) else None, is_day=False)


def _written(text: str) -> Moment | None:
    iso = text[:10].replace("/", "-") + text[10:40]
    try:
        when = datetime.fromisoformat(iso)
        aware = when if when.tzinfo else when.replace(tzinfo=UTC)
        instant = int(aware.timestamp())
    except (OverflowError, ValueError):
        return None
    clock = f"{when:%H:%M:%S}"
    return Moment(instant, iso[:10], is_day=len(iso) == len("2000-01-01") or clock in ("00:00:00", "23:59:59"))


def moments(value: object, name: str = "") -> Iterator[Moment]:
    """As ``moment``, and 20260403; of 03/04/2026 both the day and the month that may be meant."""
    when = moment(value, name)
    if when is not None:
        yield when
    yield from filter(None, map(_written, _days(value)) if isinstance(value, str) else ())


def _days(text: str) -> Iterator[str]:
    if len(text) > len("00/00/0000"):
        return
    compact, match = _COMPACT.fullmatch(text), _DAY_FIRST.fullmatch(text)
    if compact is not None:
        yield "-".join(compact.groups())
    if match is not None:
        one, _, other, year = match.groups()
        for day, month in dict.fromkeys(((one, other), (other, one))):
            yield f"{year}-{month:0>2}-{day:0>2}"


def bare(text: str, name: str) -> Iterator[str]:
    """A single word without its mark or prefix: ``ada`` of ``@ada``, ``user:ada``, ``people/ada`` and ``ada@host``.

    Of an identifier (by its name) also the number at its end: ``12`` of ``ISSUE-12``.
    """
    if len(text) > _MAX_NAME or any(map(str.isspace, text)):
        return
    # What follows an inner @ is a host, and nobody's name.
    marks = (match for match in _AFTER_MARK.finditer(text) if match[0] != "@" or not match.start())
    places = [mark.end() for mark in marks][-_MAX_PIECES:]
    pieces = [text[place:] for place in places] + [text.partition("@")[0]] * ("@" in text)
    yield from (piece for piece in pieces if len(piece) >= _SHORT)
    number = _LAST_NUMBER.fullmatch(text) if is_identifier(name) else None
    if number is not None:
        yield number[1]


def undressed(text: str) -> str | None:
    """What a mark or prefix was put before: ``ada`` of ``@ada``, ``user:ada``, ``people/ada``; None for else."""
    match = _MARK.fullmatch(text) if len(text) <= _MAX_NAME and not any(map(str.isspace, text)) else None
    return match[1] if match else None


def url_tail(text: str) -> str | None:
    """The last path segment of a URL; None if the text is none, or has no path."""
    match = _URL.match(text) if "://" in text[:24] else None
    tail = match[1].rstrip("/").rpartition("/")[2] if match else ""
    return tail or None


def tokens(text: str) -> Iterator[str]:
    """The words of a text: cut at blanks, brackets, quotes, ``,;|=``, and freed of trailing punctuation."""
    for match in _TOKEN.finditer(text):
        word = match[0].strip(".:!?*_~")
        if word:
            yield word

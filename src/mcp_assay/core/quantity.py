"""How much a result holds, and whether it says that there is more. Numbers and yes or no, read off well-known names.

Servers spell these names in many ways; letter case, ``_``, ``-`` and ``.`` make no difference here.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mcp_assay.core.declared import Declared

__all__ = ["at_limit", "is_paging", "item_count", "more", "total"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LIMITS = _set(
    "limit perpage pagesize pagelimit maxresults maxitems maxcount maxrecords resultlimit numresults first last top"
    " count n take"
)
_PLACES = _set("offset page pagenumber pageno pageindex skip startat startindex")
_LISTS = _set("items results result data entries records rows values nodes hits matches documents")
_NO_RECORDS = _set("errors warnings")
_TOTALS = _set(
    "total totalcount totalresults totalitems totalrecords totalrows totalentries totalhits totalelements"
    " totalmatches totalsize numfound"
)
_NEXT = _set(
    "nextcursor nextpagetoken nextpage nexttoken nextpagecursor nextoffset nexturl nextlink nextpageurl next"
    " odatanextlink nextmarker nextstart nextstartat continuationtoken continuation continue nextafter nextkey"
    " nextcontinuation resumetoken pagetoken bookmark scrollid"
)
# A cursor that points past the end is still given by some servers, next to a "no more".
_MAYBE_NEXT = _set("cursor endcursor")
_HAS_MORE = _set("hasmore hasnext hasnextpage moreavailable more")
_ENVELOPES = _set("result data response payload output")
_ABOUT_PAGES = _set("pagination paging pageinfo page meta metadata links responsemetadata")
_MAX_KEYS = 1_000
_MAX_TOTAL = 10**9  # a larger number is no count of anything, and might be a secret

_PAGING = _LIMITS | _PLACES

_ORNAMENT = re.compile(r"[^a-z0-9]")


def _plain(name: str) -> str:
    return _ORNAMENT.sub("", name[:80].lower())


def is_paging(name: str) -> bool:
    """Whether an argument of that name says how much, or from where on: ``limit``, ``perPage``, ``offset``, …"""
    return _plain(name) in _PAGING


def item_count(data: object) -> int | None:
    """How many records a result's data holds; None if it does not say which of its lists are the records.

    A list is the records. So is an object's only list, or the one of several that has a usual name.
    """
    data = _unwrapped(data)
    if isinstance(data, list):
        return len(data)
    if not isinstance(data, dict):
        return None
    lists = {key: value for key, value in data.items() if isinstance(value, list) and _plain(key) not in _NO_RECORDS}
    if len(lists) > 1:
        lists = {key: value for key, value in lists.items() if _plain(key) in _LISTS}
    return len(next(iter(lists.values()))) if len(lists) == 1 else None


def total(data: object) -> int | None:
    """How many records there are in all, where the result says so. ``count`` is not asked: it may mean this page."""
    found = (value for key, value in _members(data) if key in _TOTALS and type(value) is int)
    return next((value for value in found if 0 <= value < _MAX_TOTAL), None)


def at_limit(items: int | None, args: Mapping[str, Any], declared: Declared) -> bool | None:
    """Whether exactly as many records came back as were asked for, by argument or by the schema's default."""
    given = [value for key, value in args.items() if _plain(key) in _LIMITS]
    if not given:
        known = [declared.member(name) for name in declared.names() if _plain(name) in _LIMITS]
        given = [value for member in known if member is not None for value in member.defaults()]
    limits = [value for value in given if type(value) is int and value > 0]
    return None if items is None or not limits else items in limits


def more(result: Mapping[str, Any] | None, data: object, items: int | None) -> bool | None:
    """Whether the result says how to get more; False if it says that there is none or, for records, says nothing.

    None for anything else: then the question makes no sense.
    """
    if result is not None and _says(result.get("nextCursor")):
        return True
    members = list(_members(data))
    has_more = [value for key, value in members if key in _HAS_MORE and isinstance(value, bool)]
    pointers = [value for key, value in members if key in _NEXT]
    pointers += [value for key, value in members if key in _MAYBE_NEXT and not has_more]
    if True in has_more or any(map(_says, pointers)):
        return True
    return False if has_more or pointers or items is not None else None


def _says(value: object) -> bool:
    """Whether a member that points to the next page does so: not null, not blank, not empty, not false."""
    if isinstance(value, str):
        return bool(value.strip())
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or bool(value)


def _unwrapped(data: object) -> object:
    """The inside of ``{"data": {…}}``: an object that is the only, usually named, member of another."""
    if isinstance(data, dict) and len(data) == 1:
        (key, inner), *_ = data.items()
        if isinstance(inner, dict) and _plain(key) in _ENVELOPES:
            return inner
    return data


def _members(data: object) -> Iterator[tuple[str, Any]]:
    """The members of a result's data under plain names, then those of its parts that are about pages."""
    data = _unwrapped(data)
    if not isinstance(data, dict) or len(data) > _MAX_KEYS:
        return
    for key, value in data.items():
        yield _plain(key), value
    for key, value in data.items():
        if isinstance(value, dict) and _plain(key) in _ABOUT_PAGES:
            yield from ((_plain(inner), item) for inner, item in value.items())

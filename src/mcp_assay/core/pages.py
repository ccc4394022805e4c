"""How a tool's results come in pages: which of its parameters say how many, and which say from where on."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.quantity import is_paging
from mcp_assay.core.sample import within
from mcp_assay.core.words import word_set

__all__ = ["NEXT_PAGE", "PAGE_SIZE", "Pages", "limits", "pages"]

PAGE_SIZE = 2
NEXT_PAGE = "next_page"
"""The name under which a step saves the pointer to the next page."""

_CURSORS = word_set(
    """cursor nextcursor pagecursor startcursor aftercursor pagetoken nextpagetoken nexttoken paginationtoken
    continuationtoken starttoken startingtoken startingafter startafter after marker skiptoken exclusivestartkey
    scrollid"""
)
_PAGES = frozenset({"page", "pagenumber", "pageno", "pageindex", "pageidx", "pagenum"})
_OFFSETS = frozenset({"offset", "skip", "startat", "startindex", "start", "pageoffset", "startrow", "rowstart"})
_MORE_LIMITS = frozenset({"maxresult", "numberofresults", "maxnumresults", "maxnumberofresults", "maxmessages", "num"})
_ENDS = ("perpage", "pagesize", "limit")
_NOT_RECORDS = re.compile(r"rate|time|char|token|byte|size_?limit|price|memory|depth", re.IGNORECASE)
_IS_TIME = re.compile(r"\b(?:dates?|times?|timestamps?|iso|rfc)\b|\d{4}-", re.IGNORECASE)

# Under these keys servers say where the next page begins, in the two spellings that are in use.
_POINTERS = (
    "next_cursor", "next_page_token", "next_token", "next_page", "next_offset", "end_cursor", "continuation_token",
    "next_marker", "next",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pages:
    """The parameters by role; at least one is there."""

    limit: Parameter | None = None
    cursor: Parameter | None = None
    page: Parameter | None = None
    offset: Parameter | None = None

    @property
    def rank(self) -> int:
        """0 for the surest way to the next page, 3 where there is none but to ask for more at once."""
        ways = (self.cursor, self.page, self.offset)
        return next((at for at, way in enumerate(ways) if way), len(ways))

    def first(self) -> dict[str, Any]:
        """The arguments that ask for a small first page."""
        asked = _given(self.limit, PAGE_SIZE)
        return asked | _given(self.page, self._first_page()) if self.rank == 1 else asked

    def second(self) -> dict[str, Any]:
        """The arguments that go past the first page. A cursor is one that the first page gave."""
        if self.cursor is not None:
            return _given(self.limit, PAGE_SIZE) | {self.cursor.name: f"${{{NEXT_PAGE}}}"}
        if self.page is not None:
            return _given(self.limit, PAGE_SIZE) | _given(self.page, self._first_page() + 1)
        if self.offset is not None:
            past = PAGE_SIZE if self.limit else 1
            return _given(self.limit, PAGE_SIZE) | _given(self.offset, past)
        return _given(self.limit, 5 * PAGE_SIZE)

    def save(self) -> dict[str, str]:
        """What the first page must yield: the pointer to the next, under any of the names in use."""
        if self.cursor is None:
            return {}
        names = [form for name in (*_POINTERS, "cursor") for form in _spellings(name)]
        if re.fullmatch(r"[A-Za-z0-9_]{1,60}", self.cursor.name):
            names.append(self.cursor.name)
        return {NEXT_PAGE: "$..[" + ",".join(f"'{name}'" for name in dict.fromkeys(names)) + "]"}

    def how(self) -> str:
        """In words, with the parameter's name as the server wrote it."""
        if way := self.cursor or self.page or self.offset:
            return f"{PAGE_SIZE} at a time, then on with {way.name}" if self.limit else f"on with {way.name}"
        return f"{PAGE_SIZE}, then more with a larger {self.limit.name if self.limit else 'limit'}"

    def _first_page(self) -> int:
        """Pages are counted from 1, unless the schema says that there is a page 0."""
        schema = self.page.schema if self.page else {}
        return 0 if 0 in (schema.get("default"), schema.get("minimum")) and schema.get("default") != 1 else 1


def pages(tool: Tool) -> Pages | None:
    """A tool's paging parameters, or None. Numbers that count something else, and dates, are none."""
    # "if any tool has limit, cursor, offset, page, or per_page parameters"
    found: dict[str, Parameter] = {}
    for parameter in parameters(tool):
        role = next((role for role, plays in _ROLES.items() if plays(parameter)), None)
        if role is not None:
            found.setdefault(role, parameter)
    return Pages(**found) if found else None


def limits(parameter: Parameter) -> bool:
    """Whether a parameter says how many records to return."""
    name = _plain(parameter.name)
    counts = is_paging(parameter.name) and name not in _PAGES | _OFFSETS
    ends = name.endswith(_ENDS) and not _NOT_RECORDS.search(parameter.name)
    return parameter.takes_number and (counts or ends or name in _MORE_LIMITS)


def _continues(parameter: Parameter) -> bool:
    if not (parameter.takes_text or parameter.takes_number) or _plain(parameter.name) not in _CURSORS:
        return False
    return "format" not in parameter.schema and not (
        _plain(parameter.name) == "after" and _IS_TIME.search(parameter.description)
    )


def _turns(parameter: Parameter) -> bool:
    return _is_number(parameter) and _plain(parameter.name) in _PAGES


def _skips(parameter: Parameter) -> bool:
    return _is_number(parameter) and _plain(parameter.name) in _OFFSETS


_ROLES: dict[str, Callable[[Parameter], bool]] = {
    "cursor": _continues,
    "page": _turns,
    "offset": _skips,
    "limit": limits,
}


def _is_number(parameter: Parameter) -> bool:
    """A number by its type, or by its default where no type is declared: an untyped ``page`` may be anything."""
    return parameter.type in ("integer", "number") or (
        not parameter.type and type(parameter.schema.get("default")) is int
    )


def _given(parameter: Parameter | None, wanted: int) -> dict[str, Any]:
    return {} if parameter is None else {parameter.name: within(wanted, parameter.schema)}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:80].lower())


def _spellings(name: str) -> tuple[str, str, str]:
    camel = re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
    return camel, name, camel[0].upper() + camel[1:]

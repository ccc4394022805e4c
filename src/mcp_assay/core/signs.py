"""What speaks for a tool's being a read and what speaks against it, for a person who must say which it is.

The rules have not decided about such a tool, so nothing here does either: it is what to look at. A server's words stand
in the signs as inline code, cut short.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from mcp_assay.core import inert
from mcp_assay.core.accepts import accepts
from mcp_assay.core.entities import nouns, verb
from mcp_assay.core.model import Tool
from mcp_assay.core.phrases import listed
from mcp_assay.core.words import (
    ACTING_VERBS,
    CHANGING_VERBS,
    DOUBTFUL_VERBS,
    PERMIT_LIST,
    READING_VERBS,
    gerund,
    past,
    third_person,
    tokens,
)

__all__ = ["Sign", "Signs", "signs"]

_MOST = 3
"""Words, parameters or siblings of one sign that are named; the others are counted."""
_READING = PERMIT_LIST | READING_VERBS
_ACTING = CHANGING_VERBS | ACTING_VERBS
_SAID_TO_ACT = frozenset(form(verb) for verb in _ACTING for form in (str, third_person, past, gerund))
_SAID_TO_READ = frozenset(form(verb) for verb in _READING for form in (str, third_person)) | {"readonly"}
_WORD = re.compile(r"read[- ]only|\w+", re.IGNORECASE)
_EXAMINED = 20_000
"""Characters of a description that are looked at."""
_AROUND = 3
"""Words before and after one of a description that are quoted with it: "does not delete the row" is no deletion."""


@dataclass(frozen=True, slots=True)
class Sign:
    """``of`` is what it was seen in: name, description, annotation, accepts (parameters) or siblings."""

    of: str
    said: str

    def __str__(self) -> str:
        return self.said if self.of == "siblings" else f"{self.of} {self.said}"


@dataclass(frozen=True, slots=True)
class Signs:
    """``read`` speaks for a read, ``mutating`` against it; either may be empty."""

    read: tuple[Sign, ...]
    mutating: tuple[Sign, ...]


def signs(tool: Tool, server: str, siblings: Iterable[Tool]) -> Signs:
    """The signs of one tool; ``siblings`` are all the tools that its server offers. Total: never raises."""
    others = [sibling for sibling in siblings if sibling.name != tool.name]
    return Signs(tuple(_for(tool, server, others)), tuple(_against(tool, server, others)))


def _for(tool: Tool, server: str, others: Sequence[Tool]) -> Iterator[Sign]:
    yield from _named(tool, _READING, "")
    yield from _said(tool.description, _SAID_TO_READ, most=1)
    if tool.annotations.get("readOnlyHint") is True:
        yield Sign("annotation", "`readOnlyHint`")
    if writers := _about_the_same(tool, server, others, lambda done: done in CHANGING_VERBS):
        yield Sign("siblings", f"{_quoted(writers)} {_verb(writers, 'changes')} the same")


def _against(tool: Tool, server: str, others: Sequence[Tool]) -> Iterator[Sign]:
    yield from _named(tool, _ACTING, "")
    yield from _named(tool, DOUBTFUL_VERBS, ", which may be either")
    yield from _said(tool.description, _SAID_TO_ACT, most=2)
    for hint, harmless in (("readOnlyHint", True), ("destructiveHint", False)):
        if tool.annotations.get(hint) not in (None, harmless):
            yield Sign("annotation", f"`{hint}` is not `{str(harmless).lower()}`")
    accepted = accepts(tool.input_schema)
    for names, meaning in (
        (accepted.actions, "as an action"),
        (accepted.programs, "to run"),
        (accepted.stores, "to store or send"),
        (accepted.saves, "to write to"),
    ):
        if names:
            yield Sign("accepts", f"{_quoted(names)} {meaning}")
    if readers := _about_the_same(tool, server, others, lambda done: done in PERMIT_LIST):
        yield Sign("siblings", f"{_quoted(readers)} {_verb(readers, 'reads')} the same")


def _named(tool: Tool, verbs: frozenset[str], remark: str) -> Iterator[Sign]:
    found = [word for word in tokens(tool.name) if word in verbs]
    if found:
        yield Sign("name", f"has {_quoted(found)}{remark}")


def _said(text: str, words: frozenset[str], most: int) -> Iterator[Sign]:
    """Where a description has one of the words, with what stands around it."""
    found = list(_WORD.finditer(text[:_EXAMINED]))
    places = [at for at, match in enumerate(found) if match.group().lower().replace("-", "").replace(" ", "") in words]
    if places:
        more = f" and {len(places) - most} more" if len(places) > most else ""
        yield Sign("description", "says " + ", ".join(_around(text, found, at) for at in places[:most]) + more)


def _around(text: str, found: Sequence[re.Match[str]], at: int) -> str:
    first, last = max(at - _AROUND, 0), min(at + _AROUND, len(found) - 1)
    return inert.code(" ".join(text[found[first].start() : found[last].end()].split()), 80)


def _about_the_same(tool: Tool, server: str, others: Sequence[Tool], does: Callable[[str], bool]) -> list[str]:
    """Tools whose verb is of a kind and that are about nothing but what this one is about."""
    about = nouns(tool, server)
    return [other.name for other in others if about and does(verb(other, server)) and nouns(other, server) == about]


def _verb(names: Sequence[str], third_person: str) -> str:
    return third_person if len(names) == 1 else third_person.removesuffix("s")


def _quoted(words: Iterable[str]) -> str:
    return listed([inert.code(word, 60) for word in dict.fromkeys(words)], _MOST)

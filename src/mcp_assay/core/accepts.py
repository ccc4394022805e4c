"""What a tool's input schema says it accepts that a tool which only reads has no use for.

A schema is a server's own text and may be anything: whatever is odd in it declares nothing. Never raises.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_assay.core.languages.roles import Role, role
from mcp_assay.core.words import CHANGING_VERBS, PERMIT_LIST, tokens

__all__ = ["Accepts", "accepts", "names_language"]


@dataclass(slots=True)
class Accepts:
    """Names of parameters, and members of enumerations, in the schema's order.

    ``actions`` are the mutating ones among the values of an action, operation, method or mode, and an HTTP method that
    may be any where the schema also takes a body. ``saves`` are parameters that say where to write a file,
    ``always_saves`` those of them that every call gives. ``programs`` take code, a command or a statement of a query
    language that can also write, ``queries`` a query in no language that is named, ``stores`` what is typically stored
    or sent.
    """

    actions: list[str] = field(default_factory=list)
    saves: list[str] = field(default_factory=list)
    always_saves: list[str] = field(default_factory=list)
    programs: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


_STORED = {"body", "content", "contents", "html", "message", "messages", "payload"}
_SENT = {"body", "payload"}
_CHOOSES = {Role.ACTION, Role.METHOD, Role.VERB, Role.COMMAND}
_VERBS = {Role.METHOD, Role.VERB}
_RUNS = {Role.SQL, Role.GRAPHQL, Role.CYPHER, Role.SPARQL, Role.OTHER, Role.COMMAND, Role.CODE, Role.SHORT_CODE}


def accepts(schema: object) -> Accepts:
    """What the properties of a tool's input schema, at any depth, accept."""
    found, verbs = Accepts(), []
    for name, member in _properties(schema):
        what, words = role(name), tokens(name)
        values = _values(member)
        if what in _CHOOSES:
            found.actions += [value for value in values if _mutates(value, is_mode=words[-1] == "mode")]
            verbs += [name] if what in _VERBS and not values else []
        if what in _RUNS and not values:
            found.programs.append(name)
        elif what is Role.QUERY:
            (found.programs if names_language(str(member.get("description"))) else found.queries).append(name)
        elif what is Role.SAVING:
            found.saves.append(name)
        if words and words[-1] in _STORED:
            found.stores.append(name)
    if any(tokens(name)[-1] in _SENT for name in found.stores):
        found.actions += verbs
    required = schema.get("required") if isinstance(schema, Mapping) else None
    found.always_saves = [name for name in found.saves if isinstance(required, list) and name in required]
    return found


_LANGUAGE = re.compile(r"\b(?:SQL|Cypher|GraphQL|SPARQL|Gremlin)\b", re.IGNORECASE)


def names_language(text: str) -> bool:
    """Whether a text speaks of a query language in which one can also write."""
    return _LANGUAGE.search(text[:_MOST]) is not None


def _mutates(value: str, *, is_mode: bool) -> bool:
    """``delete``, ``create_issue`` and ``issue.create``; not ``get_workflow_run``, and no mode ``workspace-write``."""
    words = tokens(value)
    if not words or words[0] in CHANGING_VERBS:
        return bool(words)
    return not is_mode and words[0] not in PERMIT_LIST and words[-1] in CHANGING_VERBS


def _properties(schema: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every declared property, those of combinators, of items and of local definitions too, within a bound."""
    waiting, left = [schema], _MOST
    while waiting and left:
        left -= 1
        found = waiting.pop()
        if isinstance(found, list):
            waiting += found[::-1]
        if not isinstance(found, Mapping):
            continue
        properties = found.get("properties")
        if isinstance(properties, Mapping):
            named = [(str(name), member) for name, member in properties.items() if isinstance(member, Mapping)]
            yield from named
            waiting += [member for _, member in reversed(named)]
        waiting += [found.get(word) for word in ("items", "anyOf", "oneOf", "allOf")]
        for word in ("$defs", "definitions"):
            inner = found.get(word)
            waiting += list(inner.values()) if isinstance(inner, Mapping) else []


_MOST = 2_000


def _values(schema: Mapping[str, Any]) -> list[str]:
    """The texts that an enumeration allows: of the schema, of its branches, or of its items."""
    found: list[str] = []
    for part in [schema, schema.get("items"), *_branches(schema)]:
        if isinstance(part, Mapping):
            listed = part.get("enum", [part["const"]] if "const" in part else [])
            found += [value for value in listed if isinstance(value, str)] if isinstance(listed, list) else []
    return found


def _branches(schema: Mapping[str, Any]) -> list[object]:
    return [part for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list) for part in schema[word]]

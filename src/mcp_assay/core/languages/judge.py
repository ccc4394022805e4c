"""What the arguments of a call say about it, where the name of its tool says that it reads.

They can only turn a read into a call that may mutate, never the other way round.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay.core.classify import Classified
from mcp_assay.core.declared import shown
from mcp_assay.core.languages import graphql, queries, shapes, sql, verbs
from mcp_assay.core.languages.given import Given, given
from mcp_assay.core.languages.roles import Role, role, switches
from mcp_assay.core.model import Tool, Verdict

__all__ = ["by_arguments"]

_MOST_PARSED = 8
_LANGUAGES: dict[Role, Callable[[str], str | None]] = {
    Role.SQL: sql.why_not,
    Role.GRAPHQL: graphql.why_not,
    Role.CYPHER: lambda text: queries.why_not(text, queries.CYPHER),
    Role.SPARQL: lambda text: queries.why_not(text, queries.SPARQL),
    Role.OTHER: lambda text: queries.why_not(text, queries.OTHER),
}
_SPOKEN = {
    Role.GRAPHQL: re.compile(r"graphql"),
    Role.CYPHER: re.compile(r"cypher|neo4j|memgraph"),
    Role.SPARQL: re.compile(r"sparql"),
    Role.OTHER: re.compile(r"arangodb|edgeql|edgedb|\bn1ql\b|surrealdb|surrealql"),
    Role.SQL: re.compile(r"(?<!no)sql|postgres|mariadb|bigquery|snowflake|duckdb|clickhouse|redshift"),
}
# Roles whose name is for us, and the rule that they give.
_RULES = {Role.SHORT_CODE: Role.CODE, Role.PLACE: Role.SAVING}


def by_arguments(tool: Tool, server: str, args: Mapping[str, Any]) -> Classified | None:
    """None if the arguments leave a read what it is; else mutating, by the rule ``<role>-argument``.

    Total, and bounded in time. The words hold the name of an argument and why, never its value.
    """
    if path := next((shown(key) for key, value in args.items() if shapes.stage_writes(value)), None):
        return _mutating("pipeline", path, "it has a stage that writes or runs code")
    parsed = 0
    for argument in given(tool, server, args):
        leaf = argument.leaf
        if leaf.is_inner():
            return _mutating("arguments", leaf.path, "too much to be judged")
        if leaf.value is True and not argument.is_default and switches(leaf.name):
            return _mutating("switch", leaf.path, "it is an order")
        if not argument.text:
            continue
        languages = _languages(argument)
        parsed += len(languages)
        found = _by_word(argument) or _by_language(argument, languages if parsed <= _MOST_PARSED else None)
        if found:
            return found
    return None


def _by_word(argument: Given) -> Classified | None:
    what = role(argument.leaf.name)
    why = verbs.why_not(what, argument) if what else None
    return _mutating(_RULES.get(what, what), argument.leaf.path, why) if what and why else None


def _languages(argument: Given) -> list[Role]:
    """The languages that the text may be in: as its name says, or its tool, or as it looks."""
    what = role(argument.leaf.name)
    if what in _LANGUAGES:
        return [what]
    about = argument.about if what is Role.QUERY else ""
    spoken = [each for each, pattern in _SPOKEN.items() if pattern.search(about)]
    looks = None if spoken else shapes.queries(argument.text)
    return [looks] if looks else spoken


def _by_language(argument: Given, languages: list[Role] | None) -> Classified | None:
    """In one of the languages the text has to be a read; where there is none, it must not look like a write."""
    path = argument.leaf.path
    if languages is None:
        return _mutating("arguments", path, "too many queries to be judged")
    if not languages:
        written = shapes.writes(argument.text)
        return _mutating(written, path, "it looks like a statement that writes") if written else None
    # As it was given: what padding or full-width letters hide is for each language to see.
    reasons = [_LANGUAGES[each](argument.leaf.value) for each in languages]
    return None if None in reasons else _mutating(languages[0], path, str(reasons[0]))


def _mutating(rule: str, path: str, why: str) -> Classified:
    return Classified(Verdict.MUTATING, f"{rule}-argument", (f"{path}: {why}",))

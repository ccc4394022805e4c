"""What a text looks like, whatever its argument is called: a statement that writes, or a query to be read closely."""

import json
import re
import unicodedata
from collections.abc import Mapping

from mcp_assay.core.languages.roles import Role

__all__ = ["queries", "stage_writes", "writes"]

_GAP = r"(?:\s|/\*[^*]*\*/)++"
# Bounded, because a search begins at every semicolon.
_LEAD = r"(?:\A|;)(?:[\s(]++|--[^\n]{0,500}(?:\n|\Z)|/\*[^*]{0,500}\*/|/\*!\d*){0,20}"
_THINGS = r"(?:database|function|index|procedure|role|schema|sequence|table|trigger|user|view)"
_SQL_WRITES = re.compile(
    _LEAD
    + r"(?:"
    + r"|".join(
        statement.replace(" ", _GAP)
        for statement in (
            r"insert (?:(?:or \w+|ignore) )?into\b",
            r"replace into\b",
            r"merge into\b",
            r"update \S+ set\b",
            r"delete from\b",
            rf"(?:create|drop|alter) (?:(?:or replace|temp|temporary|unique|materialized) )?{_THINGS}\b",
            r"truncate table\b",
            r"rename table\b",
            r"lock tables?\b",
            r"load data\b",
            r"attach database\b",
            r"grant [\w,\s]{1,200}(?:on|to)\b",
            r"copy \S+ (?:from|to)\b",
            r"execute immediate\b",
            r"set (?:global|session)\b",
        )
    )
    + r"|exec\s+(?:sp_|xp_)|call\s+[\w.]+\s*\(|do\s*\$)"
)
_GRAPHQL_WRITES = re.compile(
    r"(?:\A|\})(?:[\s,]|#[^\n]{0,500}(?:\n|\Z)){0,50}(?:mutation|subscription)\b[^{}]{0,500}\{"
)
_CYPHER_WRITES = re.compile(r"\A\s*(?:merge|create)\s*\(\s*\w*\s*:\s*\w+")
_SPARQL_WRITES = re.compile(r"\A\s*(?:prefix\s+\S*:\s*<[^>]*>\s*)*(?:insert|delete)\s+(?:data\s*)?\{")
_MONGO_WRITES = re.compile(r"[{,]\s*\\*[\"']?\$(?:out|merge|function|accumulator|where)\\*[\"']?\s*:")

_ONE_WORD = re.compile(r"[\w.:-]*")
_WRITES = {
    Role.SQL: _SQL_WRITES,
    Role.GRAPHQL: _GRAPHQL_WRITES,
    Role.CYPHER: _CYPHER_WRITES,
    Role.SPARQL: _SPARQL_WRITES,
}
_QUERIES = {
    Role.SQL: re.compile(r"\A[\s(]*select\s.*?\sfrom\s|\A\s*with\s+(?:recursive\s+)?\w+\s+as\s*\(", re.DOTALL),
    Role.CYPHER: re.compile(r"\A\s*(?:optional\s+)?match\s*\(\s*(?:\w*\s*[:){]|\w+\s*\))"),
}


def writes(text: str) -> Role | None:
    """The language of which the text looks like a statement that writes, at its start or after a semicolon."""
    return _first(_WRITES, text)


def queries(text: str) -> Role | None:
    """The language of which the text looks like a query: to be read closely."""
    return _first(_QUERIES, text)


def stage_writes(value: object) -> bool:
    """Whether a list or map, or its text, has a stage or an operator of MongoDB's that writes or runs code.

    What is no JSON, or too deep to be written down, may have one.
    """
    try:
        text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, list | dict) else ""
    except (RecursionError, TypeError, ValueError):
        return True
    return "$" in text and _MONGO_WRITES.search(text) is not None


def _first(patterns: Mapping[Role, re.Pattern[str]], text: str) -> Role | None:
    if _ONE_WORD.fullmatch(text):
        return None
    text = (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
    return next((language for language, pattern in patterns.items() if pattern.search(text)), None)

"""What an argument is, by its name: a text in a language, a verb, a command, code, or a file to save to."""

from enum import StrEnum
from functools import lru_cache

from mcp_assay.core.words import tokens, word_set

__all__ = ["Role", "role", "switches"]


class Role(StrEnum):
    """What an argument's name says. A value is the beginning of its rule's name (``sql-argument``)."""

    SQL = "sql"
    GRAPHQL = "graphql"
    CYPHER = "cypher"
    SPARQL = "sparql"
    QUERY = "query"  # in which language, the tool has to say
    OTHER = "query-language"
    VERB = "http-method"
    METHOD = "method"
    ACTION = "action"
    COMMAND = "command"
    CODE = "code"
    SHORT_CODE = "short-code"  # code, unless it is one like USD or 404
    EXPRESSION = "expression"  # code, if the tool evaluates
    SAVING = "save-path"
    PLACE = "path"  # to save to, if its value or its description says so


_TEXTS = word_set("body code command document expression raw script string text")
_QUERIES = word_set("queries query statement statements stmt")
_LANGUAGES = {
    **dict.fromkeys(word_set("plsql rawsql sql sqlcommand sqlquery sqlscript sqlstatement sqltext tsql"), Role.SQL),
    "graphql": Role.GRAPHQL,
    "gql": Role.GRAPHQL,
    "cypher": Role.CYPHER,
    "sparql": Role.SPARQL,
    **dict.fromkeys(word_set("aql cql edgeql hql jpql n1ql surql surrealql"), Role.OTHER),
    **dict.fromkeys(
        word_set("bash gremlin groovy javascript js lua perl php powershell py python ruby shell typescript"), Role.CODE
    ),
}
_LAST = {
    **dict.fromkeys(_QUERIES, Role.QUERY),
    "mutation": Role.GRAPHQL,
    "verb": Role.VERB,
    **dict.fromkeys(word_set("action actions mode op operation operations ops subcommand"), Role.ACTION),
    **dict.fromkeys(word_set("cmd cmds command commands cmdline"), Role.COMMAND),
    **dict.fromkeys(word_set("eval script scripts snippet sourcecode"), Role.CODE),
    **dict.fromkeys(word_set("expr expression expressions function"), Role.EXPRESSION),
    **dict.fromkeys(word_set("outdir outfile outpath outputdir outputfile outputpath savepath"), Role.SAVING),
}
_ALONE = {"method": Role.METHOD, "code": Role.SHORT_CODE, "codes": Role.SHORT_CODE}
_PATHS = word_set(
    "dest destination dir directory dirname file filename filepath folder location name path pathname target"
)
_SAVED = word_set("download dump export out output save saved saving write")
_SAVED_TO = _SAVED | word_set("append store")
_SWITCHES = word_set("acknowledge commit create delete mark overwrite publish purge save send upload write")


@lru_cache(maxsize=4096)
def role(name: str) -> Role | None:
    """The role of an argument of this name; None if the name says nothing of the kind."""
    words = tokens(name)
    if not words:
        return None
    last, before = words[-1], words[:-1]
    return _language(last, before) or _saving(last, before) or _by_last(last, before)


def switches(name: str) -> bool:
    """Whether ``true`` for an argument of this name is an order: ``markAsRead``, but not ``remove_duplicates``."""
    return role(name) is Role.SAVING or _SWITCHES.issuperset(tokens(name)[:1] or [""])


def _language(last: str, before: list[str]) -> Role | None:
    """``sql``, ``rawSql`` and ``sql_query``, but not ``sql_mode``."""
    if last in _TEXTS | _QUERIES:
        named = (_LANGUAGES.get(word) for word in before)
        asked = Role.QUERY if last in _TEXTS and not _QUERIES.isdisjoint(before) else None
        return next((found for found in named if found is not None), asked)
    return _LANGUAGES.get(last)


def _saving(last: str, before: list[str]) -> Role | None:
    if (last in _PATHS and _SAVED.intersection(before)) or (last == "to" and _SAVED_TO.intersection(before)):
        return Role.SAVING
    return Role.PLACE if last in _PATHS | _SAVED and last not in {"name", "target", "location"} else None


def _by_last(last: str, before: list[str]) -> Role | None:
    if last == "method" and before:
        return Role.VERB if before[-1] in {"api", "http", "request", "rest"} else None
    if last == "code" and before:
        return Role.CODE if before[-1] in {"custom", "program", "source"} else None
    return _LAST.get(last) or (None if before else _ALONE.get(last))

"""Is a SQL text a read, whichever engine gets it?

Two nets, each with its own holes. Words: engines agree on what is quoted, no bare word writes, and only functions that
are known to change nothing are called. Trees: every dialect that can parse the text finds one query in it, and at least
one can. What a view, an operator or an overridden function does inside the database is out of sight.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any

from mcp_assay.core.languages.masked import mask
from mcp_assay.core.languages.sqlwords import FUNCTIONS, KEYWORDS, PRAGMAS, PRAGMAS_OF, TYPES, WRITING

__all__ = ["LONGEST", "why_not"]

LONGEST = 4_000
"""Characters of a text that is judged. Parsing the worst of them takes seconds, the usual query milliseconds."""

_MOST_WORK = 8_000
_DEEPEST = 30
_PURE = KEYWORDS | TYPES | FUNCTIONS
_DIALECTS = (
    *("sqlite", "postgres", "mysql", "tsql", "oracle", "snowflake"),
    *("bigquery", "duckdb", "clickhouse", "spark", "trino", "redshift"),
)

_WORD = re.compile(r"\w+")
_BEGINS = re.compile(r"[\s(]*(select|with|values|table|from)\b")
_EXPLAIN = re.compile(
    r"\s*(?:explain|describe|desc)\b(?:\s+(?:query\s+plan|analyze|verbose|extended|format\s*=\s*\w+)\b|\s*\([\w\s,]*\))*"
    r"(?=[\s(]*(?:select|with|values|table)\b)"
)
_DESCRIBE = re.compile(r"\s*(?:describe|desc)(?:[\s.]+(?:\w+|\"\s*\"|`\s*`|\[\s*\]))+\s*")
_SHOW = re.compile(r"\s*show\b(\s+(?:full\s+|extended\s+)?create)?[\w\s.,'\"`=@%*-]+")
_PRAGMA = re.compile(r"\s*pragma\s+(?:\w+\s*\.\s*)?(\w+)\s*(\(\s*(?:\w+|'\s*'|\"\s*\")\s*\))?\s*")
_ASSIGNS = re.compile(r":=|[{}]|\busing\s*'")
_NEXT_VALUE = re.compile(r"\bnext\s+value\s+for\b")
_BRACKET = re.compile(r"(?:(?<!\w)(?P<name>\w+)\s*)?\(|[\[\])]")
_CALLED = re.compile(r"(?:(?P<dot>\.)\s*)?(?P<name>(?<!\w)\w+|[\"'`\]])\s*\(")
# The two places where a name before a parenthesis is being defined: "WITH name(a, b) AS (SELECT", "… AS name(a, b)".
_COLUMNS = r"\(\s*(?:\w+|\"\s*\"|`\s*`)(?:\s*,\s*(?:\w+|\"\s*\"|`\s*`))*\s*\)"
_DEFINED = re.compile(
    rf"(?<![.\w])\w+\s*(?={_COLUMNS}\s*as\s+(?:not\s+)?(?:materialized\s*)?\(\s*(?:select|with|values)\b)"
    rf"|\bas\s+\w+\s*(?={_COLUMNS})"
)


@lru_cache(maxsize=64)
def why_not(text: str) -> str | None:
    """None if the text is a read; else why it is not."""
    if len(text) > LONGEST:
        return "too long to be judged"
    # Full-width letters and quotes: whoever receives the text may or may not fold them.
    plain = unicodedata.normalize("NFKC", text)
    return _why_not(text) or (None if plain == text else _why_not(plain))


def _why_not(text: str) -> str | None:
    masked = mask(text)
    if masked is None:
        return "engines differ on its quotes and comments"
    bare = masked.lower()
    if len(bare) != len(text):
        return "letters that have no lower case of their own"
    bare = bare.rstrip().removesuffix(";")
    if ";" in bare:
        return "more than one statement"
    if _work(bare) > _MOST_WORK:
        return "too deep to be judged"
    return _by_words(text[: len(bare)], bare)


def _work(bare: str) -> int:
    """The characters that a parser reads, those twice that stand in the brackets of a type, or of what may be one."""
    work, at, doubled = 0, 0, 0
    opened: list[bool] = []
    for bracket in _BRACKET.finditer(bare):
        work += (bracket.start() - at) << doubled
        at = bracket.start()
        if bracket[0] in ")]":
            doubled -= opened.pop() if opened else 0
        else:
            opened.append(bracket[0] == "[" or bracket["name"] in TYPES)
            doubled += opened[-1]
        if work > _MOST_WORK or len(opened) > _DEEPEST:
            return _MOST_WORK + 1
    return work + len(bare) - at


def _by_words(text: str, bare: str) -> str | None:
    if _is_lookup(bare):
        return None
    if explained := _EXPLAIN.match(bare):
        text, bare = text[explained.end() :], bare[explained.end() :]
    if words := WRITING.intersection(_WORD.findall(bare)):
        return f"it holds {min(words)}"
    if _BEGINS.match(bare) is None:
        return "it does not begin as a read does"
    if _ASSIGNS.search(bare) or _NEXT_VALUE.search(bare):
        return "it may assign or advance something"
    if not all(map(_is_pure, _CALLED.finditer(_DEFINED.sub(" as ", bare)))):
        return "a function that is not known to change nothing"
    return _by_trees(text)


def _is_lookup(bare: str) -> bool:
    """SHOW, DESCRIBE and the pragmas that only read: parsers know them from few engines, so their form decides."""
    if pragma := _PRAGMA.fullmatch(bare):
        return pragma[1] in (PRAGMAS_OF if pragma[2] else PRAGMAS)
    show = _SHOW.fullmatch(bare)
    if show is None and _DESCRIBE.fullmatch(bare) is None:
        return False
    rest = bare[show.end(1) :] if show and show[1] else bare
    return WRITING.isdisjoint(_WORD.findall(rest))


def _is_pure(called: re.Match[str]) -> bool:
    """A function of a schema or with a quoted name is somebody's own."""
    return called["name"] in KEYWORDS or (not called["dot"] and called["name"] in _PURE)


def _by_trees(text: str) -> str | None:
    from sqlglot import ErrorLevel, errors, exp, parse  # noqa: PLC0415 - 0.3 s, only where there is SQL
    from sqlglot.parser import logger  # noqa: PLC0415

    logger.disabled = True  # its warnings quote the text
    found = False
    for dialect in _DIALECTS:
        try:
            trees = parse(text, read=dialect, error_level=ErrorLevel.IMMEDIATE)
        except errors.SqlglotError:
            continue
        # A parser that stumbles has not understood, and neither have we.
        except (RecursionError, ValueError, TypeError, LookupError, AttributeError, AssertionError, ArithmeticError):
            return "too hard to parse"
        if len(trees) != 1:
            return "more than one statement"
        if trees[0] is None or not _reads(trees[0], exp):
            return "a dialect finds more than a read in it"
        # What no statement of the dialect begins with comes back as a mere expression: that is not understood.
        found = found or isinstance(trees[0], exp.Query | exp.Values)
    return None if found else "no dialect parses it as a query"


def _reads(tree: Any, exp: Any) -> bool:
    writes = (
        *(exp.DML, exp.Create, exp.Drop, exp.Alter, exp.TruncateTable, exp.Command, exp.Lock, exp.Into),
        *(exp.NextValueFor, exp.Set, exp.Pragma, exp.Attach, exp.Detach, exp.Transaction, exp.Commit, exp.Rollback),
    )
    return not any(isinstance(node, writes) for node in tree.walk())

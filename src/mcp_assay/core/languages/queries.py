"""Is a text a read in a query language that there is no parser for here? A conservative rule over its words.

Strings are blanked only where nothing in the text could make them end elsewhere; comments and escapes are not read.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from mcp_assay.core.words import word_set

__all__ = ["CYPHER", "OTHER", "SPARQL", "Grammar", "why_not"]

_LONGEST = 20_000
_WORD = re.compile(r"\w+")
_STRING = re.compile(r"'[^'\\\n]*'|\"[^\"\\\n]*\"|`[^`\\\n]*`")
_UNCLEAR = re.compile(r"['\"`\\\0]")
_TRIPLE = re.compile(r"'''|\"\"\"")


_WRITING = word_set(
    """abort add alter apply assign attach begin call clear commit copy create deallocate define delete deny detach drop
    exec execute foreach grant insert into kill load merge modify move purge relate remove rename replace reset revoke
    rollback set start stop terminate truncate unset update upsert use"""
)


@dataclass(frozen=True, slots=True)
class Grammar:
    """``opens``: what a read begins with, if it is known. ``hidden``: blanked first. ``refused``: what no read has."""

    opens: frozenset[str]
    refused: re.Pattern[str]
    hidden: re.Pattern[str] = _STRING
    writing: frozenset[str] = _WRITING


CYPHER = Grammar(
    word_set("explain match optional profile return show unwind with"),
    # comments, and the functions that procedures' packages bring along
    re.compile(r"//|/\*|(?!\b(?:date|datetime|duration|localdatetime|localtime|point|time)\b)\b\w+\s*\.\s*\w+\s*\("),
)
SPARQL = Grammar(
    word_set("ask base construct describe prefix select"),
    re.compile(r"#|\bservice\b"),
    # An IRI may hold a #; it holds no blank.
    re.compile(rf"<[^<>\"{{}}|^`\\\s]*>|{_STRING.pattern}"),
)
OTHER = Grammar(
    frozenset(),
    re.compile(r"//|/\*|--|#|;|::\w+\s*\("),
)


@lru_cache(maxsize=64)
def why_not(text: str, grammar: Grammar) -> str | None:
    """None if the text is a read; else why it is not."""
    if len(text) > _LONGEST:
        return "too long to be judged"
    plain = unicodedata.normalize("NFKC", text)
    return _why_not(text, grammar) or (None if plain == text else _why_not(plain, grammar))


def _why_not(text: str, grammar: Grammar) -> str | None:
    bare = grammar.hidden.sub(" ", text).lower()
    # A backslash may be a quote in disguise: Cypher and SPARQL resolve \\u0027 before they look for strings.
    if _UNCLEAR.search(bare) or _TRIPLE.search(text):
        return "its strings cannot be told apart"
    if grammar.refused.search(bare):
        return "comments, or calls of what is not part of the language"
    words = _WORD.findall(bare)
    if not words or (grammar.opens and words[0] not in grammar.opens):
        return "it does not begin as a read does"
    if written := grammar.writing.intersection(words):
        return f"it holds {min(written)}"
    return None

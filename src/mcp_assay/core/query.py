"""Which parameter of a search or a list takes a plain query, one that may match nothing."""

import re

from mcp_assay.core.entities import head_noun, searches, singular
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.sample import QUERIES, identifies
from mcp_assay.core.words import tokens, word_set

__all__ = ["query"]

_QUERY = QUERIES | word_set("question prompt")
_FILTER = word_set("filter name title prefix contain match pattern")
_NOT_PLAIN = word_set("language type id mode sort order format field name_only")
# Of languages in which a bare word is a query of its own (globs, regular expressions, Lucene) there is nothing to fear.
_LANGUAGE = re.compile(
    r"\b(?:sql|select|graphql|jql|cql|kql|soql|gaql|nrql|cypher|sparql|promql|logql|traceql|odata|jsonpath|jmespath|xpath"
    r"|dsl|json|formula|mongodb|syntax tree)\b",
    re.IGNORECASE,
)


def query(tool: Tool, server: str) -> Parameter | str:
    """The parameter, or why there is none, as a phrase.

    A search may take its text under any name, as long as it identifies nothing. A list is filtered by name only if the
    name is optional: a required one says which thing is meant, and then the answer is "not found", not an empty list.
    """
    plain = [parameter for parameter in parameters(tool) if parameter.takes_text and parameter.is_free]
    asked = [parameter for parameter in plain if _means(parameter, _QUERY)]
    if not asked:
        asked = [
            parameter for parameter in plain if _means(parameter, _FILTER) and _may_filter(parameter, tool, server)
        ]
    if not asked and searches(tool, server):
        asked = [parameter for parameter in plain if parameter.required and not identifies(parameter)]
    if not asked:
        return "it takes no free text to search or filter by"
    spoken = [parameter for parameter in asked if not _LANGUAGE.search(_said(parameter))]
    if not spoken:
        return "its query is written in a language of its own"
    return min(spoken, key=lambda parameter: not parameter.required)


def _means(parameter: Parameter, words: frozenset[str]) -> bool:
    named = _named(parameter)
    return bool(named) and (named[-1] in words or (named[0] in words & _QUERY and named[-1] not in _NOT_PLAIN))


def _may_filter(parameter: Parameter, tool: Tool, server: str) -> bool:
    """``name`` or ``issue_title`` filters issues; ``region_name`` says where to look."""
    named, head = _named(parameter), head_noun(tool, server)
    about_itself = all(word in _FILTER | {head} for word in named)
    return about_itself and (not parameter.required or (searches(tool, server) and named[-1] != "name"))


def _said(parameter: Parameter) -> str:
    return f"{' '.join(tokens(parameter.name[:200]))} {parameter.description}"


def _named(parameter: Parameter) -> list[str]:
    return [singular(word) for word in tokens(parameter.name[:200])]

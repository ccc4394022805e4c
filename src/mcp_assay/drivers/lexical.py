"""Which tools a text is about, by the words alone: BM25 over their names, descriptions and parameters.

The index is small (one server offers tens of tools, rarely thousands) and lives for one question.
"""

from collections.abc import Mapping, Sequence

from lunr.builder import Builder
from lunr.lunr import get_default_builder
from lunr.query import Query

from mcp_assay.core.entities import singular
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import parameters
from mcp_assay.core.words import PERMIT_LIST, tokens

__all__ = ["rank"]

_FIELDS = {"name": 4, "about": 2, "parameters": 1}
"""What is searched, and how much a word weighs there."""

_MAX_TOOLS = 2_000
_MAX_ABOUT = 2_000  # characters of a description
_MAX_WORDS = 300  # of a text
_MAX_WORD = 40
_CLOSE = 0.4  # of the best score: what lies below is about something else
_ENOUGH_WORDS = 2
_OF_A_VERB = 0.3  # what a common verb weighs beside a noun
_VERBS = PERMIT_LIST | {"find", "tell", "give"}


def rank(text: str, tools: Sequence[tuple[str, Tool]]) -> list[tuple[str, Tool]]:
    """The (server, tool) pairs that match a text, the best first; none if no tool is about it.

    A tool matches by a word of its name or parameters, or by two words of its description.
    """
    known = tools[:_MAX_TOOLS]
    words = _words(text)[:_MAX_WORDS]
    if not words or not known:
        return []
    index = _builder(known).build()
    query = Query(list(_FIELDS))
    for word in words:
        query.clause(word, boost=_OF_A_VERB if word in _VERBS else 1)
    hits = index.query(query)
    telling = {stem for word in words if word not in _VERBS for stem in index.pipeline.run_string(word)}
    # Every server lists and searches something: such a verb tells tools apart only where no noun does.
    if not any(telling & hit["match_data"].metadata.keys() for hit in hits):
        telling = {stem for word in words for stem in index.pipeline.run_string(word)}
    about = [hit for hit in hits if _is_about(hit["match_data"].metadata, telling)]
    best = max((hit["score"] for hit in about), default=0)
    return [known[int(hit["ref"])] for hit in about if hit["score"] >= best * _CLOSE]


def _builder(tools: Sequence[tuple[str, Tool]]) -> Builder:
    builder = get_default_builder()
    builder.ref("ref")
    for field, boost in _FIELDS.items():
        builder.field(field, boost=boost)
    for place, (_, tool) in enumerate(tools):
        builder.add(
            {
                "ref": str(place),
                "name": " ".join(_words(tool.name)),
                "about": " ".join(_words(tool.description[:_MAX_ABOUT])),
                "parameters": " ".join(word for parameter in parameters(tool) for word in _words(parameter.name)),
            }
        )
    return builder


def _words(text: str) -> list[str]:
    """Words as they are compared: ``searchRepos`` and "search repositories" are alike."""
    return [singular(word) for word in tokens(text) if 1 < len(word) <= _MAX_WORD]


def _is_about(matched: Mapping[str, Mapping[str, object]], telling: set[str]) -> bool:
    words = [places for stem, places in matched.items() if stem in telling]
    return len(words) >= _ENOUGH_WORDS or any("name" in places or "parameters" in places for places in words)

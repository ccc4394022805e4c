"""What the manifests alone show: friction that may be, beside the findings, in which a call shows that it is.

Manifests are servers' own texts: every reader here is total and bounded, and what is left out is counted.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

from lunr.lunr import get_default_builder
from lunr.vector import Vector

from mcp_assay.core.entities import singular
from mcp_assay.core.model import Manifest, Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.words import CHANGING_VERBS, tokens

__all__ = ["ALIKE", "LARGE", "MOST", "describe"]

LARGE = 1_000
"""Tokens of one tool's name, description and input schema: of a hundred tools of real servers about one has more."""
ALIKE = 0.8
"""Cosine of two names' words, and of two descriptions', each word weighed by how rare it is at that server."""
MOST = 200
"""Tools of a server that are looked at: as many pairs of them as a report can wait for."""

_NAMES_SHOWN, _NAME = 20, 120  # of one tool and kind; characters of each
_TEXT, _WORD = 2_000, 40  # characters of a description, and of a word, that are compared
_ITEM = r"[\"'`][^\"'`\n]{1,40}[\"'`]"
_PLAIN = r"[A-Za-z][\w.-]{0,39}"
_NEXT = r"\s{0,3}(?:[,|/;]\s{0,3}(?:(?:or|and)\s{1,3})?|(?:or|and)\s{1,3})"
_LEADS = "one of|any of|(?:valid|allowed|possible|accepted|supported) (?:values|options)|options|choices|either|must be"
_ANNOUNCED = re.compile(
    rf"\b(?:{_LEADS})(?: are| is| include)?\s{{0,3}}:?\s{{0,3}}{_ITEM}{_NEXT}{_ITEM}"
    rf"|\b(?:values|options|choices)(?: are| include)?\s{{0,3}}:\s{{0,3}}{_PLAIN}\s{{0,3}}[,|/]\s{{0,3}}{_PLAIN}",
    re.IGNORECASE,
)
_LISTED = re.compile(rf"{_ITEM}{_NEXT}{_ITEM}{_NEXT}{_ITEM}", re.IGNORECASE)
_EXAMPLES = re.compile(r"\b(?:e\.?g|examples?|instance|like|such as|sample)\b", re.IGNORECASE)
_BEFORE = 25
"""Characters before a list in which a word may say that they are examples."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One tool, and what of it may make friction. ``alike`` are tools of the server that read much the same."""

    tool: str
    tokens: int
    undescribed: bool
    undescribed_parameters: Sequence[str] = ()
    prose_enums: Sequence[str] = ()
    no_output_schema: bool = False
    large: bool = False
    alike: Sequence[str] = field(default=())

    @property
    def counts(self) -> Counter[str]:
        table = asdict(self)
        found = {
            key: len(value) if isinstance(value, list) else int(value) for key, value in table.items() if key in _KINDS
        }
        return Counter({key: number for key, number in found.items() if number})


_KINDS = ("undescribed", "undescribed_parameters", "prose_enums", "no_output_schema", "large", "alike")


def describe(manifests: Mapping[str, Manifest]) -> list[dict[str, Any]]:
    """A table for each server that offers tools. Never raises.

    - ``server``; ``tools`` (how many it offers); ``left_out`` (how many of them were not looked at); ``tokens``
      (estimated, of all that a host hands to a model of the tools looked at)
    - ``counts``: over the tools looked at, by kind; a kind without any is left out
    - ``by_tool[]``, of each tool with any: ``tool``, ``tokens``, ``undescribed`` (the tool has no description),
      ``undescribed_parameters``, ``prose_enums`` (text parameters whose values only the description lists),
      ``no_output_schema``, ``large`` and ``alike`` (tools of the server whose name and description say much the same);
      of each list the first twenty names, while ``counts`` has all
    """
    return [_server(name, manifest.tools) for name, manifest in manifests.items() if manifest.tools]


def _server(name: str, tools: Sequence[Tool]) -> dict[str, Any]:
    seen = tools[:MOST]
    alike = _alike(seen)
    rows = [_row(tool, alike.get(place, [])) for place, tool in enumerate(seen)]
    counts = sum((row.counts for row in rows), Counter[str]())
    return {
        "server": name,
        "tools": len(tools),
        "left_out": len(tools) - len(seen),
        "tokens": sum(row.tokens for row in rows),
        "counts": {kind: counts[kind] for kind in _KINDS if counts[kind]},
        "by_tool": [_shown(row) for row in rows if row.counts],
    }


def _shown(row: _Row) -> dict[str, Any]:
    return {key: _cut(value) for key, value in asdict(row).items()}


def _cut(value: object) -> object:
    if isinstance(value, list):
        return [name[:_NAME] for name in value[:_NAMES_SHOWN]]
    return value[:_NAME] if isinstance(value, str) else value


def _row(tool: Tool, alike: list[str]) -> _Row:
    declared = parameters(tool)
    size = _tokens(tool)
    return _Row(
        tool=tool.name,
        tokens=size,
        undescribed=not tool.description.strip(),
        undescribed_parameters=[each.name for each in declared if not each.description.strip()],
        prose_enums=[each.name for each in declared if _lists_values(each)],
        no_output_schema=tool.output_schema is None,
        large=size > LARGE,
        alike=alike,
    )


def _tokens(tool: Tool) -> int:
    """Estimated as of results: four bytes each."""
    try:
        schema = json.dumps(tool.input_schema, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        schema = ""
    return -(-sum(len(text.encode(errors="replace")) for text in (tool.name, tool.description, schema)) // 4)


def _lists_values(parameter: Parameter) -> bool:
    text = parameter.description
    if parameter.type != "string" or not parameter.is_free:
        return False
    found = _LISTED.search(text)
    are_all = found is not None and not _EXAMPLES.search(text, max(0, found.start() - _BEFORE), found.start())
    return are_all or _ANNOUNCED.search(text) is not None


# --- tools that are easily taken for one another -----------------------------------------------------------------


def _alike(tools: Sequence[Tool]) -> dict[int, list[str]]:
    """By a tool's place the names of those like it. A tool that changes something is not like one that reads."""
    names, abouts = _vectors([tool.name for tool in tools]), _vectors([tool.description[:_TEXT] for tool in tools])
    changes = [CHANGING_VERBS.intersection(map(singular, tokens(tool.name))) for tool in tools]
    found: dict[int, list[str]] = {}
    for one, other in combinations(range(len(tools)), 2):
        same = changes[one] == changes[other] and _cosine(names, one, other) >= ALIKE
        if same and _cosine(abouts, one, other) >= ALIKE:
            found.setdefault(one, []).append(tools[other].name)
            found.setdefault(other, []).append(tools[one].name)
    return found


def _vectors(texts: Sequence[str]) -> Mapping[str, Vector]:
    """The words of each text, weighed; by ``text/<place>``."""
    builder = get_default_builder()
    builder.ref("ref")
    builder.field("text")
    for place, text in enumerate(texts):
        words = (singular(word) for word in tokens(text) if len(word) <= _WORD)
        builder.add({"ref": str(place), "text": " ".join(words)})
    vectors: Mapping[str, Vector] = builder.build().field_vectors
    return vectors


def _cosine(vectors: Mapping[str, Vector], one: int, other: int) -> float:
    first, second = vectors.get(f"text/{one}"), vectors.get(f"text/{other}")
    if first is None or second is None or not first.magnitude or not second.magnitude:
        return 0.0
    return float(first.dot(second) / first.magnitude / second.magnitude)

"""How well the strict sandbox holds real tools: ``python -m benchmarks.sandbox --corpus FILE [--json]``.

The corpus has one tool per line: ``server``, ``tool``, ``label`` (``mutate`` for what changes something) and
``input_schema``. Nothing is called. For every tool that changes something, calls are made up in which each argument is
a test resource; then one argument at a time gets a value that is none. If such a call is still allowed, and the
hand-made ``sandbox_labels.txt`` says that this argument selects what is acted upon, the tool can be steered by it.
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp_assay.core.declared import Declared
from mcp_assay.core.model import Match
from mcp_assay.core.sandbox import check

__all__ = ["Labels", "Probed", "probe"]

LABELS = Path(__file__).with_name("sandbox_labels.txt")
FOREIGN = "foreign-9"
_MOST_DEEP = 4
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_BEHIND = {
    **dict.fromkeys(("id", "ids", "key", "keys", "uuid", "uid", "udid", "slug", "arn"), "+id"),
    **dict.fromkeys(("identifier", "identifiers", "handle", "iid"), "+id"),
    **dict.fromkeys(("name", "names"), "+name"),
    **dict.fromkeys(("number", "numbers"), "+number"),
}
_OWNERS, _REPOSITORIES = (
    {"owner", "org", "organization", "namespace", "group", "workspace"},
    {"repo", "repository", "project"},
)


@dataclass
class Labels:
    """Kinds of parameters. ``within`` maps a kind to the kinds of place that fix it; the file says what the rest is."""

    kinds: dict[str, set[str]] = field(default_factory=dict)
    within: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "Labels":
        labels = cls()
        for line in text.splitlines():
            head, _, words = line.partition("#")[0].partition(":")
            label, *places = head.split() or [""]
            for word in words.split():
                if label == "within":
                    labels.within.setdefault(word, set()).update(places)
                labels.kinds.setdefault(label, set()).add(word)
        return labels

    def leads_elsewhere(self, place: "_Place", beside: Sequence["_Place"]) -> bool:
        """Whether the argument selects what is acted upon, given the others of the call."""
        kind = place.kind
        if kind in self.kinds["naming"]:
            return not any(
                self.leads_elsewhere(other, ()) for other in beside if other.kind not in self.kinds["naming"]
            )
        if kind in self.kinds["position"] and not isinstance(place.value, str):
            return False
        if kind in self.within and any(_bare(other.kind) in self.within[kind] for other in beside):
            return False
        selects = kind in self.kinds["within"] | self.kinds["selects"] or (
            place.is_whole and f"={kind}" in self.kinds["selects"]
        )
        return selects or (kind.endswith("+id") and kind not in self.kinds["option"])


@dataclass(frozen=True)
class Probed:
    """What became of one tool. ``held``, ``steerable`` and ``too_much`` are parameters."""

    server: str
    tool: str
    held: tuple[str, ...]
    can_match: bool
    steerable: tuple[str, ...]
    usual: bool

    @property
    def name(self) -> str:
        return f"{self.server}:{self.tool}"


def probe(row: Mapping[str, Any], labels: Labels) -> Probed:
    """Made-up calls of one tool, all of whose values are test resources, with one foreign value at a time."""
    schema = row["input_schema"] if isinstance(row.get("input_schema"), Mapping) else {}
    places = list(_places(Declared.of(schema), ()))
    required = schema.get("required") or []
    needed = [place for place in places if place.path[0] in required]
    own = _resources(places)
    held, steerable = set(), set()
    for place in places:
        fixed = labels.within.get(place.kind, ())
        unfixed = [other for other in places if other in needed or _bare(other.kind) not in fixed]
        for call in (places, needed, [*needed, place], unfixed):
            if place not in call or not _allowed(call, schema, own):
                continue
            if not _allowed(call, schema, own, place):
                held.add(place.shown)
            elif labels.leads_elsewhere(place, [other for other in call if other is not place]):
                steerable.add(place.shown)
    # What a careful user would list: what selects, and what the thing that is made is called.
    listed = [place for place in places if labels.leads_elsewhere(place, ()) or place.kind.endswith("+name")]
    usual = any(_allowed(call, schema, _resources(listed)) for call in (places, needed, [*needed, *listed]))
    can_match = any(_allowed(call, schema, own) for call in (places, *([*needed, place] for place in places)))
    return Probed(row["server"], row["tool"], tuple(sorted(held)), can_match, tuple(sorted(steerable)), usual)


def _resources(places: Sequence["_Place"]) -> list[str]:
    """Every value, and every pair of an owner and a repository."""
    owners = [place.value for place in places if _bare(place.kind) in _OWNERS]
    pairs = [f"{owner}/{place.value}" for place in places if _bare(place.kind) in _REPOSITORIES for owner in owners]
    return [*(str(place.value) for place in places), *pairs]


@dataclass(frozen=True)
class _Place:
    path: tuple[str, ...]
    value: Any

    @property
    def shown(self) -> str:
        return ".".join(word for word in self.path if word != "[]")

    @property
    def kind(self) -> str:
        return _kind(self.path)

    @property
    def is_whole(self) -> bool:
        """Whether the word is all of the name: ``code``, not ``tax_code``."""
        return self.path[-1].lower() == self.kind


def _places(declared: Declared, path: tuple[str, ...]) -> Iterator[_Place]:
    """Every string and number that the schema declares, with a value of our own."""
    types = declared.types()
    if declared.names() and len(path) < _MOST_DEEP:
        for key in declared.names():
            member = declared.member(key)
            if member is not None:
                yield from _places(member, (*path, key))
    elif "array" in types and "string" not in types and len(path) < _MOST_DEEP:
        yield from _places(declared.element(0), (*path, "[]"))
    elif path and not types & {"boolean", "object"}:
        choices = declared.choices()
        made = 900 + len(path[0]) if types and types <= {"integer", "number", "null"} else f"own-{path[-1]}-{len(path)}"
        yield _Place(path, choices[0] if choices else made)


def _allowed(
    call: Sequence[_Place], schema: Mapping[str, Any], resources: Sequence[str], foreign: _Place | None = None
) -> bool:
    args: dict[str, Any] = {}
    for place in call:
        value = place.value
        if place is foreign:
            value = FOREIGN if isinstance(value, str) else 77_777
        _put(args, place.path, value)
    return check(args, schema, resources, Match.STRICT).ok


def _put(args: dict[str, Any], path: Sequence[str], value: Any) -> None:
    here: Any = args
    for at, key in enumerate(path):
        following: Any = value if at == len(path) - 1 else ([] if path[at + 1] == "[]" else {})
        if key != "[]":
            here = here.setdefault(key, following)
        elif not here or at == len(path) - 1:
            here.append(following)
            here = here[-1]
        else:
            here = here[0]


def _kind(path: Sequence[str]) -> str:
    """The last word of a name, with what is behind it: ``targetRepoIds`` is a ``repo+id``."""
    behind: list[str] = []
    for key in reversed([key for key in path if key != "[]"]):
        words = [word.lower() for word in _WORD.findall(key.replace("IDs", "Ids"))]
        if len(words) > 1 and words[0] == "id":
            words = [*words[1:], "id"]
        while words and words[-1] in _BEHIND:
            behind.append(words.pop())
        if words:
            word = re.sub("ies$", "y", words[-1])
            word = word if word.endswith(("ss", "us")) else word.removesuffix("s")
            return word + max((_BEHIND[each] for each in behind), key=("+number", "+name", "+id").index, default="")
    return behind[0] if behind else ""


def _bare(kind: str) -> str:
    return kind.partition("+")[0]


def _unlabelled(rows: Sequence[Mapping[str, Any]], labels: Labels) -> list[str]:
    """Kinds of text that nobody has judged yet: where one of them selects, the table says too little."""
    known = set[str]().union(*labels.kinds.values())
    places = [place for row in rows for place in _places(Declared.of(row.get("input_schema")), ())]
    kinds = {place.kind for place in places if isinstance(place.value, str)}
    return sorted(kind for kind in kinds - known if not kind.endswith("+id") and f"={kind}" not in known)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", required=True, type=Path, help="tools, one JSON object a line")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON instead of a table")
    given = parser.parse_args()
    labels = Labels.read(LABELS.read_text())
    rows = [json.loads(line) for line in given.corpus.read_text().splitlines() if line.strip()]
    rows = [row for row in rows if row.get("label") == "mutate"]
    tools = [probe(row, labels) for row in rows]
    counts = {
        "mutating tools": [tool.name for tool in tools],
        "held to a resource": [tool.name for tool in tools if tool.held],
        "never match": [tool.name for tool in tools if not tool.can_match],
        "can be steered": [f"{tool.name} by {', '.join(tool.steerable)}" for tool in tools if tool.steerable],
        "match, but not with what selects": [tool.name for tool in tools if tool.can_match and not tool.usual],
    }
    unlabelled = _unlabelled(rows, labels)
    if given.as_json:
        table = {name: {"tools": len(names), "names": names} for name, names in counts.items()}
        print(json.dumps(table | {"unlabelled kinds": unlabelled}, indent=2))
        return
    for name, names in counts.items():
        print(f"{name:<34} {len(names):>5}  {len(names) / max(len(tools), 1):>6.1%}")
    for name in list(counts)[2:]:
        print(f"\n{name}:", *counts[name], sep="\n  ")
    print(f"\n{len(unlabelled)} kinds of parameters without a label: {' '.join(unlabelled)}")


if __name__ == "__main__":
    main()

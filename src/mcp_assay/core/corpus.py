"""A set of real tools, with or without labels, and how often the verdicts on them are right."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.classify import Classified, classify
from mcp_assay.core.model import Rules, Tool, Verdict

__all__ = ["LABELS", "Entry", "confusion", "judge", "read"]

LABELS = ("read", "mutate", "unclear")


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool of a server. ``label`` is what the tool really does, if somebody found out: one of ``LABELS``."""

    server: str
    tool: Tool
    label: str | None


def read(lines: Iterable[str]) -> list[Entry]:
    """From JSON lines with ``server``, ``tool``, ``description``, ``annotations``, ``input_schema`` and ``label``.

    All but ``tool`` may be missing or null. Raises ValueError, which names the line.
    """
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_entry(json.loads(line)))
            except (ValueError, RecursionError) as bad:
                raise ValueError(f"line {number}: {bad}") from None
    return found


def judge(entries: Sequence[Entry], rules: Rules) -> Iterator[Classified]:
    """The verdict on each, in order; the tools of one server are each other's siblings."""
    siblings: dict[str, list[Tool]] = {}
    for entry in entries:
        siblings.setdefault(entry.server, []).append(entry.tool)
    for entry in entries:
        yield classify(entry.tool, entry.server, rules, siblings[entry.server])


def confusion(entries: Sequence[Entry], verdicts: Iterable[Classified]) -> dict[str, dict[str, int]]:
    """How many tools of each label got each verdict. Labels that no tool has are left out."""
    counts = Counter((entry.label, found.verdict) for entry, found in zip(entries, verdicts, strict=True))
    present = [label for label in LABELS if any(label == known for known, _ in counts)]
    return {label: {str(verdict): counts[label, verdict] for verdict in Verdict} for label in present}


def _entry(item: Any) -> Entry:
    if not isinstance(item, Mapping):
        raise ValueError("a tool is an object, with at least a name in its key 'tool'")  # noqa: TRY004 - a ValueError names the line
    name, label = item.get("tool"), item.get("label")
    if not isinstance(name, str) or not name:
        raise ValueError("key 'tool': the tool's name is missing")
    if label is not None and label not in LABELS:
        raise ValueError(f"key 'label': must be one of {', '.join(LABELS)}")
    raw = {
        "name": name,
        "description": item.get("description"),
        "inputSchema": item.get("input_schema"),
        "annotations": item.get("annotations"),
    }
    return Entry(str(item.get("server") or ""), Tool.from_raw(raw), label)

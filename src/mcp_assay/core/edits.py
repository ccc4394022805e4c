"""Edit requests at the approval gate, read mechanically: three forms, and nothing is guessed.

    drop S3              drop S2, S4
    rewrite S2 to …
    add …

Everything else is no edit, and the question is asked again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_assay.core.model import Scenario
from mcp_assay.core.scenarios import MAX_SCENARIOS

__all__ = ["Add", "Drop", "Edit", "Rewrite", "apply", "parse"]

_ID = r"S\d{1,3}"
_DROP = re.compile(rf"drop\s+({_ID}(?:\s*(?:,|and|\s)\s*{_ID})*)\.?", re.IGNORECASE)
_REWRITE = re.compile(rf"rewrite\s+({_ID})\s+(?:to|as)\b[:\s]*(\S.*)", re.IGNORECASE | re.DOTALL)
_ADD = re.compile(r"add\b(?:\s+one\s+for\b)?[:\s]*(\S.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Drop:
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewrite:
    id: str
    description: str


@dataclass(frozen=True, slots=True)
class Add:
    description: str


Edit = Drop | Rewrite | Add


def parse(text: str) -> Edit | None:
    """The edit that a reply asks for, or None if it is none of the three forms."""
    text = text.strip().strip("\"'")
    if found := _DROP.fullmatch(text):
        return Drop(tuple(dict.fromkeys(name.upper() for name in re.findall(_ID, found[1], re.IGNORECASE))))
    # "description is required and non-empty": quotes around nothing describe nothing
    if (found := _REWRITE.fullmatch(text)) and (description := _sentence(found[2])):
        return Rewrite(found[1].upper(), description)
    if (found := _ADD.fullmatch(text)) and (description := _sentence(found[1])):
        return Add(description)
    return None


def apply(edit: Edit, scenarios: Sequence[Scenario]) -> tuple[list[Scenario], str | None]:
    """The list after the edit, its ids renumbered, and None; or the list as it was and why the edit cannot be."""
    known = {scenario.id for scenario in scenarios}
    named = edit.ids if isinstance(edit, Drop) else (edit.id,) if isinstance(edit, Rewrite) else ()
    missing = [name for name in named if name not in known]
    if missing:
        return list(scenarios), f"there is no {', '.join(missing)}"
    if isinstance(edit, Add):
        if len(scenarios) >= MAX_SCENARIOS:
            return list(
                scenarios
            ), f"there are {MAX_SCENARIOS} scenarios already, the most that can run; drop one first"
        return _renumbered([*scenarios, Scenario("", "user", edit.description)]), None
    if isinstance(edit, Drop):
        kept = [scenario for scenario in scenarios if scenario.id not in edit.ids]
        if not any(scenario.source == "user" for scenario in kept):
            return list(scenarios), "at least one scenario of yours must stay"
        return _renumbered(kept), None
    # What a person rewrote is theirs: no derived steps stand behind it any more.
    return [
        Scenario(scenario.id, "user", edit.description, scenario.targets_mcps) if scenario.id == edit.id else scenario
        for scenario in scenarios
    ], None


def _renumbered(scenarios: Sequence[Scenario]) -> list[Scenario]:
    return [replace(scenario, id=f"S{number}") for number, scenario in enumerate(scenarios, start=1)]


def _sentence(text: str) -> str:
    return " ".join(text.split()).strip("\"'“” ")

"""Scenarios: from what a file holds to numbered scenarios, and the literal approval token.

Values come in as a reader loaded them, with a function that knows the line of each; every complaint names the file,
the line and the entry, and all of a file's problems are told at once. Nothing is dropped silently or coerced.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from mcp_assay.core.model import Disposition, Scenario, Step
from mcp_assay.core.naming import is_mcp, split
from mcp_assay.core.problems import Problems, did_you_mean
from mcp_assay.core.stepform import Place, read_steps
from mcp_assay.errors import InputError, UserError

__all__ = [
    "MAX_SCENARIOS",
    "Approval",
    "RawScenario",
    "approval",
    "drop_skipped",
    "from_text",
    "from_values",
    "numbered",
]

MAX_SCENARIOS = 8
_KEYS = ("description", "targets_mcps", "steps")


@dataclass(frozen=True, slots=True)
class RawScenario:
    """One well-formed entry of a file; ``entry`` is its 1-based place in the list, ``line`` where it begins."""

    description: str
    targets_mcps: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    source: str = ""
    entry: int = 1
    line: int | None = None


class Approval(StrEnum):
    APPROVE = "approve"
    USER_ONLY = "user-only"
    EDIT = "edit"


def approval(token: str) -> Approval:
    """What an answer at the approval gate means; everything but the two tokens is an edit request.

    "The match is literal string equality on the trimmed-lowercased token."
    """
    word = token.strip().lower()
    if word == Approval.APPROVE:
        return Approval.APPROVE
    if word == Approval.USER_ONLY:
        return Approval.USER_ONLY
    # "Everything else, including "yes", "ok", "sure", …, or any multi-word response, is an edit request."
    return Approval.EDIT


def from_text(text: str, source: str) -> list[RawScenario]:
    """Plain text: "one scenario per non-empty line. Lines beginning with # are comments and ignored."

    Lines end at a line feed and nowhere else. Raises UserError if no scenario is left.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1)]
    kept = [(number, line) for number, line in lines if line and not line.startswith("#")]
    _require_one(kept, source)
    return [
        RawScenario(line, source=source, entry=entry, line=number) for entry, (number, line) in enumerate(kept, start=1)
    ]


def from_values(
    value: object, source: str, line_of: Callable[[tuple[str | int, ...]], int | None], path: tuple[str | int, ...] = ()
) -> list[RawScenario]:
    """A list of objects with ``description`` and optional ``targets_mcps`` and ``steps``, as loaded from a file.

    ``path`` leads to the list inside the file. Raises InputError with all of the list's problems, or UserError if the
    list is empty.
    """
    if value is None or value == []:
        _require_one([], source)
    if not isinstance(value, list):
        raise InputError(source, "must be a list of scenarios, each with a description", line=line_of(path))
    problems = Problems(source)
    found = [
        _entry(item, index, Place(problems, line_of, (*path, index), f"entry {index + 1}"))
        for index, item in enumerate(value)
    ]
    problems.stop_if_any()
    return [item for item in found if item is not None]


def numbered(raw: Sequence[RawScenario], attached: Iterable[str], origin: str = "user") -> list[Scenario]:
    """Scenarios with ids ``S1``, ``S2``, … in list order. ``origin`` is ``user`` or ``derived``.

    Raises UserError for fewer than 1 or more than 8, InputError for targets or steps that name no attached MCP.
    """
    names = list(attached)
    _require_one(raw, raw[0].source if raw else "")
    if len(raw) > MAX_SCENARIOS:
        # "Collect 1 to 8 user scenarios."
        raise UserError(f"{raw[0].source}: {len(raw)} scenarios; at most {MAX_SCENARIOS} can run in one evaluation")
    problems = Problems(raw[0].source)
    for item in raw:
        _check_names(item, names, problems)
    problems.stop_if_any()
    return [
        Scenario(f"S{number}", origin, item.description, item.targets_mcps, item.steps, item.entry)
        for number, item in enumerate(raw, start=1)
    ]


def drop_skipped(
    scenarios: Sequence[Scenario], dispositions: Mapping[str, Disposition]
) -> tuple[list[Scenario], list[Scenario]]:
    """(kept, with new ids; dropped, with their old ids).

    "Do not proceed with a scenario targeting a skip MCP under any circumstances."
    """

    def is_skipped(scenario: Scenario) -> bool:
        return any(dispositions.get(name) is Disposition.SKIP for name in scenario.targets_mcps)

    kept = [scenario for scenario in scenarios if not is_skipped(scenario)]
    renumbered = [replace(scenario, id=f"S{number}") for number, scenario in enumerate(kept, start=1)]
    return renumbered, [scenario for scenario in scenarios if is_skipped(scenario)]


def _require_one(found: Sequence[object], source: str) -> None:
    # The rule: "Fewer than 1: nothing to evaluate — stop and tell the user."
    if not found:
        where = f"{source}: " if source else ""
        raise UserError(f"{where}fewer than 1 scenario: nothing to evaluate")


def _entry(item: object, index: int, place: Place) -> RawScenario | None:
    if not isinstance(item, dict):
        place.complain("must be an object with a description")
        return None
    description = item.get("description")
    # "description is required and non-empty. If missing or empty, abort with an error naming the offending entry"
    if "description" not in item:
        place.complain("description is missing (text that holds a colon needs quotes)")
    elif not isinstance(description, str):
        place.complain("description must be a string; quote it", "description")
    elif not description.strip():
        place.complain("description is empty", "description")
    for key in item:
        if key not in _KEYS:
            place.complain(f"unknown key {key!r}{did_you_mean(key, _KEYS)}", key)
    targets, steps = _targets(item, place), read_steps(item.get("steps"), place.inner("steps"))
    return RawScenario(
        str(description).strip(), targets, steps, place.problems.source, index + 1, place.line_of(place.path)
    )


def _targets(item: dict[str, Any], place: Place) -> tuple[str, ...]:
    targets = item.get("targets_mcps", [])
    # The rule: "targets_mcps (if present) must be a list of strings"
    if not isinstance(targets, list) or not all(isinstance(name, str) for name in targets):
        place.complain("targets_mcps must be a list of strings; quote each name", "targets_mcps")
        return ()
    return tuple(dict.fromkeys(targets))


def _check_names(item: RawScenario, attached: list[str], problems: Problems) -> None:
    for name in item.targets_mcps:
        # "Unknown names abort with an error."
        if name not in attached:
            close = did_you_mean(name, attached) or f"; attached: {', '.join(attached) or 'none'}"
            problems.add(f"targets_mcps: no attached MCP is named {name!r}{close}", item.line, f"entry {item.entry}")
    for number, step in enumerate(item.steps, start=1):
        if is_mcp(step.tool) and split(step.tool, attached) is None:
            problems.add(f"step {number}: {step.tool!r} names no attached MCP", item.line, f"entry {item.entry}")

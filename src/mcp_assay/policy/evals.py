"""The fixtures judged through ``call_tool()``, and the scorecard of it.

"They are a regression suite, not an external benchmark, and 100% here says the code matches the fixtures, not that it
generalises."
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from mcp_assay.policy import fixtures
from mcp_assay.policy.faults import PolicyError
from mcp_assay.policy.tools import InvalidArguments, UnknownTool, call_tool
from mcp_assay.policy.values import key_of

__all__ = [
    "CATEGORIES",
    "Case",
    "Fixtures",
    "Miss",
    "Row",
    "Scorecard",
    "load",
    "outcome",
    "run_evals",
    "scorecard_json",
    "scorecard_markdown",
    "write_scorecard",
]

CATEGORIES = (
    "Seat routing",
    "Budget admission (reserve, judgment, breaker, accounting bypasses)",
    "Input schema compliance",
    "Evidence acceptance",
    "Hallucination rejection",
    "Dossier dedup and lint",
)
_KEYS = frozenset({"id", "category", "tool", "arguments", "expect", "exact", "pins", "why", "baseline"})


@dataclass(frozen=True, slots=True)
class Case:
    """``exact`` holds what the result must say, see ``evals/README.md``; ``baseline`` marks the specified 64."""

    id: str
    category: str
    tool: str
    arguments: Mapping[str, Any]
    expect: Literal["accept", "reject"]
    exact: Mapping[str, Any]
    pins: str
    why: str
    baseline: bool


@dataclass(frozen=True, slots=True)
class Fixtures:
    version: int
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    id: str
    category: str
    kind: Literal["false accept", "false reject", "differs"]
    detail: str


@dataclass(frozen=True, slots=True)
class Row:
    category: str
    passed: int
    cases: int
    should_accept: int
    should_reject: int
    false_accepts: int
    false_rejects: int


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Each table has one row a category, then one named Total."""

    version: int
    baseline: tuple[Row, ...]
    all: tuple[Row, ...]
    misses: tuple[Miss, ...]


# --- the fixtures -----------------------------------------------------------------------------------------------------


def load(text: str | None = None) -> Fixtures:
    """The fixtures from JSON text, or the package's own. Raises PolicyError naming the case that cannot be used."""
    try:
        document = json.loads(fixtures.text() if text is None else text)
        cases = tuple(_case(entry) for entry in document["cases"])
        version = int(document["version"])
    except (ValueError, KeyError, TypeError) as bad:
        raise PolicyError(f"the fixtures cannot be read: {bad}") from None
    if not cases:
        raise PolicyError("there are no fixtures; nothing would be judged")
    if len({case.id for case in cases}) != len(cases):
        raise PolicyError("two cases have the same id; rename one")
    return Fixtures(version, cases)


def _case(entry: dict[str, Any]) -> Case:
    if unknown := sorted(set(entry) - _KEYS):
        raise ValueError(f"case {entry.get('id')}: unknown keys {', '.join(unknown)}")
    case = Case(**{"exact": {}, "baseline": False, **entry})
    if case.category not in CATEGORIES or case.expect not in ("accept", "reject"):
        raise ValueError(f"case {case.id}: its category or what it expects is unknown")
    return case


# --- judging ----------------------------------------------------------------------------------------------------------


def outcome(tool: str, arguments: object) -> dict[str, Any]:
    """What the tool says; arguments that it refuses are ``{"ok": False, "invalid": [problem, …]}``."""
    try:
        return call_tool(tool, arguments)
    except InvalidArguments as refused:
        return {"ok": False, "invalid": refused.problems}
    except UnknownTool as unknown:
        raise PolicyError(f"the fixtures cannot be used: {unknown}") from None


def run_evals(suite: Fixtures) -> Scorecard:
    """Every case judged once."""
    misses = {case.id: miss for case in suite.cases if (miss := _judge(case)) is not None}
    return Scorecard(
        suite.version,
        _table([case for case in suite.cases if case.baseline], misses),
        _table(suite.cases, misses),
        tuple(misses.values()),
    )


def _judge(case: Case) -> Miss | None:
    result = outcome(case.tool, case.arguments)
    shown = json.dumps(result, ensure_ascii=True)[:500]
    if result["ok"] and case.expect == "reject":
        return Miss(case.id, case.category, "false accept", shown)
    if not result["ok"] and case.expect == "accept":
        return Miss(case.id, case.category, "false reject", shown)
    if not _says(result, case.exact):
        return Miss(case.id, case.category, "differs", shown)
    return None


def _says(result: Any, exact: Any) -> bool:
    """Members that ``exact`` names must be as it says; a list must be so item by item, and no longer."""
    if isinstance(exact, dict):
        return isinstance(result, dict) and all(
            name in result and _says(result[name], member) for name, member in exact.items()
        )
    if isinstance(exact, list):
        return isinstance(result, list) and len(result) == len(exact) and all(map(_says, result, exact))
    return key_of(result) == key_of(exact)


def _table(cases: Iterable[Case], misses: Mapping[str, Miss]) -> tuple[Row, ...]:
    cases = list(cases)
    rows = [_row(name, [case for case in cases if case.category == name], misses) for name in CATEGORIES]
    return (*rows, _row("Total", cases, misses))


def _row(name: str, cases: list[Case], misses: Mapping[str, Miss]) -> Row:
    kinds = [misses[case.id].kind for case in cases if case.id in misses]
    accepts = sum(case.expect == "accept" for case in cases)
    return Row(
        name,
        len(cases) - len(kinds),
        len(cases),
        accepts,
        len(cases) - accepts,
        kinds.count("false accept"),
        kinds.count("false reject"),
    )


# --- the scorecard ----------------------------------------------------------------------------------------------------


def scorecard_json(card: Scorecard) -> str:
    """The scorecard for machines. It has no date, so it changes only when a result does."""
    return json.dumps(asdict(card), ensure_ascii=False, indent=2) + "\n"


def scorecard_markdown(card: Scorecard) -> str:
    """The scorecard for people."""
    parts = [
        f"# Scorecard\n\nFixtures version {card.version}: a regression suite, not an external benchmark.",
        f"## Baseline\n\n{_markdown_table(card.baseline)}",
        f"## All\n\n{_markdown_table(card.all)}",
    ]
    if card.misses:
        parts.append("## Misses\n\n" + "\n".join(map(_miss_line, card.misses)))
    return "\n\n".join(parts) + "\n"


def _miss_line(miss: Miss) -> str:
    said = miss.detail.replace("`", "'")
    return f"- {miss.id}: {miss.kind}; the tool said `{said}`"


def _markdown_table(rows: tuple[Row, ...]) -> str:
    head = (
        "| Category | Pass | Should-accept | Should-reject | False accepts | False rejects |\n"
        "| :--- | ---: | ---: | ---: | ---: | ---: |\n"
    )
    *categories, total = map(_cells, rows)
    return head + "\n".join(f"| {' | '.join(cells)} |" for cells in (*categories, [f"**{cell}**" for cell in total]))


def _cells(row: Row) -> list[str]:
    counts = (row.should_accept, row.should_reject, row.false_accepts, row.false_rejects)
    return [row.category, f"{row.passed}/{row.cases}", *map(str, counts)]


def write_scorecard(card: Scorecard, folder: Path) -> None:
    """``scorecard.md`` and ``scorecard.json`` in the folder, which is made if need be. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scorecard.md").write_text(scorecard_markdown(card), encoding="utf-8")
    (folder / "scorecard.json").write_text(scorecard_json(card), encoding="utf-8")

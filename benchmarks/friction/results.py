"""The figures as they are published: ``friction.json`` for programs, ``friction.md`` and the README's table for people.

python -m benchmarks.friction.results prints the README's table, as it follows from ``friction.json``.
"""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.friction.catalog import HELD_OUT, TUNING
from benchmarks.friction.explore import Explored
from benchmarks.friction.mutators import MUTATORS
from benchmarks.friction.score import Share, Table

from mcp_assay.critic.rubric import VERSION

__all__ = ["FOLDER", "TARGETS", "Results", "quoted"]

FOLDER = Path(__file__).parents[1] / "results"
TARGETS: Mapping[str, float] = {"recall": 0.90, "precision": 0.95, "alarms": 0.02, "cited": 0.98}
"""What is to be reached on what is held out: recall in every dimension; alarms are the most that may be."""
_TITLES = {"tuning": "tuned on", "held_out": "held out"}


@dataclass(frozen=True)
class Results:
    """``tables`` by part, and the product's explorer over clean servers."""

    tables: Mapping[str, Table]
    trips: Sequence[Explored]
    seeds: Mapping[str, Sequence[int]]
    seconds: float
    when: datetime

    @classmethod
    def of(
        cls, tables: Mapping[str, Table], trips: Sequence[Explored], seeds: Mapping[str, Sequence[int]], seconds: float
    ) -> "Results":
        return cls(tables, trips, seeds, seconds, datetime.now(UTC))

    # --- what they say ------------------------------------------------------------------------------------------------

    @property
    def explored(self) -> Mapping[str, Share]:
        """Evaluations, and scenarios, in which anything was found."""
        whole, alone = Share(), Share()
        for trip in self.trips:
            whole.add(bool(trip.found))
            for found in trip.scenarios:
                alone.add(found)
        return {"evaluations": whole, "scenarios": alone}

    @property
    def missed(self) -> list[str]:
        """The targets that what is held out does not reach, in words."""
        table = self.tables["held_out"]
        shares = {f"recall in {name}": (share, TARGETS["recall"]) for name, share in sorted(table.recall.items())}
        shares |= {"precision": (table.precision, TARGETS["precision"]), "cited": (table.cited, TARGETS["cited"])}
        found = [
            f"{name}: {_percent(share)}, not {most:.0%}"
            for name, (share, most) in shares.items()
            if not share.of or (share.value or 0) < most
        ]
        alarms = {"false alarms on clean runs": table.alarms, "false alarms under explore": self.explored["scenarios"]}
        return found + [
            f"{name}: {_percent(share)}, more than {TARGETS['alarms']:.0%}"
            for name, share in alarms.items()
            if (share.value or 0) > TARGETS["alarms"]
        ]

    # --- for programs -------------------------------------------------------------------------------------------------

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "date": f"{self.when:%Y-%m-%d}",
            "synthetic": True,
            "rubric": VERSION,
            "versions": {"mcp-assay": version("mcp-assay"), "mcp": version("mcp"), "python": platform.python_version()},
            "servers": {"tuning": list(TUNING), "held_out": list(HELD_OUT)},
            "seeds": {name: list(some) for name, some in self.seeds.items()},
            "seconds": round(self.seconds),
            "targets": dict(TARGETS),
            "missed": self.missed if "held_out" in self.tables else [],
            "explore": {name: share.as_json() for name, share in self.explored.items()},
            **{name: _json(table) for name, table in self.tables.items()},
        }

    def write(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "friction.json").write_text(json.dumps(self.as_json, indent=1) + "\n")
        (FOLDER / "friction.md").write_text(self.markdown)

    # --- for people ---------------------------------------------------------------------------------------------------

    @property
    def markdown(self) -> str:
        missed = self.missed if "held_out" in self.tables and self.trips else []
        lines = ["# How often the rule critic is right", "", self._origin(), "", *self._summary(), ""]
        if missed:
            lines += [f"Missed: {'; '.join(missed)}.", ""]
        lines += self._listing("Recall of each kind of defect", "kinds")
        lines += self._listing("Kinds that are held back: reported, without a target", "held_back")
        return "\n".join([*lines, *self._rules()])

    def _origin(self) -> str:
        sizes = "; ".join(
            f"{_TITLES[name]}: {table.trajectories:,} trajectories with {table.calls:,} calls"
            for name, table in self.tables.items()
        )
        doubtful = sum(table.doubtful for table in self.tables.values())
        return (
            f"Synthetic, {self.when:%Y-%m-%d}, mcp-assay {version('mcp-assay')}, rubric {VERSION}; "
            f"`make bench-critic`, {self.seconds / 60:.0f} minutes. {sizes}. Each figure is a share, its 95 % interval "
            f"after Wilson, and how many of how many. {doubtful} mutated trajectories in which fair reviewers would "
            "differ whether the defect came up count neither way."
        )

    def _summary(self) -> list[str]:
        dimensions = sorted({name for table in self.tables.values() for name in table.recall})
        rows = [
            *(
                (f"recall, {name}", "≥ 90 %", [table.recall.get(name, Share()) for table in self.tables.values()])
                for name in dimensions
            ),
            ("precision", "≥ 95 %", [table.precision for table in self.tables.values()]),
            ("cited calls exactly the planted ones", "≥ 98 %", [table.cited for table in self.tables.values()]),
            ("false alarms on clean trajectories", "≤ 2 %", [table.alarms for table in self.tables.values()]),
        ]
        lines = [_row("", "target", *(_TITLES[name] for name in self.tables)), _row(*["---"] * (2 + len(self.tables)))]
        lines += [_row(name, target, *map(_shown, shares)) for name, target, shares in rows]
        if self.trips:
            alone, whole = _shown(self.explored["scenarios"]), _shown(self.explored["evaluations"])
            lines += ["", f"Clean servers under `explore`: a finding in {alone} scenarios, {whole} evaluations."]
        return lines

    def _listing(self, title: str, what: str) -> list[str]:
        names = sorted({name for table in self.tables.values() for name in getattr(table, what)}, key=_place)
        if not names:
            return []
        lines = [f"## {title}", "", _row("kind", "dimension", *(_TITLES[name] for name in self.tables))]
        lines.append(_row(*["---"] * (2 + len(self.tables))))
        for name in names:
            shares = [getattr(table, what).get(name, Share()) for table in self.tables.values()]
            lines.append(_row(name, MUTATORS[name].dimension, *map(_shown, shares)))
        return [*lines, ""]

    def _rules(self) -> list[str]:
        names = sorted({name for table in self.tables.values() for name in table.rules})
        lines = ["## Rules: their precision, and their recall of the kinds that they can see", ""]
        columns = [f"{what}, {_TITLES[name]}" for name in self.tables for what in ("precision", "recall")]
        lines += [_row("rule", *columns), _row(*["---"] * (1 + len(columns)))]
        for name in names:
            shares = [
                share
                for table in self.tables.values()
                for share in (table.rules.get(name, Share()), table.recall_of(name))
            ]
            lines.append(_row(name, *map(_shown, shares)))
        return [*lines, ""]


def quoted(found: Mapping[str, Any]) -> str:
    """The README's table, from what is in ``friction.json``."""
    held, explore = found["held_out"], found["explore"]["scenarios"]
    sizes = f"held out: {held['trajectories']:,} trajectories, {held['calls']:,} calls"
    rows = [
        *((f"recall, `{name}`", "≥ 90 %", share) for name, share in held["recall"].items()),
        ("precision", "≥ 95 %", held["precision"]),
        ("citations exactly the planted calls", "≥ 98 %", held["cited"]),
        ("clean trajectories with any finding", "≤ 2 %", held["false_alarms"]),
        ("clean scenarios under `explore` with any finding", "≤ 2 %", explore),
    ]
    head = [_row(f"{found['date']}, `make bench-critic`, synthetic", "target", sizes), "|---|---|---|"]
    return "\n".join(
        [*head, *(_row(name, target, _shown(Share(each["hits"], each["of"]))) for name, target, each in rows)]
    )


def _json(table: Table) -> dict[str, Any]:
    rules = {
        name: {"precision": share.as_json(), "recall": table.recall_of(name).as_json()}
        for name, share in sorted(table.rules.items())
    }
    return {
        "trajectories": table.trajectories,
        "calls": table.calls,
        "doubtful": table.doubtful,
        "clean_goals_reached": table.reached.as_json(),
        "precision": table.precision.as_json(),
        "cited": table.cited.as_json(),
        "false_alarms": table.alarms.as_json(),
        "recall": {name: share.as_json() for name, share in sorted(table.recall.items())},
        "kinds": {name: share.as_json() for name, share in sorted(table.kinds.items())},
        "held_back": {name: share.as_json() for name, share in sorted(table.held_back.items())},
        "rules": rules,
    }


def _place(kind: str) -> tuple[str, str]:
    return MUTATORS[kind].dimension, kind


def _percent(share: Share) -> str:
    return "nothing" if share.value is None else f"{share.value:.1%}"


def _shown(share: Share) -> str:
    if share.value is None:
        return "none"
    low, high = share.interval
    return f"{100 * share.value:.1f} % ({100 * low:.0f} to {100 * high:.0f}; {share.hits}/{share.of})"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(quoted(json.loads((FOLDER / "friction.json").read_text())))

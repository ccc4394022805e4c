"""Truth against findings: how often the critic sees what was planted, and how often it is right."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt

from benchmarks.friction.catalog import surface
from benchmarks.friction.mutators import MUTATORS, Mutator
from benchmarks.friction.play import Found, Played

__all__ = ["Share", "Table", "score"]

CITED = 20  # ids that a finding cites at most


@dataclass
class Share:
    """A count of a whole, with its 95 % interval after Wilson."""

    hits: int = 0
    of: int = 0

    def add(self, hit: bool) -> None:  # noqa: FBT001
        self.hits += hit
        self.of += 1

    def join(self, other: "Share") -> None:
        self.hits += other.hits
        self.of += other.of

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.96, self.of, self.hits / self.of
        centre, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        scale = 1 + z * z / n
        return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)

    def as_json(self) -> dict[str, object]:
        low, high = self.interval
        value = None if self.value is None else round(self.value, 4)
        return {"hits": self.hits, "of": self.of, "value": value, "low": round(low, 4), "high": round(high, 4)}


@dataclass
class Table:
    """All the figures of one set of trajectories. ``rules`` count what each rule found: right, of all."""

    trajectories: int = 0
    calls: int = 0
    doubtful: int = 0  # mutated trajectories of which fair reviewers would differ
    reached: Share = field(default_factory=Share)  # clean trajectories whose goal was reached
    recall: dict[str, Share] = field(default_factory=dict)  # by dimension
    kinds: dict[str, Share] = field(default_factory=dict)
    held_back: dict[str, Share] = field(default_factory=dict)
    precision: Share = field(default_factory=Share)
    cited: Share = field(default_factory=Share)
    alarms: Share = field(default_factory=Share)  # clean trajectories in which anything was found
    rules: dict[str, Share] = field(default_factory=dict)
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)  # how often a rule rightly found a kind
    wrong: list[str] = field(default_factory=list)  # what to look at: false findings, misses, other citations

    def add(self, other: "Table") -> None:
        """Count what another table counts, too."""
        self.trajectories += other.trajectories
        self.calls += other.calls
        self.doubtful += other.doubtful
        for mine, theirs in (
            (self.reached, other.reached),
            (self.precision, other.precision),
            (self.cited, other.cited),
            (self.alarms, other.alarms),
        ):
            mine.join(theirs)
        for shares, others in (
            (self.recall, other.recall),
            (self.kinds, other.kinds),
            (self.held_back, other.held_back),
            (self.rules, other.rules),
        ):
            for name, share in others.items():
                shares.setdefault(name, Share()).join(share)
        self.seen += other.seen
        self.wrong += other.wrong

    def recall_of(self, rule: str) -> Share:
        """Of the defects of those kinds that a rule has rightly found at least once, those in which it did."""
        kinds = {kind: hits for (name, kind), hits in self.seen.items() if name == rule}
        return Share(sum(kinds.values()), sum(self.kinds[kind].of for kind in kinds))


def score(played: Iterable[Played]) -> Table:
    """Held-back kinds count in ``held_back`` and nowhere else, neither as found nor as false."""
    table = Table()
    for one in played:
        table.trajectories += 1
        table.calls += len(one.made)
        if one.run.defect is None:
            table.reached.add(one.reached)
            table.alarms.add(bool(one.found))
            _false(table, one, one.found)
        else:
            _mutated(table, one)
    return table


def _mutated(table: Table, one: Played) -> None:
    defect = one.run.defect
    assert defect is not None
    kind = MUTATORS[defect.kind]
    clean = surface(defect.server or one.run.servers[0])
    expected = kind.expected(clean, defect.tool, one.made)
    same = [found for found in one.found if _is_of(found, kind, defect.server)]
    if kind.held_back:
        if expected:
            table.held_back.setdefault(kind.kind, Share()).add(bool(same))
        return
    if expected:
        table.recall.setdefault(kind.dimension, Share()).add(bool(same))
        table.kinds.setdefault(kind.kind, Share()).add(bool(same))
        table.seen.update({(_rule(found), kind.kind) for found in same})
        if not same:
            table.wrong.append(f"MISS {_where(one)}: {sorted(expected)}")
        for found in same:
            _true(table, one, found, expected)
    table.doubtful += expected is None
    # Where it is in doubt whether the defect came up, neither to find it nor to miss it is wrong.
    showed = expected is None or bool(expected)
    _false(table, one, [found for found in one.found if not (showed and found in same)])


def _true(table: Table, one: Played, found: Found, expected: frozenset[str]) -> None:
    _judged(table, found, right=True)
    right = _is_cited(found, expected)
    table.cited.add(right)
    if not right:
        table.wrong.append(f"CITES {_where(one)}: {found.rule} {found.ids}, not {sorted(expected)}")


def _false(table: Table, one: Played, findings: Iterable[Found]) -> None:
    for found in findings:
        _judged(table, found, right=False)
        table.wrong.append(f"FALSE {_where(one)}: {found.rule} {found.ids} {found.summary}")


def _judged(table: Table, found: Found, *, right: bool) -> None:
    table.precision.add(right)
    table.rules.setdefault(_rule(found), Share()).add(right)


def _rule(found: Found) -> str:
    return f"{found.dimension}/{found.rule}"


def _is_of(found: Found, kind: Mutator, server: str) -> bool:
    """Whether a finding is of the dimension and the server of what was planted."""
    return found.dimension == kind.dimension and found.mcp == (server if kind.mcp is None else kind.mcp)


def _is_cited(found: Found, expected: frozenset[str]) -> bool:
    if len(expected) > CITED:
        return len(found.ids) == CITED and expected.issuperset(found.ids)
    return frozenset(found.ids) == expected


def _where(one: Played) -> str:
    defect = one.run.defect
    planted = f"{defect.kind} at {defect.server}.{defect.tool}" if defect else "clean"
    return f"[{one.goal}, seed {one.run.seed}, {planted}]"

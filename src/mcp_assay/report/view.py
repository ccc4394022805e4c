"""Everything that a report says, computed once; the renderers only arrange it.

All strings of a view are as they came: the renderers make them harmless for their own format.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mcp_assay.core import inert
from mcp_assay.core.citations import extra, targets
from mcp_assay.core.findings import CROSS_MCP, UNATTRIBUTED
from mcp_assay.core.model import Dimension, Disposition, Finding, Manifest, Severity
from mcp_assay.core.session import State
from mcp_assay.errors import StoreError
from mcp_assay.report import caveats
from mcp_assay.report.caveats import Caveat
from mcp_assay.report.coverage import Coverage, measure
from mcp_assay.report.quotation import quote

__all__ = ["NOTHING", "Reported", "Server", "Skipped", "View", "build"]

NOTHING = "No MCPs attached — nothing to evaluate"

_PAUSE = 60  # seconds; stopping the servers takes some too, and is no pause


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with what our own rules know of it: the rule, and the cost by unit (calls, tokens, bytes, ms).

    ``by`` is "rule" or "model", ``raised_from`` the rule's severity where a model raised it; None where not known.
    ``missed`` are scenarios whose goal was not reached because of it; ``servers`` those that a finding shared by most
    of them speaks of.
    """

    finding: Finding
    rule: str | None = None
    cost: Mapping[str, Any] | None = None
    by: str | None = None
    raised_from: str | None = None
    missed: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """One attached server. ``findings`` are its own, the gravest first."""

    name: str
    disposition: str | None
    findings: tuple[Reported, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Skipped:
    """A server that was left out: by its disposition (``note`` is the user's), or filtered (``note`` is the reason)."""

    name: str
    filtered: bool
    note: str


@dataclass(frozen=True, slots=True)
class View:
    """A whole report. ``date`` is ISO 8601; ``duration`` is "12m 34s" or "incomplete"; ``entries`` counts lines.

    ``handoffs`` says whether any scenario was aimed at two servers. ``hosts`` holds by scenario what the agent's host
    said of it, where one was started for it. ``active_seconds`` is None where not known. ``surface`` is what the
    manifests alone show, a table for each server, as ``build`` was given it.
    """

    name: str
    date: str
    duration: str
    active_seconds: float | None
    servers: tuple[Server, ...]
    scenarios: int
    aborted: int
    counts: Mapping[Severity, int]
    synthesis: str
    unattributed: tuple[Reported, ...]
    cross_mcp: tuple[Reported, ...]
    handoffs: bool
    hosts: Mapping[str, Mapping[str, Any]]
    skipped: tuple[Skipped, ...]
    caveats: tuple[Caveat, ...]
    dangling: tuple[Mapping[str, str], ...]
    evidence: str | None
    critique: str | None
    rubric: str | None
    transcript_sha256: str | None
    entries: int
    surface: tuple[Mapping[str, Any], ...]

    @property
    def headline(self) -> str:
        """Spec: "N Critical, N Major, N Minor, N Suggestion findings", or that there was nothing to evaluate."""
        if not self.servers:
            return NOTHING
        return ", ".join(f"{number} {severity}" for severity, number in self.counts.items()) + " findings"

    @property
    def findings(self) -> tuple[Reported, ...]:
        """All of them, in the order of the report."""
        own = (item for server in self.servers for item in server.findings)
        return (*own, *self.unattributed, *self.cross_mcp)


def build(
    state: State,
    entries: Sequence[Mapping[str, Any]],
    manifests: Mapping[str, Manifest] | None = None,
    surface: Sequence[Mapping[str, Any]] = (),
) -> View:
    """The view of a state and its parsed transcript lines. ``manifests`` tell the tools where the state does not;
    ``surface`` is what they alone show.

    Raises StoreError if the state holds something that is not of the documented form.
    """
    try:
        return _build(state, entries, manifests or {}, tuple(surface))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as bad:
        what = inert.line(f"{type(bad).__name__}: {bad}")
        raise StoreError(f"{state.eval_name}: state.json or transcript.jsonl is not of our form ({what})") from bad


def _build(
    state: State,
    entries: Sequence[Mapping[str, Any]],
    manifests: Mapping[str, Manifest],
    surface: tuple[Mapping[str, Any], ...],
) -> View:
    coverage = measure(entries, [_with_tools(server, manifests) for server in state.attached_mcps])
    found = sorted(map(_reported, state.critic_findings), key=_rank)
    places: dict[str, list[Reported]] = {name: [] for name in (*_names(coverage), UNATTRIBUTED, CROSS_MCP)}
    for item in found:
        # So that "counts reconcile with the Headline", a name that nobody has is shown all the same.
        places[item.finding.mcp_name if item.finding.mcp_name in places else UNATTRIBUTED].append(item)
    seconds, active = _seconds(state), state.assay.get("active_seconds")
    return View(
        name=state.eval_name,
        date=state.started,
        duration="incomplete" if seconds is None else _clock(seconds),
        active_seconds=active,
        servers=tuple(_server(seen, state, places) for seen in coverage),
        scenarios=len(state.execution),
        aborted=sum(entry["status"] == "aborted" for entry in state.execution),
        counts={severity: sum(item.finding.severity is severity for item in found) for severity in Severity},
        synthesis=quote(state.critic_summary),
        unattributed=tuple(places[UNATTRIBUTED]),
        cross_mcp=tuple(places[CROSS_MCP]),
        handoffs=any(len(targets(scenario)) > 1 for scenario in state.scenarios),
        hosts={str(entry["scenario_id"]): said for entry in state.execution if (said := extra(entry).get("host"))},
        skipped=tuple(_skipped(state)),
        caveats=caveats.collect(state, coverage, _active(seconds, active), surface),
        dangling=tuple(state.dangling_citations),
        evidence=state.assay.get("evidence"),
        critique=state.assay.get("critique"),
        rubric=state.assay.get("rubric"),
        transcript_sha256=state.assay.get("transcript_sha256"),
        entries=len(entries),
        surface=surface,
    )


# --- findings and servers ----------------------------------------------------------------------------------------


def _reported(entry: Mapping[str, Any]) -> Reported:
    texts = {key: entry[key] for key in ("id", "summary", "mcp_name", "recommendation")}
    ids = tuple(entry["evidence_ids"])
    if not all(isinstance(text, str) for text in (*texts.values(), *ids)):
        raise TypeError("a finding whose texts are no strings")
    ours = entry.get("assay") or {}
    finding = Finding(
        severity=Severity(entry["severity"]), dimension=Dimension(entry["dimension"]), evidence_ids=ids, **texts
    )
    rule, cost, by, raised_from = map(ours.get, ("rule", "cost", "by", "raised_from"))
    missed, servers = (tuple(map(str, ours.get(key) or ())) for key in ("missed", "servers"))
    return Reported(finding, rule, cost, by, raised_from, missed, servers)


def _rank(item: Reported) -> tuple[int, int]:
    """By severity, then by number."""
    return list(Severity).index(item.finding.severity), int(item.finding.id.removeprefix("F"))


def _names(coverage: Iterable[Coverage]) -> tuple[str, ...]:
    return tuple(seen.server for seen in coverage)


def _server(coverage: Coverage, state: State, places: Mapping[str, Sequence[Reported]]) -> Server:
    name = coverage.server
    kept = next((kept for kept in state.safety_dispositions if kept["mcp_name"] == name), {})
    # A server may be called what the two other sections are called; its findings are shown there, and only there.
    own = () if name in (UNATTRIBUTED, CROSS_MCP) else places[name]
    return Server(name, kept.get("disposition"), tuple(own), coverage)


def _with_tools(server: Mapping[str, Any], manifests: Mapping[str, Manifest]) -> Mapping[str, Any]:
    manifest = manifests.get(server["name"])
    if server["tools"] or manifest is None:
        return server
    return {**server, "tools": [tool.name for tool in manifest.tools]}


def _skipped(state: State) -> Iterator[Skipped]:
    for kept in state.safety_dispositions:
        if kept["disposition"] == Disposition.SKIP:
            yield Skipped(str(kept["mcp_name"]), filtered=False, note=str(kept.get("notes") or ""))
    for item in state.filtered_mcps:
        yield Skipped(str(item["name"]), filtered=True, note=str(item["reason"]))


# --- time --------------------------------------------------------------------------------------------------------


def _seconds(state: State) -> float | None:
    """From the start of the session to its end; None where one of them is absent or no timestamp."""
    if state.session_started is None or state.session_ended is None:
        return None
    try:
        return max((_moment(state.session_ended) - _moment(state.session_started)).total_seconds(), 0)
    except ValueError:
        return None


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _clock(seconds: float) -> str:
    """Spec: "formatted as <minutes>m <seconds>s (e.g., 12m 34s)"; the minutes have no bound."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m {rest}s"


def _active(seconds: float | None, active: float | None) -> str | None:
    """The time at work, where the duration does not say it already: after a pause, or without an end."""
    if active is None or (seconds is not None and seconds - active < _PAUSE):
        return None
    return _clock(active)

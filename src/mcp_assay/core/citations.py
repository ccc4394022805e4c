"""Whether the findings' citations hold: do the ids exist, and do they speak of the server the finding is about?

A finding that fails is kept. What failed becomes an entry of ``dangling_citations`` and a line of the report.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core import naming
from mcp_assay.core.findings import CROSS_MCP, UNATTRIBUTED
from mcp_assay.core.model import Finding

__all__ = ["NEUTRAL_TOOLS", "check", "extra", "server_of", "targets"]

NEUTRAL_TOOLS = frozenset({"__budget_abort__", "__wallclock_abort__", "__blocked__"})
"""Lines of the safety and budget machinery: they "neither pass nor fail Pass 2"."""

_TWO_SERVERS = 2


@dataclass(frozen=True, slots=True)
class _Cited:
    """All that one id stands for. ``servers`` were called there, ``targets`` were the aim of its scenario."""

    neutral: bool
    servers: frozenset[str]
    targets: frozenset[str]

    @property
    def scope(self) -> frozenset[str]:
        return self.servers | self.targets


def check(
    findings: Sequence[Finding],
    entries: Iterable[Mapping[str, Any]],
    scenarios: Sequence[Mapping[str, Any]],
    attached: Sequence[str],
) -> list[dict[str, str]]:
    """The ``dangling_citations`` entries (finding_id, cited_id, reason) of all findings, in their order. Never raises.

    ``entries`` are parsed transcript lines, ``scenarios`` the state's, ``attached`` the servers' raw names.
    """
    known = _index(entries, scenarios, attached)
    return [problem for finding in findings for problem in _judge(finding, known)]


def server_of(entry: Mapping[str, Any], attached: Iterable[str]) -> str | None:
    """The attached server that a line called or was kept from calling: what was recorded, else what the name says."""
    attached = tuple(attached)
    recorded = extra(entry).get("mcp")
    if isinstance(recorded, str) and recorded in attached:
        return recorded
    tool = entry.get("blocked_tool", entry.get("tool"))
    found = naming.split(tool, attached) if isinstance(tool, str) else None
    return None if found is None else found[0]


def targets(scenario: Mapping[str, Any]) -> frozenset[str]:
    """The servers a scenario aims at: those it names, or if it names none those it turned out to call."""
    named = scenario.get("targets_mcps") or extra(scenario).get("inferred_targets")
    return (
        frozenset(name for name in named if isinstance(name, str)) if isinstance(named, list | tuple) else frozenset()
    )


def extra(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """What we added to an object of the state or the transcript: its ``assay``, empty if there is none."""
    ours = item.get("assay")
    return ours if isinstance(ours, Mapping) else {}


def _index(
    entries: Iterable[Mapping[str, Any]], scenarios: Sequence[Mapping[str, Any]], attached: Sequence[str]
) -> dict[str, _Cited]:
    aims = {str(scenario.get("id")): targets(scenario) for scenario in scenarios}
    known: dict[str, _Cited] = {}
    for entry in entries:
        name = entry.get("id")
        if isinstance(name, str):
            cited = _cited(entry, aims, attached)
            known[name] = _both(known[name], cited) if name in known else cited
    return known


def _cited(entry: Mapping[str, Any], aims: Mapping[str, frozenset[str]], attached: Sequence[str]) -> _Cited:
    server = server_of(entry, attached)
    return _Cited(
        neutral=str(entry.get("tool")) in NEUTRAL_TOOLS,
        servers=frozenset() if server is None else frozenset({server}),
        targets=aims.get(str(entry.get("scenario_id")), frozenset()),
    )


def _both(one: _Cited, other: _Cited) -> _Cited:
    """Two lines with one id, which only a transcript from elsewhere can have: either may be meant."""
    if one.neutral != other.neutral:
        return other if one.neutral else one
    return _Cited(one.neutral, one.servers | other.servers, one.targets | other.targets)


def _judge(finding: Finding, known: Mapping[str, _Cited]) -> list[dict[str, str]]:
    cited = list(dict.fromkeys(finding.evidence_ids))
    # Pass 1: "Every token in evidence_ids[] must appear as an id field on some line of transcript.jsonl."
    missing = [name for name in cited if name not in known]
    problems = [_problem(finding, name, "id not found in transcript") for name in missing]
    existing = [name for name in cited if name in known]
    # Pass 2 judges what exists, so that one failure is not reported twice. "For unattributed findings: skip".
    if existing and finding.mcp_name != UNATTRIBUTED:
        problems += _scope(finding, existing, known)
    return problems


def _scope(finding: Finding, existing: Sequence[str], known: Mapping[str, _Cited]) -> list[dict[str, str]]:
    """Pass 2, "after excluding attribution-neutral ids"."""
    tested = [name for name in existing if not known[name].neutral]
    spanned = frozenset[str]().union(*(known[name].scope for name in tested))
    if finding.mcp_name == CROSS_MCP:
        # "non-neutral cited ids must collectively span ≥2 different MCPs"
        reason = "" if len(spanned) >= _TWO_SERVERS else "cross-mcp finding evidence spans fewer than 2 MCPs"
    elif not tested:
        reason = "all cited ids are attribution-neutral — cannot verify attribution"
    else:
        # "at least one non-neutral cited transcript entry must" call the server or belong to a scenario that targets it
        reason = "" if finding.mcp_name in spanned else f"no cited id plausibly attributed to {finding.mcp_name}"
    return [_problem(finding, ",".join(tested or existing), reason)] if reason else []


def _problem(finding: Finding, cited_id: str, reason: str) -> dict[str, str]:
    return {"finding_id": finding.id, "cited_id": cited_id, "reason": reason}

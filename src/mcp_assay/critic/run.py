"""The rule critic: evidence in, the critic's markdown out. The same evidence gives the same text."""

from collections import Counter
from collections.abc import Iterator, Sequence

from mcp_assay.core import inert
from mcp_assay.core.model import Severity
from mcp_assay.critic import wire
from mcp_assay.critic.evidence import Driver, Evidence
from mcp_assay.critic.rules import RULES, Draft, Rule
from mcp_assay.critic.rules.base import grouped, named

__all__ = ["critique", "judge"]

_GRAVITY = {severity: rank for rank, severity in enumerate(Severity)}


def critique(evidence: Evidence) -> str:
    """Judge a transcript by all rules that may judge it. Total: never raises, whatever the entries hold."""
    drafts = judge(evidence)
    return wire.render(drafts, _summary(drafts, evidence), evidence.attached)


def judge(evidence: Evidence) -> tuple[Draft, ...]:
    """The findings in the order in which ``critique`` writes them: the gravest first, among equals the costliest."""
    drafts = [draft for rule in RULES if _obstacle(rule, evidence) is None for draft in rule.judge(evidence)]
    return tuple(sorted(drafts, key=_rank))


def _rank(draft: Draft) -> tuple[int, int, int, int, str, str, str]:
    cost = draft.cost  # durations differ from run to run, so they decide last
    return (_GRAVITY[draft.severity], -cost.calls, -cost.bytes, -cost.ms, draft.dimension, draft.rule, draft.mcp)


def _obstacle(rule: Rule, evidence: Evidence) -> str | None:
    """Why a rule cannot judge this evidence; None if it can."""
    if Driver.of(evidence.driver) not in rule.drivers:
        return f"driver {inert.line(evidence.driver, 40).strip() or 'unknown'}"
    return "no manifests" if rule.needs_manifests and evidence.manifests is None else None


# --- the summary -------------------------------------------------------------------------------------------------


def _summary(drafts: Sequence[Draft], evidence: Evidence) -> Iterator[str]:
    yield _verdict(drafts, evidence)  # two sentences: the report's headline quotes the first two
    for part in (_coverage(evidence), [*_not_judged(evidence), *_manifests(evidence), *_unreadable(evidence)]):
        lines = list(part)
        yield from ["", *lines] if lines else []


def _verdict(drafts: Sequence[Draft], evidence: Evidence) -> str:
    if not evidence.entries:
        return "There was nothing to evaluate: the transcript is empty. No server was observed."
    if not any(call.completed for call in evidence.mcp_calls):
        lines = _counted(len(evidence.entries), "transcript line")
        return f"There was nothing to evaluate: {lines}, and no completed MCP call among them. No server was observed."
    if not drafts:
        return f"No friction was found in {_scope(evidence)}. Only what these calls exercised was judged."
    first = drafts[0]
    return (
        f"Found {_tally(drafts)} in {_scope(evidence)}. The gravest, {first.dimension}/{first.rule}, took {first.cost}."
    )


def _tally(drafts: Sequence[Draft]) -> str:
    """``1 Major and 3 Minor findings``."""
    counts = Counter(draft.severity for draft in drafts)
    parts = [f"{counts[severity]} {severity}" for severity in Severity if counts[severity]]
    joined = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    return f"{joined} {'finding' if len(drafts) == 1 else 'findings'}"


def _scope(evidence: Evidence) -> str:
    servers = {call.server for call in evidence.mcp_calls}
    return f"{_counted(len(evidence.mcp_calls), 'MCP call')} to {_counted(len(servers), 'server')}"


def _coverage(evidence: Evidence) -> Iterator[str]:
    for name in evidence.attached:
        calls = [call for call in evidence.mcp_calls if call.server == name]
        completed = sum(call.completed for call in calls)
        seen = f"{_counted(len(calls), 'call')}, {completed} completed" if calls else "not called; nothing was observed"
        yield f"- {named(name)}: {seen}."


def _not_judged(evidence: Evidence) -> Iterator[str]:
    kept_out = ((_obstacle(rule, evidence), f"{rule.dimension}/{rule.id}") for rule in RULES)
    for obstacle, rules in grouped(kept_out).items():
        if obstacle is not None:
            yield f"Rules not judged: {', '.join(rules)} ({obstacle})."


def _manifests(evidence: Evidence) -> Iterator[str]:
    """``Manifest unreadable: <name> — <why>``, which the report's Caveats repeat."""
    if evidence.manifests is None:
        return
    for name in evidence.attached:
        manifest = evidence.manifests.get(name)
        why = "no manifest was pinned" if manifest is None else manifest.limitation
        if why is not None:
            yield f"Manifest unreadable: {inert.line(name)} — {inert.line(why)}"


def _unreadable(evidence: Evidence) -> Iterator[str]:
    if evidence.unreadable:
        yield (
            f"{_counted(evidence.unreadable, 'transcript line')} not judged:"
            " without a usable id of its own, a tool, or a server that can be told."
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

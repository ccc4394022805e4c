"""The rule critic: evidence in, the critic's markdown out. The same evidence gives the same text."""

from collections import Counter
from collections.abc import Iterator, Sequence

from mcp_assay.core import inert
from mcp_assay.core.model import Severity
from mcp_assay.core.phrases import counted
from mcp_assay.critic import wire
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.goals import weighed
from mcp_assay.critic.jurisdiction import cases, reservations
from mcp_assay.critic.merge import merged
from mcp_assay.critic.rules import RULES, Draft
from mcp_assay.critic.rules.base import named
from mcp_assay.critic.widespread import gathered

__all__ = ["critique", "judge", "render"]

_GRAVITY = {severity: rank for rank, severity in enumerate(Severity)}
_PLACE = {(rule.dimension, rule.id): place for place, rule in enumerate(RULES)}


def critique(evidence: Evidence) -> str:
    """Judge a transcript by all rules that may judge it. Total: never raises, whatever the entries hold."""
    return render(judge(evidence), evidence)


def judge(evidence: Evidence) -> tuple[Draft, ...]:
    """The findings, one for each cause: the gravest first, among equals the costliest."""
    drafts = weighed((draft for rule, seen in cases(RULES, evidence) for draft in rule.judge(seen)), evidence)
    told = merged(sorted(drafts, key=_rank))
    return tuple(sorted(gathered(told, evidence.attached), key=_rank))


def render(drafts: Sequence[Draft], evidence: Evidence) -> str:
    """The wire markdown of what ``judge`` found in the same evidence: the findings in their order, then a summary."""
    return wire.render(drafts, _summary(drafts, evidence), evidence.attached)


def _rank(draft: Draft) -> tuple[int, int, int, int, int, int, str]:
    cost = draft.cost  # durations differ from run to run, so they decide last
    place = _PLACE[draft.dimension, draft.rule]
    return (_GRAVITY[draft.severity], -cost.calls, -cost.tokens, -cost.bytes, -cost.ms, place, draft.mcp)


# --- the summary -------------------------------------------------------------------------------------------------


def _summary(drafts: Sequence[Draft], evidence: Evidence) -> Iterator[str]:
    yield _verdict(drafts, evidence)  # two sentences: the report's headline quotes the first two
    reserved = [*reservations(RULES, evidence), *_bare(evidence), *_manifests(evidence), *_unreadable(evidence)]
    for part in (_coverage(evidence), reserved):
        lines = list(part)
        yield from ["", *lines] if lines else []


def _verdict(drafts: Sequence[Draft], evidence: Evidence) -> str:
    if not evidence.entries:
        return "There was nothing to evaluate: the transcript is empty. No server was observed."
    if not any(call.completed for call in evidence.mcp_calls):
        lines = counted(len(evidence.entries), "transcript line")
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
    return f"{counted(len(evidence.mcp_calls), 'MCP call')} to {counted(len(servers), 'server')}"


def _coverage(evidence: Evidence) -> Iterator[str]:
    for name in evidence.attached:
        calls = [call for call in evidence.mcp_calls if call.server == name]
        completed = sum(call.completed for call in calls)
        seen = f"{counted(len(calls), 'call')}, {completed} completed" if calls else "not called; nothing was observed"
        yield f"- {named(name)}: {seen}."


def _bare(evidence: Evidence) -> Iterator[str]:
    bare = sum(call.bare for call in evidence.calls)
    if 0 < bare < len(evidence.calls):
        yield f"{counted(bare, 'transcript line')} not judged: by the rules that need more than the specified fields."


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
            f"{counted(evidence.unreadable, 'transcript line')} not judged:"
            " without a usable id of its own, a tool, or a server that can be told."
        )

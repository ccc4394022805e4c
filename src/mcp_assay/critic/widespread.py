"""What most servers have in common is told once: it is how servers are written, and no one server's news."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from mcp_assay.core.model import Severity
from mcp_assay.critic.rubric import Cost
from mcp_assay.critic.rules import RULES, Draft, Rule
from mcp_assay.critic.rules.base import CROSS_MCP, grouped, listed

__all__ = ["LEAST", "gathered"]

LEAST = 3
"""Servers, and more than half of those attached. Two servers may agree by chance."""

_RULES = {(rule.dimension, rule.id): rule for rule in RULES}
_LIGHT = frozenset({Severity.MINOR, Severity.SUGGESTION})


def gathered(drafts: Sequence[Draft], attached: Sequence[str]) -> Iterator[Draft]:
    """The drafts; of a rule that found something at most of the attached servers, one Suggestion for its light ones.

    What is Major or worse stays, and counts among the servers all the same. The Suggestion cites calls of each server.
    """
    by_rule = grouped(((draft.dimension, draft.rule), draft) for draft in drafts if _is_one_servers(draft, attached))
    common = {key: same for key, same in by_rule.items() if _is_common(same, attached)}
    for draft in drafts:
        same = common.get((draft.dimension, draft.rule), [])
        if draft not in same or draft.severity not in _LIGHT:
            yield draft
    for key, same in common.items():
        yield _suggestion(_RULES[key], same, len(attached))


def _is_one_servers(draft: Draft, attached: Sequence[str]) -> bool:
    return draft.mcp in attached and draft.mcp != CROSS_MCP


def _is_common(same: Sequence[Draft], attached: Sequence[str]) -> bool:
    number = len({draft.mcp for draft in same})
    return number >= LEAST and 2 * number > len(attached) and any(draft.severity in _LIGHT for draft in same)


def _suggestion(rule: Rule, same: Sequence[Draft], attached: int) -> Draft:
    by_server = grouped((draft.mcp, ident) for draft in same for ident in draft.evidence_ids)
    # One of each server first: of a long list only the first are cited, and Pass 2 wants two servers among them.
    turns = chain.from_iterable(zip_longest(*by_server.values()))
    return Draft(
        rule=rule.id,
        severity=Severity.SUGGESTION,
        dimension=rule.dimension,
        mcp=CROSS_MCP,
        summary=f"{len(by_server)} of {attached} attached servers show `{rule.id}` ({listed(by_server)}):"
        f" {rule.rationale.rstrip('.')}",
        evidence_ids=tuple(dict.fromkeys(ident for ident in turns if ident is not None)),
        recommendation=same[0].recommendation,
        cost=sum((draft.cost for draft in same), Cost()),
        servers=tuple(by_server),
    )

"""One server names somebody or something by a name; another one takes its key, which has to be looked up first."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, CROSS_MCP, Cost, Draft, Rule, grouped, ids, listed, named

__all__ = ["RULE"]

_FEW = 3
"""Records that a look-up finds; more are a list that was wanted for itself."""

Lookup = tuple[Call, Call, Call]
"""Where the name came from, the call that looked it up, and the call that took the key."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    keyed = (((each[0].server, each[1].server), each) for each in _lookups(evidence))
    for (giver, taker), found in grouped(keyed).items():
        cost = Cost.of(lookup for _, lookup, _ in found)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=CROSS_MCP,
            summary=f"What {listed(origin.tool for origin, _, _ in found)} ({named(giver)}) returned had to be looked"
            f" up by {listed(lookup.tool for _, lookup, _ in found)} before"
            f" {listed(call.tool for _, _, call in found)} ({named(taker)}) could take it",
            evidence_ids=ids(call for each in found for call in each),
            recommendation="Return the key beside the name, or accept the name.",
            cost=cost,
        )


def _lookups(evidence: Evidence) -> Iterator[Lookup]:
    met: set[tuple[str, str]] = set()
    for call in evidence.mcp_calls:
        for argument, lookup in evidence.sourced(call):
            origin = _origin(evidence, lookup) if _takes_key(call, argument, lookup) else None
            if origin is not None and (lookup.id, argument.digest) not in met:
                met.add((lookup.id, argument.digest))
                yield origin, lookup, call


def _takes_key(call: Call, argument: Argument, lookup: Call) -> bool:
    """Whether a call about something else took what a look-up in the same server had found.

    A key, not the server's own id, which no other server could have given.
    """
    is_key = argument.via == "same" and not names.is_opaque(argument.path) and not names.is_position(argument.path)
    other = call.server == lookup.server and not names.is_about(call.tool, lookup.tool)
    few = lookup.served and lookup.is_read and 0 < (lookup.result.items or 1) <= _FEW
    return call.served and is_key and other and few


def _origin(evidence: Evidence, lookup: Call) -> Call | None:
    """The call to another server that gave what was looked up, as it was."""
    for argument, origin in evidence.sourced(lookup):
        from_other = origin.server not in ("", lookup.server) and origin.ok and argument.via == "same"
        if from_other and not names.is_opaque(argument.path):
            return origin
    return None


RULE = Rule(
    "missing-key",
    Dimension.CROSS_MCP,
    AGENTS,
    needs_manifests=False,
    rationale="A name that the other server does not take costs a look-up, and may stand for two people.",
    judge=_judge,
    example='`tracker` names the assignee "Ada Abel", `docs` takes a login: `find_user` has to be asked in between.',
)

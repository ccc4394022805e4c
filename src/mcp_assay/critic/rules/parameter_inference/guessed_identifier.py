"""An agent passes an identifier that nothing it had seen supplies."""

from collections.abc import Iterator, Sequence

from mcp_assay.core.model import Dimension, Outcome, Severity
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed

__all__ = ["RULE"]

_NOT_FOUND = frozenset({"404", "http:404", "not_found"})
_READ_WHOLE = 65_536
"""Bytes of a result in which provenance surely looked at every value."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((call.server, (call, path)) for call, path in _guesses(evidence)).items():
        calls = [call for call, _ in found]
        missed = any(not call.ok for call in calls)
        yield Draft(
            rule=RULE.id,
            severity=Severity.MINOR if missed else Severity.SUGGESTION,
            dimension=RULE.dimension,
            mcp=server,
            summary=f"The agent passed {listed(path for _, path in found)} to {listed(call.tool for call in calls)},"
            " which neither the scenario nor a result nor the schema had supplied"
            + (", and nothing was found by it" if missed else ""),
            evidence_ids=ids(calls),
            recommendation="Say in the description where the identifier comes from, and offer a call that finds it.",
            cost=Cost.of(calls),
        )


def _guesses(evidence: Evidence) -> Iterator[tuple[Call, str]]:
    met: set[str] = set()
    for calls in evidence.by_scenario.values():
        for call in _up_to_unseen(calls):
            # What an agent read in an earlier scenario, from this server or outside MCP, it may remember.
            if _is_judged(call) and met.isdisjoint({call.server, ""}):
                yield from ((call, argument.path) for argument in call.args if _is_guess(argument))
        met.update(call.server for call in calls if call.completed)


def _is_judged(call: Call) -> bool:
    """A read that found something or nothing. What is created may be named freely."""
    missed = call.outcome == Outcome.ERROR and call.error_class in _NOT_FOUND
    return bool(call.server) and call.is_read and (call.ok or missed)


def _is_guess(argument: Argument) -> bool:
    return argument.unexplained and names.is_opaque(argument.path) and "[]" not in argument.path


def _up_to_unseen(calls: Sequence[Call]) -> Iterator[Call]:
    """The calls before which nothing can have held a value unseen: no result too long, no address taken from one."""
    for call in calls:
        yield call
        if call.result.bytes > _READ_WHOLE or any(given.source and names.is_address(given.path) for given in call.args):
            return


RULE = Rule(
    "guessed-identifier",
    Dimension.PARAMETER_INFERENCE,
    AGENTS,
    needs_manifests=False,
    rationale="An identifier that is nowhere to be had is made up, and then hits the wrong thing or none.",
    judge=_judge,
)

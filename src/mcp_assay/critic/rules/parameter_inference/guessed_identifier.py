"""An agent passes an identifier that nothing it had seen supplies."""

from collections.abc import Iterator, Sequence

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.parameter_inference.refusals import NOT_FOUND, is_refused
from mcp_assay.critic.rules.parameter_inference.retries import retries

__all__ = ["RULE"]

Given = tuple[str, str, str]
"""Server, parameter and digest of a value."""

_READ_WHOLE = 65_536
"""Bytes of a result in which provenance surely looked at every value."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((call.server, (call, path)) for call, path in _guesses(evidence)).items():
        calls = [call for call, _ in found]
        missed = any(not call.ok for call in calls)
        cost = Cost.of(calls)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost, at_least=Severity.MINOR if missed else Severity.SUGGESTION),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"The agent passed {listed(path for _, path in found)} to {listed(call.tool for call in calls)},"
            " which neither the scenario nor a result nor the schema had supplied"
            + (", and nothing was found by it" if missed else ""),
            evidence_ids=ids(calls),
            recommendation="Say in the description where the identifier comes from, and offer a call that finds it.",
            cost=cost,
            causes=frozenset((call.id, "refused") for call in calls if not call.ok),
        )


def _guesses(evidence: Evidence) -> Iterator[tuple[Call, str]]:
    mended = {call.id for retry in retries(evidence) for call in retry.refused}
    accepted, met = _accepted(evidence), set[str]()
    for calls in evidence.by_scenario.values():
        for call in _up_to_unseen(calls):
            if is_refused(call):
                path = _in_vain(evidence, call, accepted) if call.id not in mended else None
                yield from [(call, path)] if path is not None else []
            # What an agent read in an earlier scenario, from this server or outside MCP, it may remember. What is
            # created may be named freely.
            elif call.server and call.is_read and call.served and met.isdisjoint({call.server, ""}):
                yield from ((call, argument.path) for argument in call.args if _is_guess(argument))
        met.update(call.server for call in calls if call.completed)


def _accepted(evidence: Evidence) -> frozenset[Given]:
    """What some call has passed and was served."""
    served = (call for call in evidence.mcp_calls if call.served)
    return frozenset((call.server, argument.path, argument.digest) for call in served for argument in call.args)


def _in_vain(evidence: Evidence, call: Call, accepted: frozenset[Given]) -> str | None:
    """The argument of a refused call that nothing supplies, if it is surely the one that was refused."""
    suspects = [given for given in call.args if (call.server, given.path, given.digest) not in accepted]
    named = [given for given in suspects if given.path in call.result.about] or suspects
    guesses = [given.path for given in named if _is_vain(evidence, call, given)]
    return guesses[0] if len(guesses) == 1 else None


def _is_guess(argument: Argument) -> bool:
    return argument.unexplained and names.is_opaque(argument.path) and "[]" not in argument.path


def _is_vain(evidence: Evidence, call: Call, argument: Argument) -> bool:
    """Whether a refused call had to name something of which nothing the server offers says a name."""
    of_the_users = names.is_address(argument.path)  # a file or a page of the user's world is no server's to supply
    if argument.known or argument.listed or of_the_users or not names.points(argument.path):
        return False
    tool, manifest = evidence.described(call), (evidence.manifests or {}).get(call.server)
    if tool is None or manifest is None:
        return _is_guess(argument) and call.error_class in NOT_FOUND and call.is_read
    others = [other for other in manifest.tools if other is not tool]
    return argument.path in names.required(tool) and not names.is_supplied(argument.path, others)


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
    example=(
        "`list_issues` requires a `team_id`, no tool of the server returns one, and each guess is refused; or"
        " `get_issue(issue_id)` with an id that no result had held, in the first scenario that calls the server."
    ),
    weight="Minor at least where nothing was found by it.",
)

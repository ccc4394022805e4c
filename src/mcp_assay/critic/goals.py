"""Goals that were missed because of what a finding is about: then it is Critical, whatever it cost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mcp_assay.core.model import Outcome, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Driver, Evidence
from mcp_assay.critic.rules.base import NOBODY, NOT_OURS, Draft

__all__ = ["weighed"]

_FAILED = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.LOST})


def weighed(drafts: Iterable[Draft], evidence: Evidence) -> list[Draft]:
    """The drafts, those Critical that cite a failure for which a scenario's goal was not reached.

    An agent's call is one if it failed and no later one of the same tool in the scenario succeeded; a script's, if it
    failed and was the last, for there a script ends. Only what a person or an agent wanted is a goal, and a caller's
    own words miss none.
    """
    fatal = {call.id: call.scenario for call in _fatal(evidence)}
    return [_weighed(draft, fatal) for draft in drafts]


def _weighed(draft: Draft, fatal: dict[str, str]) -> Draft:
    missed = tuple(dict.fromkeys(fatal[ident] for ident in draft.evidence_ids if ident in fatal))
    if not missed or draft.mcp == NOBODY:
        return draft
    return replace(draft, severity=Severity.CRITICAL, missed=missed)


def _fatal(evidence: Evidence) -> Iterator[Call]:
    for scenario, calls in evidence.by_scenario.items():
        driver = Driver.of(evidence.driver_name(scenario))
        made = [call for call in calls if call.server]
        if scenario in evidence.missed and driver in NOT_OURS:
            yield from _never_made_good(made if driver is Driver.AGENT else made[-1:])


def _never_made_good(calls: Sequence[Call]) -> Iterator[Call]:
    last = {(call.server, call.tool): call.index for call in calls if call.ok and not _failed(call)}
    yield from (call for call in calls if _failed(call) and call.index > last.get((call.server, call.tool), -1))


def _failed(call: Call) -> bool:
    """Whether it said so or not."""
    return call.outcome in _FAILED or call.result.error_in_success is True

"""Calls of one tool that were refused for their arguments, and the one that then went through."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.core.model import Outcome
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import Cause, grouped

__all__ = ["Retry", "is_refused", "retries", "top"]


@dataclass(frozen=True, slots=True)
class Retry:
    refused: tuple[Call, ...]
    passed: Call

    @property
    def changed(self) -> list[str]:
        """The argument paths that differ between the last refused call and the one that passed."""
        before, after = _digests(self.refused[-1]), _digests(self.passed)
        return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

    @property
    def added(self) -> list[str]:
        """The parameters that the last refused call had not, if it had all others with the same values; else none."""
        before, after = _digests(self.refused[-1]), _digests(self.passed)
        return sorted({top(path) for path in after.keys() - before.keys()}) if before.items() <= after.items() else []

    @property
    def causes(self) -> frozenset[Cause]:
        before = _digests(self.refused[-1])
        return frozenset((self.passed.id, path, "changed" if path in before else "added") for path in self.changed)


def retries(evidence: Evidence) -> Iterator[Retry]:
    """Every success after refusals of the same tool in the same scenario; a refusal is made good once."""
    series = grouped(((call.scenario, call.server, call.tool), call) for call in evidence.mcp_calls)
    for calls in series.values():
        refused: list[Call] = []
        for call in calls:
            if is_refused(call):
                refused.append(call)
            elif call.ok:
                other = tuple(one for one in refused if _is_another(one, call))
                if other:
                    yield Retry(other, call)
                refused = []


def is_refused(call: Call) -> bool:
    return call.outcome == Outcome.ERROR and call.error_class == "validation"


def top(path: str) -> str:
    """The parameter that an argument path lies in: ``filter`` of ``filter.ids[]``."""
    return path.partition(".")[0].partition("[")[0]


def _is_another(refused: Call, passed: Call) -> bool:
    return bool(refused.args_digest and passed.args_digest) and refused.args_digest != passed.args_digest


def _digests(call: Call) -> dict[str, str]:
    return {argument.path: argument.digest for argument in call.args}

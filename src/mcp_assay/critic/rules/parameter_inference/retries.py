"""Calls of one tool that were refused for what they were, and the one that then went through."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import Cause, grouped
from mcp_assay.critic.rules.parameter_inference.forms import FORMS
from mcp_assay.critic.rules.parameter_inference.refusals import NOT_FOUND, changed, digests, is_refused, top

__all__ = ["Retry", "retries"]


@dataclass(frozen=True, slots=True)
class Retry:
    refused: tuple[Call, ...]
    passed: Call

    @property
    def changed(self) -> list[str]:
        """The argument paths that differ between the last refused call and the one that passed."""
        return self.changed_from(self.refused[-1])

    def changed_from(self, refused: Call) -> list[str]:
        return changed(refused, self.passed)

    @property
    def added(self) -> list[str]:
        """The parameters that the last refused call had not, if it had all others with the same values; else none."""
        before, after = digests(self.refused[-1]), digests(self.passed)
        return sorted({top(path) for path in after.keys() - before.keys()}) if before.items() <= after.items() else []

    @property
    def causes(self) -> frozenset[Cause]:
        before = digests(self.refused[-1])
        # The values may all be the same, under other names.
        paths = self.changed or [""]
        return frozenset(
            (self.passed.id, path, "added" if path not in before and path else "changed") for path in paths
        )


def retries(evidence: Evidence) -> Iterator[Retry]:
    """Every success after refusals of the same tool in the same scenario that it put right; each is made good once."""
    series = grouped(((call.scenario, call.server, call.tool), call) for call in evidence.mcp_calls)
    for calls in series.values():
        refused: list[Call] = []
        for call in calls:
            if is_refused(call):
                refused.append(call)
            elif call.served:
                right = tuple(one for one in refused if _was_put_right(one, call))
                if right:
                    yield Retry(right, call)
                refused = []


def _was_put_right(refused: Call, passed: Call) -> bool:
    """Whether the second call is the first one corrected, rather than another one."""
    if not refused.args_digest or not passed.args_digest or refused.args_digest == passed.args_digest:
        return False
    if refused.error_class == "validation":
        return True
    paths = changed(refused, passed)
    before, after = _arguments(refused), _arguments(passed)
    missed = refused.error_class in NOT_FOUND
    corrected = [_is_corrected(refused, before.get(path), after.get(path), missed=missed) for path in paths]
    return all(corrected) and (bool(corrected) or not missed)


def _is_corrected(refused: Call, one: Argument | None, other: Argument | None, *, missed: bool) -> bool:
    """Whether the second value is the first one put right. An identifier known otherwise is another thing's."""
    if other is None:
        return not missed
    if other.source == refused.id:
        return not (missed and names.points(other.path))  # the refusal itself told it
    if one is not None and other.via in FORMS and (one.source, one.at) == (other.source, other.at):
        return True
    # What was not there may have been misspelt, which no schema could have told.
    return not missed and not (other.known and names.points(other.path))


def _arguments(call: Call) -> dict[str, Argument]:
    return {argument.path: argument for argument in call.args}

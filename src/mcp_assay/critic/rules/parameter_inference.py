"""Could the caller tell from the surface what to pass?"""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.core.model import Dimension, Outcome, Severity
from mcp_assay.critic.evidence import Argument, Call, Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, NOT_OURS, Cost, Draft, Rule, grouped, listed, named

__all__ = ["FORMS", "RULES", "Change", "changes"]

# --- retry-after-validation --------------------------------------------------------------------------------------

OFTEN = 3


@dataclass(frozen=True, slots=True)
class _Retry:
    """Calls of one tool that were refused for their arguments, and the one that then went through."""

    refused: tuple[Call, ...]
    passed: Call

    @property
    def changed(self) -> list[str]:
        """The argument paths that differ between the last refused call and the one that passed."""
        before = {argument.path: argument.digest for argument in self.refused[-1].args}
        after = {argument.path: argument.digest for argument in self.passed.args}
        return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def _retry_after_validation(evidence: Evidence) -> Iterator[Draft]:
    retries = grouped(((retry.passed.server, retry.passed.tool), retry) for retry in _retries(evidence))
    for (server, tool), found in retries.items():
        refused = [call for retry in found for call in retry.refused]
        changed = [path for retry in found for path in retry.changed]
        times = "once" if len(refused) == 1 else f"{len(refused)} times"
        yield Draft(
            rule=RETRY_AFTER_VALIDATION,
            severity=Severity.MAJOR if len(refused) >= OFTEN else Severity.MINOR,
            dimension=Dimension.PARAMETER_INFERENCE,
            mcp=server,
            summary=f"{named(tool)} refused its arguments {times} before a corrected call went through",
            evidence_ids=tuple(call.id for retry in found for call in (*retry.refused, retry.passed)),
            recommendation="State the accepted form in the schema and the description"
            + (f"; what the caller changed: {listed(changed)}." if changed else "."),
            cost=Cost.of(refused),
        )


def _retries(evidence: Evidence) -> Iterator[_Retry]:
    series = grouped(((call.scenario, call.server, call.tool), call) for call in evidence.mcp_calls)
    for calls in series.values():
        refused: list[Call] = []
        for call in calls:
            if call.outcome == Outcome.ERROR and call.error_class == "validation":
                refused.append(call)
            elif call.ok:
                corrected = tuple(one for one in refused if _corrected(evidence, one, call))
                if corrected:
                    yield _Retry(corrected, call)
                refused = []


def _corrected(evidence: Evidence, refused: Call, passed: Call) -> bool:
    """Whether the arguments were changed, and not merely completed by what the schema openly requires."""
    if not refused.args_digest or not passed.args_digest or refused.args_digest == passed.args_digest:
        return False
    tool = evidence.described(refused)
    given = {argument.path.partition(".")[0].partition("[")[0] for argument in refused.args}
    return tool is None or names.required(tool) <= given


# --- changed-form ------------------------------------------------------------------------------------------------

FORMS = {
    "number": "rewritten between number and text",
    "substring": "cut out of a longer text",
    "url-tail": "cut from the end of a URL",
    "case": "with its letters' case changed",
    "date": "as a date written differently",
}
"""What ``via`` says was done to a value, in words."""


@dataclass(frozen=True, slots=True)
class Change:
    """A call that took a value from an earlier result, but in another form."""

    origin: Call
    call: Call
    argument: Argument


def changes(evidence: Evidence) -> Iterator[Change]:
    """Every change of form between two MCP calls that both succeeded, within a server or across two."""
    for call in evidence.mcp_calls:
        for argument, origin in evidence.sourced(call):
            if call.ok and origin.server and origin.ok and _is_change(evidence, call, argument):
                yield Change(origin, call, argument)


def _is_change(evidence: Evidence, call: Call, argument: Argument) -> bool:
    if argument.via not in FORMS:
        return False
    # A URL's tail and a date show by themselves what they are; for the rest the name must say "identifier".
    tells = argument.via in ("url-tail", "date") or names.is_identifier(argument.path)
    return tells and not (argument.via == "number" and _either_will_do(evidence, call, argument))


def _either_will_do(evidence: Evidence, call: Call, argument: Argument) -> bool:
    """Whether the schema would have taken the number as text and the text as a number: then nobody had to change it."""
    tool = evidence.described(call)
    schema = names.parameters(tool).get(argument.path) if tool is not None else None
    if schema is None:
        return False
    types = names.types(schema)
    return not types or ("string" in types and not types.isdisjoint({"integer", "number"}))


def _changed_form(evidence: Evidence) -> Iterator[Draft]:
    own = (change for change in changes(evidence) if change.origin.server == change.call.server)
    keyed = (((each.call.server, each.call.tool, each.argument.path, each.argument.via), each) for each in own)
    for (server, tool, path, via), found in grouped(keyed).items():
        yield Draft(
            rule=CHANGED_FORM,
            severity=Severity.MINOR,
            dimension=Dimension.PARAMETER_INFERENCE,
            mcp=server,
            summary=f"{named(path)} of {named(tool)} needs a value from {listed(each.origin.tool for each in found)}"
            f" {FORMS[via]}",
            evidence_ids=tuple(dict.fromkeys(call.id for each in found for call in (each.origin, each.call))),
            recommendation="Return the value in the form that the parameter takes, or accept it in the form returned.",
            cost=Cost.of(each.call for each in found),
        )


RETRY_AFTER_VALIDATION = "retry-after-validation"
CHANGED_FORM = "changed-form"

RULES = (
    Rule(
        RETRY_AFTER_VALIDATION,
        Dimension.PARAMETER_INFERENCE,
        AGENTS,
        needs_manifests=False,
        rationale="An agent that had to be refused first could not tell from the surface what the tool accepts.",
        judge=_retry_after_validation,
    ),
    Rule(
        CHANGED_FORM,
        Dimension.PARAMETER_INFERENCE,
        NOT_OURS,
        needs_manifests=False,
        rationale="A server whose outputs do not fit its own inputs makes every caller convert.",
        judge=_changed_form,
    ),
)

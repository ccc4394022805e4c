"""A step outside MCP works over what a server returned, for want of a tool that does it."""

from collections.abc import Iterator

from mcp_assay.core import naming
from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, FEW, Cause, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.glue_code.bridges import bridges
from mcp_assay.critic.rules.glue_code.fallbacks import fallbacks
from mcp_assay.critic.rules.glue_code.justifications import considered, is_insufficient, says_uncovered
from mcp_assay.critic.rules.listings import pages
from mcp_assay.critic.rules.redundant_calls.pauses import is_pause

__all__ = ["RULE", "work"]

MANY = 10
"""Values of results that a step works on whatever the caller says of it; keeping them in a file is no such work."""
_KEEPING = names.vocabulary("edit notebook save write")

Work = tuple[str, tuple[Call, ...], Call]
"""The server, what it had returned, and the step that worked on it."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((one[0], one) for one in work(evidence)).items():
        steps = [step for _, _, step in found]
        cost = Cost.of(steps)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(step.tool for step in steps)} had to work over what"
            f" {listed(call.tool for _, over, _ in found for call in over)} ({named(server)}) returned",
            evidence_ids=ids(call for _, over, step in found for call in (*over, step)),
            recommendation="Let the tool do what the steps' justifications say it does not: filter, sort, add up, or"
            " return data that needs no parsing.",
            cost=cost,
            causes=frozenset[Cause]((step.id, "step") for step in steps),
        )


def work(evidence: Evidence) -> Iterator[Work]:
    """The steps that worked over results of a server: by the values in their text, or by the caller's own words.

    Not those that only made the next call's argument, took over from a failed call, or let time pass.
    """
    told = {step.id for bridge in bridges(evidence) for step in bridge.steps}
    told |= {step.id for _, step in fallbacks(evidence)}
    for step in evidence.calls:
        is_new = step.is_outside and step.ok and step.id not in told and not is_pause(evidence, step)
        if is_new and not is_insufficient(evidence, step) and not (says_uncovered(step) and not _is_program(step)):
            yield from _over(evidence, step)


def _is_program(step: Call) -> bool:
    """Whether it is full of values that servers had returned, rather than something beyond their remit."""
    return _values(step) >= MANY and _KEEPING.isdisjoint(names.words(step.tool))


def _values(step: Call) -> int:
    return sum(argument.values for argument in step.args)


def _over(evidence: Evidence, step: Call) -> Iterator[Work]:
    held = grouped((origin.server, origin) for _, origin in evidence.worked_on(step) if origin.server and origin.served)
    tools = dict(considered(evidence, step))
    if tools:
        for server, tool in tools.items():
            over = held.get(server) or _last(evidence, step, server, tool)
            if over:
                yield server, _whole(evidence, over, step), step
    elif _values(step) >= FEW:
        for server, over in held.items():
            yield server, _whole(evidence, over, step), step


def _last(evidence: Evidence, step: Call, server: str, tool: str) -> list[Call]:
    """The last answer of a tool that the caller says the step makes up for, where the step shows no values of it."""
    before = [call for call in evidence.by_scenario[step.scenario] if call.index < step.index and call.server == server]
    return [call for call in before if naming.fold(call.tool) == tool and call.served][-1:]


def _whole(evidence: Evidence, over: list[Call], step: Call) -> tuple[Call, ...]:
    """With the other pages of the same lists, as far as they had been read."""
    return tuple({page.id: page for call in over for page in pages(evidence, call) if page.index < step.index}.values())


RULE = Rule(
    "code-over-results",
    Dimension.GLUE_CODE,
    ANY,
    needs_manifests=False,
    rationale="Code that filters, adds up or parses what a server returned does what a tool should have done.",
    judge=_judge,
    needs_facts=False,
    example=(
        'Three pages of `list_issues`, and `Bash` picks the open ones: "considered mcp__tracker__list_issues, which has'
        ' no state filter".'
    ),
    floor=Severity.MINOR,
    weight="Minor at least: every caller writes the code anew.",
)

"""Was code needed between two MCP calls?"""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Argument, Call, Evidence
from mcp_assay.critic.rules.base import CROSS_MCP, NOT_OURS, Cost, Draft, Rule, grouped, listed, named

__all__ = ["RULES"]


@dataclass(frozen=True, slots=True)
class _Bridge:
    """A result of MCP, the non-MCP step that worked on it, and the MCP call that took what came out."""

    origin: Call
    step: Call
    taker: Call


def _transform_between(evidence: Evidence) -> Iterator[Draft]:
    bridges = grouped(((bridge.origin.server, bridge.taker.server), bridge) for bridge in _bridges(evidence))
    for (giver, taker), found in bridges.items():
        yield Draft(
            rule=TRANSFORM_BETWEEN,
            severity=Severity.MAJOR,
            dimension=Dimension.GLUE_CODE,
            # Glue between two servers is neither's alone; giver and taker are both cited, so it spans two.
            mcp=giver if giver == taker else CROSS_MCP,
            summary=f"{listed(each.step.tool for each in found)} had to turn results of"
            f" {listed(each.origin.tool for each in found)} ({named(giver)}) into arguments for"
            f" {listed(each.taker.tool for each in found)} ({named(taker)})",
            evidence_ids=tuple(
                dict.fromkeys(call.id for each in found for call in (each.origin, each.taker, each.step))
            ),
            recommendation="Return the value that the next call takes, or let that call take the result as it came.",
            cost=Cost.of(each.step for each in found),
        )


def _bridges(evidence: Evidence) -> Iterator[_Bridge]:
    for taker in evidence.mcp_calls:
        for taken, step in evidence.sourced(taker):
            if step.server or step.synthetic or step.scenario != taker.scenario:
                continue
            for given, origin in evidence.sourced(step):
                if origin.server and origin.ok and _transformed(given, taken):
                    yield _Bridge(origin, step, taker)


def _transformed(given: Argument, taken: Argument) -> bool:
    """Whether another value came out than went in: a step that hands on what it was given transforms nothing."""
    return bool(given.digest and taken.digest) and given.digest != taken.digest


TRANSFORM_BETWEEN = "transform-between"

RULES = (
    Rule(
        TRANSFORM_BETWEEN,
        Dimension.GLUE_CODE,
        NOT_OURS,
        needs_manifests=False,
        rationale="A step outside MCP that turns one result into the next call's argument is work left over.",
        judge=_transform_between,
    ),
)

"""A justification that names an MCP tool which no attached server has."""

from collections.abc import Iterator

from mcp_assay.core import naming
from mcp_assay.core.model import Dimension, Severity, Tool
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, NOBODY, Cost, Draft, Rule, ids, listed
from mcp_assay.critic.rules.glue_code.justifications import labels

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    named = [(call, label) for call in evidence.calls if call.is_outside for label in _unknown(evidence, call)]
    calls = [call for call, _ in named]
    if calls:
        cost = Cost.of(calls)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=NOBODY,
            summary=f"The caller justified {listed(call.tool for call in calls)} by tools that no attached server has:"
            f" {listed(label for _, label in named)}",
            evidence_ids=ids(calls),
            recommendation="Consider the tools that are attached; what was said of others tells nothing of any server.",
            cost=cost,
        )


def _unknown(evidence: Evidence, call: Call) -> Iterator[str]:
    """The names that surely lead to no tool: not where a manifest is missing or short."""
    for label in labels(call):
        found = naming.split(label, evidence.attached)
        manifest = (evidence.manifests or {}).get(found[0]) if found else None
        if found is None or (manifest and not manifest.limitation and _is_none_of(found[1], manifest.tools)):
            yield label


def _is_none_of(folded: str, tools: tuple[Tool, ...]) -> bool:
    # A sentence's own dashes and underscores may cling to a name.
    return folded.strip("_-") not in {naming.fold(tool.name).strip("_-") for tool in tools}


RULE = Rule(
    "unknown-tool-considered",
    Dimension.GLUE_CODE,
    ANY,
    needs_manifests=True,
    rationale="Who names a tool that does not exist has not looked at what is attached.",
    judge=_judge,
    needs_facts=False,
    example=(
        '"considered mcp__tracker__grep_issues", and the tracker has no such tool. The finding is nobody\'s. A'
        " server whose manifest is missing or short is not judged."
    ),
    floor=Severity.MINOR,
    ceiling=Severity.MINOR,
    weight="Always Minor: a wrong claim, but the caller's.",
)

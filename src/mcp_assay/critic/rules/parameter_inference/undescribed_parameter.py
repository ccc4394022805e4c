"""A call is refused for its arguments, for good, and nothing in the manifest says what they should look like."""

import re
from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity, Tool
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.parameter_inference.refusals import is_refused, top
from mcp_assay.critic.rules.parameter_inference.retries import retries

__all__ = ["RULE"]

_VALIDATION = frozenset({"400", "422", "http:400", "http:422", "validation"})
_TELLING = ("$ref", "const", "default", "description", "enum", "examples", "format", "pattern", "title")


def _judge(evidence: Evidence) -> Iterator[Draft]:
    # A refusal that was made good afterwards is told by the rules about retries.
    mended = {call.id for retry in retries(evidence) for call in retry.refused}
    calls = (call for call in evidence.mcp_calls if _is_of_arguments(call) and call.id not in mended)
    found = ((call.server, (call, bare)) for call in calls if (bare := _undescribed(evidence, call)))
    for server, refused in grouped(found).items():
        cost = Cost.of(call for call, _ in refused)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(call.tool for call, _ in refused)} refused arguments of which the manifest says nothing:"
            f" {listed(name for _, bare in refused for name in bare)}",
            evidence_ids=ids(call for call, _ in refused),
            recommendation="Describe each parameter: what it is, its form, and an example.",
            cost=cost,
            causes=frozenset((call.id, "refused") for call, _ in refused),
        )


def _is_of_arguments(call: Call) -> bool:
    return is_refused(call) and call.error_class in _VALIDATION


def _undescribed(evidence: Evidence, call: Call) -> list[str]:
    """The parameters that were given and that the refusal names, if none of them is described."""
    tool = evidence.described(call)
    given = sorted({top(argument.path) for argument in call.args})
    if tool is None or not names.required(tool) <= set(given) <= names.parameters(tool).keys():
        return []
    given = [name for name in given if name in call.result.about]
    return [] if any(_is_described(tool, name) for name in given) else given


def _is_described(tool: Tool, name: str) -> bool:
    """Whether the schema says more of a parameter than its type, or the tool's description mentions it."""
    schema = names.parameters(tool)[name]
    # A title that is only the name over again, as generators write it, says nothing.
    says = any(schema.get(keyword) for keyword in _TELLING if keyword != "title" or not _is_name(schema, name))
    nested = any(keyword in schema for keyword in ("allOf", "anyOf", "items", "oneOf", "properties"))
    return says or nested or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", tool.description) is not None


def _is_name(schema: names.Schema, name: str) -> bool:
    return names.words(str(schema.get("title"))) == names.words(name)


RULE = Rule(
    "undescribed-parameter",
    Dimension.PARAMETER_INFERENCE,
    AGENTS,
    needs_manifests=True,
    rationale="What a parameter takes can then be learnt from refusals only.",
    judge=_judge,
    example=(
        "`create(due)` is refused for good, and neither the schema nor the tool's description says more of `due`"
        " than that it is a string."
    ),
    floor=Severity.MINOR,
    weight="Minor at least: the call was in vain, and was not made good.",
)

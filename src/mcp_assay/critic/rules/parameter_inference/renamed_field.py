"""A list calls an identifier by one name, and the tool that takes it by quite another."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import NOT_OURS, Cost, Draft, Rule, grouped, ids, listed, named

__all__ = ["RULE"]

Use = tuple[Call, Call]
"""The list, and the call that took an identifier from it."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for (server, tool, path, member), found in grouped(_uses(evidence)).items():
        cost = Cost.of(call for _, call in found)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(path)} of {named(tool)} is what {listed(origin.tool for origin, _ in found)} calls"
            f" {named(member)}, and neither says so",
            evidence_ids=ids(call for use in found for call in use),
            recommendation="Call one thing by one name in all tools of a server.",
            cost=cost,
        )


def _uses(evidence: Evidence) -> Iterator[tuple[tuple[str, str, str, str], Use]]:
    for call in evidence.mcp_calls:
        for argument, origin in evidence.sourced(call):
            if call.served and origin.served and origin.server == call.server and argument.via == "same":
                member = _member(argument)
                if member and _is_renamed(evidence, call, argument, origin, member):
                    yield (call.server, call.tool, argument.path, member), (origin, call)


def _member(argument: Argument) -> str:
    """The declared member of a list's item that held the value; "" for anything else."""
    before, _, last = argument.at.rpartition(".")
    return last if "[]" in before and "[" not in last else ""


def _is_renamed(evidence: Evidence, call: Call, argument: Argument, origin: Call, member: str) -> bool:
    """Whether the two names, of tools about the same thing, have no word in common."""
    tool, lister = evidence.described(call), evidence.described(origin)
    if tool is None or lister is None or not names.is_about(origin.tool, call.tool):
        return False
    own = names.words(argument.path.rpartition(".")[2])
    same_thing = names.says_which(tool, argument.path) and member in names.members(lister, of_items=True)
    both_addresses = names.is_address(member) and names.is_address(argument.path)
    elsewhere = any(names.words(name) == own for name in names.members(lister, of_items=True))
    explained = member in names.described(tool, argument.path)
    return same_thing and set(own).isdisjoint(names.words(member)) and not (both_addresses or elsewhere or explained)


RULE = Rule(
    "renamed-field",
    Dimension.PARAMETER_INFERENCE,
    NOT_OURS,
    needs_manifests=True,
    rationale="Two names for one thing leave every caller to find out that they mean the same.",
    judge=_judge,
    example="`list_issues` returns `ref`, `get_issue` takes it as `issue_id`, and no description says so.",
    ceiling=Severity.SUGGESTION,
    weight="Suggestion at most: nothing was called in vain.",
)

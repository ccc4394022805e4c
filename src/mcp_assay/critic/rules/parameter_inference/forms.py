"""Values that had to change their form on the way from one MCP call's result into another one's argument."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import Cause

__all__ = ["FORMS", "Change", "changes"]

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

    @property
    def cause(self) -> Cause:
        return (self.call.id, self.argument.path, "changed")


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

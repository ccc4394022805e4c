"""Values that had to change their form on the way from one MCP call's result into another one's argument."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import Cause
from mcp_assay.critic.rules.parameter_inference.refusals import changed, is_refused, is_slip

__all__ = ["FORMS", "Change", "changes"]

FORMS = {
    "number": "rewritten between number and text",
    "substring": "cut out of a longer text",
    "url-tail": "cut from the end of a URL",
    "trimmed": "with a mark or a prefix put to it or taken away",
    "case": "with its letters' case changed",
    "date": "as a date written differently",
}
"""What ``via`` says was done to a value, in words."""


_TELLING = frozenset({"url-tail", "date", "trimmed"})


@dataclass(frozen=True, slots=True)
class Change:
    """A call that took a value from an earlier result, but in another form; ``refused`` had it as it came."""

    origin: Call
    call: Call
    argument: Argument
    refused: tuple[Call, ...] = ()

    @property
    def cause(self) -> Cause:
        return (self.call.id, self.argument.path, "changed")


def changes(evidence: Evidence) -> Iterator[Change]:
    """Every change of form between two MCP calls that both succeeded, within a server or across two.

    A value that is passed again in the form that was found is told once, at its first call.
    """
    met: set[tuple[str, ...]] = set()
    for call in evidence.mcp_calls:
        for argument, origin in evidence.sourced(call):
            key = (origin.id, call.scenario, call.server, call.tool, argument.path, argument.digest or call.id)
            if call.served and origin.server and origin.ok and _is_change(evidence, call, argument) and key not in met:
                met.add(key)
                yield Change(origin, call, argument, tuple(_refused(evidence, call, argument)))


def _refused(evidence: Evidence, call: Call, argument: Argument) -> Iterator[Call]:
    """The calls before that passed what stood at the same place of the same result, as it stood there, in vain."""
    for one in evidence.by_scenario[call.scenario]:
        if one.index < call.index and (one.server, one.tool) == (call.server, call.tool) and is_refused(one):
            here = next((given for given in one.args if given.path == argument.path), None)
            as_given = here is not None and (here.source, here.at, here.via) == (argument.source, argument.at, "same")
            # It may have been refused for something else that the schema openly says.
            if as_given and not is_slip(evidence, one, set(changed(one, call)) - {argument.path}):
                yield one


def _is_change(evidence: Evidence, call: Call, argument: Argument) -> bool:
    if argument.via not in FORMS:
        return False
    # A single word and a date show by themselves what they are; for the rest the name must say "identifier".
    tells = argument.via in _TELLING or names.points(argument.path)
    return tells and not (argument.via == "number" and _either_will_do(evidence, call, argument))


def _either_will_do(evidence: Evidence, call: Call, argument: Argument) -> bool:
    """Whether the schema would have taken the number as text and the text as a number: then nobody had to change it."""
    tool = evidence.described(call)
    schema = names.parameters(tool).get(argument.path) if tool is not None else None
    if schema is None:
        return False
    types = names.types(schema)
    return not types or ("string" in types and not types.isdisjoint({"integer", "number"}))

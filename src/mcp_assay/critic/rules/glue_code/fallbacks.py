"""Steps outside MCP that took over from a tool which had failed, by the caller's own words."""

from collections.abc import Iterator

from mcp_assay.core import naming
from mcp_assay.core.model import Outcome
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.glue_code.justifications import considered
from mcp_assay.critic.rules.redundant_calls.pauses import is_pause

__all__ = ["fallbacks"]

_TOO_SOON = frozenset({"429", "http:429", "rate_limited"})
_FAILED = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.LOST})


def fallbacks(evidence: Evidence) -> Iterator[tuple[tuple[Call, ...], Call]]:
    """Each step that succeeded and names a tool which had failed, with all its calls in vain since it last worked."""
    for calls in evidence.by_scenario.values():
        failed: dict[tuple[str, str], list[Call]] = {}
        for call in calls:
            if call.server:
                vain = failed.setdefault((call.server, naming.fold(call.tool)), [])
                if call.outcome in _FAILED:
                    vain.append(call)
                else:
                    vain.clear()
            elif call.is_outside and call.ok and not is_pause(evidence, call):
                tried = (failed.get(name) for name in considered(evidence, call))
                yield from ((tuple(_for_good(vain)), call) for vain in tried if vain)


def _for_good(vain: list[Call]) -> list[Call]:
    """Without those that only came too soon, if there are others."""
    return [call for call in vain if call.error_class not in _TOO_SOON] or vain

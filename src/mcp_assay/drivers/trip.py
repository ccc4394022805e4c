"""One scenario's calls as the explorer makes them: arguments completed, permission asked, results kept for later.

What a server returned is kept for that server alone. It gets to another only as a value that a handoff step, which the
user approved, saves under a name.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay.core import inert
from mcp_assay.core.fill import Filled, fill
from mcp_assay.core.harvest import Harvest
from mcp_assay.core.model import Outcome, Reply, Tool, ToolCall
from mcp_assay.core.surface import Surface
from mcp_assay.drivers.base import Call
from mcp_assay.gate import Refusal

__all__ = ["Permitted", "Trip"]

Permitted = Callable[[ToolCall], bool]
"""Whether a call would pass the gate. Asked first, so that nothing pointless is attempted and refused."""

_ENDS = {Outcome.ERROR: "ended in an error", Outcome.TIMEOUT: "got no answer in time", Outcome.LOST: "lost its server"}


class Trip:
    """``calls`` counts what was sent; ``troubles`` says what was not, or went wrong; ``over`` once the gate said so."""

    def __init__(self, surfaces: Mapping[str, Surface], permitted: Permitted, call: Call) -> None:
        self.calls, self.over = 0, False
        self.troubles: list[str] = []
        self._surfaces, self._permitted, self._call = surfaces, permitted, call
        self._harvests = {server: Harvest(server) for server in surfaces}
        self._chosen: dict[tuple[str, str], Mapping[str, Any]] = {}

    def lacks(self, server: str, tool: Tool, given: Mapping[str, Any]) -> bool:
        """Whether nothing is known, as yet, for a parameter that the tool requires."""
        return bool(self._filled(server, tool, given).missing)

    async def take(self, where: str, server: str, tool: Tool, given: Mapping[str, Any]) -> Reply | None:
        """Call a tool with what is given and what can be found for the rest. None if there was no good answer."""
        filled = self._filled(server, tool, given)
        if filled.missing:
            names = ", ".join(f"`{inert.line(name, 60)}`" for name in filled.missing)
            self.troubles.append(f"{where} could not be given a value for {names}")
            return None
        self._chosen[server, tool.name] = {key: value for key, value in filled.args.items() if key not in given}
        asked = ToolCall(server, tool.name, filled.args)
        if not self._permitted(asked):
            self.troubles.append(f"{where} would not be permitted, so it was not attempted")
            return None
        return self._taken(where, server, tool, await self._call(asked))

    def _filled(self, server: str, tool: Tool, given: Mapping[str, Any]) -> Filled:
        # The second page is a page of the same list: what was chosen for a tool before is chosen again.
        known = {**self._chosen.get((server, tool.name), {}), **given}
        surface = self._surfaces[server]
        return fill(server, tool, known, resources=surface.resources, harvest=self._harvests[server])

    def _taken(self, where: str, server: str, tool: Tool, answer: Reply | Refusal) -> Reply | None:
        if isinstance(answer, Refusal):
            self.over = answer.aborted is not None
            self.troubles.append(f"{where} was refused: {answer.reason}")
            return None
        self.calls += 1
        if answer.is_error:
            self.troubles.append(f"{where} {_ENDS.get(answer.outcome, 'was cut off')}")
            return None
        self._harvests[server].take(tool, answer.result)
        return answer

"""What a critic may rest on: the calls of a transcript, who made them, and what the servers had promised."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from mcp_assay.core import naming
from mcp_assay.core.model import Manifest, Tool
from mcp_assay.core.session import State
from mcp_assay.critic.calls import Argument, Call, call_of

__all__ = ["Driver", "Evidence"]


class Driver(StrEnum):
    """Who chose the calls, as far as it matters to a judge."""

    SCRIPT = "script"  # the user wrote the sequence down
    EXPLORE = "explore"  # our own explorer chose
    AGENT = "agent"  # a model chose, whatever host it ran in
    OTHER = "other"  # unknown to us

    @classmethod
    def of(cls, name: str) -> "Driver":
        """From the state's driver name. A name that we do not know gets no benefit of the doubt: OTHER."""
        return _DRIVERS.get(name, cls.OTHER)


_DRIVERS: Mapping[str, Driver] = {
    "script": Driver.SCRIPT,
    "explore": Driver.EXPLORE,
    **dict.fromkeys(
        ("agent", "claude-code", "codex", "cursor", "gateway", "gemini", "hooks", "host", "import", "model"),
        Driver.AGENT,
    ),
}


@dataclass(frozen=True)  # not slotted: the cached properties below need somewhere to live
class Evidence:
    """All that the rules may look at. ``entries`` are parsed transcript lines in order; ``manifests`` may be absent.

    ``drivers`` names the driver of each scenario by its id; ``driver`` is that of all others. ``missed`` are the
    scenarios that ran to their end and did not reach their goal.
    """

    entries: Sequence[Mapping[str, Any]]
    scenarios: Sequence[Mapping[str, Any]] = ()
    attached: Sequence[str] = ()
    manifests: Mapping[str, Manifest] | None = None
    driver: str = ""
    drivers: Mapping[str, str] = field(default_factory=dict)
    missed: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, state: State, entries: Sequence[Mapping[str, Any]], manifests: Mapping[str, Manifest] | None
    ) -> "Evidence":
        """The evidence of one evaluation. Total in what the state's objects hold: what has not our form is unknown."""
        names = [entry["name"] for entry in state.attached_mcps if isinstance(entry.get("name"), str)]
        own = ((entry.get("scenario_id"), _assay(entry).get("driver")) for entry in state.execution)
        drivers = {name: driver for name, driver in own if isinstance(name, str) and isinstance(driver, str)}
        driver = state.assay.get("driver")
        driver = driver if isinstance(driver, str) else ""
        ended = (entry for entry in state.execution if entry.get("status") == "complete")
        missed = frozenset(str(entry.get("scenario_id")) for entry in ended if _assay(entry).get("reached") is False)
        return cls(entries, state.scenarios, names, manifests, driver, drivers, missed)

    def driver_name(self, scenario: str) -> str:
        return self.drivers.get(scenario, self.driver)

    def made_by(self, drivers: frozenset[Driver]) -> "Evidence":
        """What is left of the evidence when only the calls of these drivers count."""
        kept = [call.index for call in self.calls if Driver.of(self.driver_name(call.scenario)) in drivers]
        if len(kept) == len(self.calls):
            return self
        return replace(self, entries=[self.entries[index] for index in kept])

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The lines that can be cited and attributed, synthetic ones included, in order; of equal ids the first."""
        found: dict[str, Call] = {}
        for index, entry in enumerate(self.entries):
            call = call_of(index, entry, self.attached)
            if call is not None:
                found.setdefault(call.id, call)
        return tuple(found.values())

    @property
    def unreadable(self) -> int:
        """How many lines are no usable call: no id, an id used before, no tool, or a server that cannot be told."""
        return len(self.entries) - len(self.calls)

    @cached_property
    def mcp_calls(self) -> tuple[Call, ...]:
        return tuple(call for call in self.calls if call.server)

    @cached_property
    def by_scenario(self) -> Mapping[str, Sequence[Call]]:
        """The calls of each scenario, both in order of appearance."""
        grouped: dict[str, list[Call]] = {}
        for call in self.calls:
            grouped.setdefault(call.scenario, []).append(call)
        return grouped

    @cached_property
    def _by_id(self) -> Mapping[str, Call]:
        return {call.id: call for call in self.calls}

    def source(self, call: Call, argument: Argument) -> Call | None:
        """The earlier call whose result held the argument's value, if the transcript has it."""
        found = self._by_id.get(argument.source)
        return found if found is not None and found.index < call.index else None

    def sourced(self, call: Call) -> Iterator[tuple[Argument, Call]]:
        """The arguments of a call that came from earlier calls, each with that call."""
        for argument in call.args:
            origin = self.source(call, argument)
            if origin is not None:
                yield argument, origin

    def worked_on(self, call: Call) -> Iterator[tuple[Argument, Call]]:
        """As ``sourced``, with all calls of which a longer text, such as a program, holds values."""
        for argument in call.args:
            for ident in dict.fromkeys((argument.source, *argument.also)):
                origin = self._by_id.get(ident)
                if origin is not None and origin.index < call.index:
                    yield argument, origin

    def described(self, call: Call) -> Tool | None:
        """The called tool as its server's pinned manifest has it, if there is one."""
        return self.promised(call.server, call.tool)

    def promised(self, server: str, tool: str) -> Tool | None:
        """A tool of a server's pinned manifest, by its raw or its folded name."""
        return self._tools.get(server, {}).get(tool)

    @cached_property
    def _tools(self) -> Mapping[str, Mapping[str, Tool]]:
        return {server: _by_name(manifest.tools) for server, manifest in (self.manifests or {}).items()}


def _by_name(tools: Sequence[Tool]) -> Mapping[str, Tool]:
    """Of names that are equal or fold alike the first counts; a raw name goes before another's folded one."""
    ordered = tools[::-1]
    return {naming.fold(tool.name): tool for tool in ordered} | {tool.name: tool for tool in ordered}


def _assay(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    ours = entry.get("assay")
    return ours if isinstance(ours, dict) else {}

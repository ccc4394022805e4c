"""A person at a terminal answers an evaluation's questions: the ``Interviewer`` that asks and reads."""

from collections.abc import Mapping, Sequence

from rich.console import Console

from mcp_assay.cli.approving import approve
from mcp_assay.cli.ask import Ask
from mcp_assay.cli.consenting import consent
from mcp_assay.cli.describing import describe
from mcp_assay.cli.disposing import Known, dispose, unskip
from mcp_assay.cli.keyboard import Keyboard, Lines
from mcp_assay.cli.marking import mark
from mcp_assay.cli.permitting import permit
from mcp_assay.core import inert
from mcp_assay.core.model import Manifest, Scenario, ServerConfig
from mcp_assay.core.plan import Plan
from mcp_assay.interviewer import Existing, Proposal

__all__ = ["Terminal"]


class Terminal:
    """Asks on ``console``, which must be a terminal, as stdin must be. Ctrl-C and Ctrl-D raise KeyboardInterrupt.

    What the command line says is not asked again: ``trusted``, that the plan's ``connect: all`` counts;
    ``has_scenarios``, that it names their file; ``existing``, what to do with an evaluation that is there already.
    ``lines`` is where answers come from, if not from the keyboard. ``in_host``: an agent will drive in its own host, so
    which of the host's tools it may use is asked as well.
    """

    is_person = True

    def __init__(
        self,
        console: Console,
        *,
        trusted: bool = False,
        has_scenarios: bool = False,
        existing: Existing | None = None,
        lines: Lines | None = None,
        in_host: bool = False,
    ) -> None:
        self._ask = Ask(console, lines or Keyboard(console))
        self._trusted, self._has_scenarios, self._existing = trusted, has_scenarios, existing
        self._in_host = in_host
        self._servers: dict[str, ServerConfig] = {}
        self._manifests: dict[str, Manifest] = {}

    @property
    def so_far(self) -> Plan | None:
        """The plan with every answer given yet, those to an interrupted question included; None before the first."""
        return self._ask.so_far

    async def existing(self, question: str, choices: Sequence[tuple[Existing, str]], default: Existing) -> Existing:
        if self._existing in [choice for choice, _ in choices]:
            return Existing(self._existing)
        for line in question.split("\n"):
            self._ask.say(inert.terminal(line, 2000))
        offered = {str(choice): inert.terminal(meaning, 200) for choice, meaning in choices}
        return Existing(await self._ask.word(offered, default=str(default)))

    async def consent(self, plan: Plan, servers: Sequence[ServerConfig]) -> Plan:
        self._know(servers)
        return self._ask.keep(await consent(self._ask, plan, servers, trusted=self._trusted))

    async def dispose(self, plan: Plan, servers: Sequence[ServerConfig], manifests: Mapping[str, Manifest]) -> Plan:
        self._know(servers, manifests)
        plan = await dispose(self._ask, plan, servers, manifests)
        asked = {server.name: manifests[server.name] for server in servers if server.name in manifests}
        return self._ask.keep(await mark(self._ask, plan, asked))

    async def describe(self, plan: Plan, manifests: Mapping[str, Manifest]) -> Plan:
        if self._in_host:
            plan = self._ask.keep(await permit(self._ask, plan))
        if self._has_scenarios or plan.scenarios or plan.scenarios_file or plan.tour:
            return plan
        return self._ask.keep(await describe(self._ask, plan, manifests))

    async def unskip(self, plan: Plan, scenario: Scenario, skipped: Sequence[str]) -> Plan:
        known = Known(self._servers, self._manifests)
        return self._ask.keep(await unskip(self._ask, plan, scenario, skipped, known))

    async def approve(self, plan: Plan, proposal: Proposal) -> tuple[Plan, tuple[Scenario, ...]]:
        plan, approved = await approve(self._ask, plan, proposal)
        return self._ask.keep(plan), approved

    def _know(self, servers: Sequence[ServerConfig], manifests: Mapping[str, Manifest] | None = None) -> None:
        """What a later question may have to show again."""
        self._servers |= {server.name: server for server in servers}
        self._manifests |= manifests or {}

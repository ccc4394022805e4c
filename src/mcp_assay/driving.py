"""Phase 4 with drivers of ours: the servers' sessions are here, and so are those who make the calls."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from mcp_assay.core.model import Scenario
from mcp_assay.core.phrases import counted
from mcp_assay.core.safety import Policy
from mcp_assay.dispatch import Dispatch, Fleet
from mcp_assay.drivers.base import Driver
from mcp_assay.drivers.scripted import Scripted
from mcp_assay.executing import Execution
from mcp_assay.local import Bash
from mcp_assay.order import Loaders

__all__ = ["chooser", "drive"]


async def drive(
    execution: Execution, fleet: Fleet, environ: Mapping[str, str], driver: Callable[[Scenario], Driver]
) -> None:
    """Run every scenario over the fleet's sessions, end those, and seal the transcript."""
    of = execution.of
    execution.begin()
    with tempfile.TemporaryDirectory(prefix="mcp-assay-") as scratch, execution.owner() as owner:
        for server, manifest in fleet.manifests.items():
            if manifest.digest != execution.pinned[server].digest:
                owner.gate.observe(server, {tool.name: tool.digest for tool in manifest.tools})
                execution.observed(manifest)
        dispatch = Dispatch(
            owner.gate,
            fleet.upstreams,
            of.clock,
            local={"Bash": Bash(Path(scratch), environ.get("PATH", "/usr/bin:/bin"))},
            persist=owner.persist,
            remaining=owner.remaining,
            timeout=of.plan.call_timeout,
            observed=execution.observed,
        )
        of.progress.phase(f"Running {counted(len(of.scenarios), 'scenario')}")
        await owner.run(of.scenarios, driver, dispatch.call, of.stands)
        await dispatch.relist()
        owner.persist()
    notes = {entry["name"]: fleet.notes(entry["name"]) for entry in of.state.attached_mcps}
    await fleet.stop()
    execution.seal(notes.__getitem__)


def chooser(policy: Policy, loaders: Loaders, *, explores: bool) -> Callable[[Scenario], Driver]:
    """A scenario whose steps the user wrote is run as written; what we made up, or prose, is explored."""
    scripted: Driver = Scripted(policy.pinned)
    explorers: list[Driver] = []

    def chosen(scenario: Scenario) -> Driver:
        made_up = bool(scenario.steps) and not scenario.entry
        prose = not scenario.steps and explores
        if loaders.explore is None or not (made_up or prose):
            return scripted
        if not explorers:
            explorers.append(loaders.explore(policy.pinned, policy))
        return explorers[0]

    return chosen

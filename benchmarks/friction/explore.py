"""The product's own explorer over clean servers: whatever the critic then finds is a false alarm.

It knows no goal, so its calls are others than an agent's: a tour of all tools with derived edge cases, and goals of
which it has only the words.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.friction.catalog import goals, surface
from benchmarks.friction.play import MEMORY, MOST, Found, Run, evaluated, order

from mcp_assay.core.model import Manifest
from mcp_assay.core.plan import Plan
from mcp_assay.core.safety import Policy
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.drivers.base import Driver
from mcp_assay.drivers.explore import Explore
from mcp_assay.order import Loaders

__all__ = ["Explored", "explore", "trips"]


@dataclass(frozen=True)
class Explored:
    """One evaluation: what was found in it as a whole, and for each scenario whether anything was found in it alone."""

    servers: tuple[str, ...]
    seed: int
    found: tuple[Found, ...]
    scenarios: tuple[bool, ...]
    calls: int


def trips(servers: Sequence[str]) -> list[tuple[str, ...]]:
    """Each server alone, and each with the next two."""
    return [*((server,) for server in servers), *zip(servers[::3], servers[1::3], servers[2::3], strict=False)]


async def explore(servers: tuple[str, ...], seed: int, stable: str | None = None) -> Explored:
    """An even seed is a tour with edge cases, an odd one explores goals by their words."""
    plan = Plan(approval=Approval.APPROVE, driver="explore", tour=True, derive="unpinned")
    if seed % 2:
        texts = _texts(servers, Random(seed))
        plan = Plan(approval=Approval.APPROVE, driver="explore", scenarios=tuple(map(RawScenario, texts)))
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        wanted = order(Path(folder), Run((), seed), servers, plan, stable)
        evaluation = await evaluated(wanted, Loaders(explore=_driver))
    alone = tuple(bool(evaluation.judged(scenario)) for scenario in evaluation.scenarios)
    return Explored(servers, seed, evaluation.judged(), alone, len(evaluation.entries))


def _texts(servers: Sequence[str], rng: Random) -> list[str]:
    """What users say who want something of these servers."""
    worlds = {name: surface(name).world(Random(rng.random())) for name in servers}
    wanted = [goal for goal in goals().values() if set(goal.servers) <= set(servers)]
    return [goal.make(rng, worlds).text for goal in rng.sample(wanted, min(MOST, len(wanted)))]


def _driver(manifests: Mapping[str, Manifest], policy: Policy) -> Driver:
    return Explore(manifests, policy)

"""What the gate costs: a call through it, with and without the state saved, beside the same call made directly."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure, compared, main
from benchmarks.stand import ECHO, TRACKER, Stand, Target, running, timed

__all__ = ["measure"]


def measure(rounds: int = 15, calls: int = 100) -> list[Figure]:
    """Two servers: one so fast that all of the gate's cost shows, and one as a user would write it over the SDK."""
    figures = []
    for what, target in (("standard-library", ECHO), ("Python SDK", TRACKER)):
        times = asyncio.run(_rounds(target, rounds, calls))
        server = f"{what} server"
        figures += [
            compared(f"gate and log, {server}, against a direct call", times, "direct", "gated"),
            compared(f"gate, log and state, {server}, against a direct call", times, "direct", "saved"),
        ]
    return figures


async def _rounds(target: Target, rounds: int, calls: int) -> list[dict[str, float]]:
    """The median time of each path in each round; each round begins with another path."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with running(target) as served:
            with (
                Stand.at(folder, "gated", served, saving=False) as gated,
                Stand.at(folder, "saved", served) as saved,
            ):
                paths: list[tuple[str, Callable[[], Awaitable[list[float]]]]] = [
                    ("direct", lambda: timed(served.direct, calls)),
                    ("gated", lambda: gated.calls(calls)),
                    ("saved", lambda: saved.calls(calls)),
                ]
                found = []
                for _ in range(rounds):
                    paths = paths[1:] + paths[:1]
                    found.append({name: median(await run()) for name, run in paths})
                return found


if __name__ == "__main__":
    main(measure)

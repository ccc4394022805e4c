"""Whether a call costs more late than early: late in the transcript, and late in a scenario."""

import asyncio
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure, compared, main
from benchmarks.stand import ECHO, SCENARIO_CALLS, Stand, running

__all__ = ["measure"]

EARLY, LATE = 10, 8_000
MOST_GROWTH = 1.2


def measure(rounds: int = 15, calls: int = 60, whole: int = SCENARIO_CALLS) -> list[Figure]:
    """Calls after 8,000 lines beside calls after 10; and the last of a scenario of ``whole`` calls beside the first."""
    return asyncio.run(_measure(rounds, calls, whole))


async def _measure(rounds: int, calls: int, whole: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with running(ECHO) as served:
            in_file, in_scenario = [], []
            for number in range(rounds):
                times = {}
                order = (EARLY, LATE) if number % 2 else (LATE, EARLY)
                for lines in order:
                    with Stand.at(folder, f"at-{lines}", served, lines=lines) as stand:
                        times[str(lines)] = median(await stand.calls(calls))
                in_file.append(times)
            for _ in range(max(1, rounds // 5)):
                with Stand.at(folder, "scenario", served) as stand:
                    took = await stand.calls(whole)
                edge = max(1, whole // 10)
                in_scenario.append({"first": median(took[:edge]), "last": median(took[-edge:])})
    return [
        compared(f"a call at entry {LATE:,} against entry {EARLY}", in_file, str(EARLY), str(LATE), bound=MOST_GROWTH),
        compared(
            f"the last tenth of {whole} calls in one scenario against the first",
            in_scenario,
            "first",
            "last",
            bound=MOST_GROWTH,
        ),
    ]


if __name__ == "__main__":
    main(measure)

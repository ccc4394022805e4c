"""python -m benchmarks.friction.run: how often the rule critic is right about clean and mutated servers.

``make bench-critic`` plays all of it, writes ``benchmarks/results/friction.{json,md}``, and exits 1 where a target is
missed on what is held out.

Whoever works on a rule runs ``--tuning``, which plays nothing that is held out, writes nothing, and with ``--wrong``
shows what to look at.
"""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from benchmarks.friction import results
from benchmarks.friction.catalog import HELD_OUT, SERVERS, TUNING, goals, surface
from benchmarks.friction.explore import Explored, explore, trips
from benchmarks.friction.mutators import MUTATORS
from benchmarks.friction.play import MOST, ROOT, Defect, Run, play
from benchmarks.friction.score import Table, score

__all__ = ["Part", "main", "measure", "runs"]

SEEDS = 6  # of which the last third is held out


@dataclass(frozen=True)
class Part:
    """What is measured together, and how often: ``clean`` evaluations of a seed, ``mutated`` ones of each defect.

    A kind of defect is planted at ``tools`` tools of a server at most.
    """

    name: str
    servers: Sequence[str]
    seeds: Sequence[int]
    clean: int
    mutated: int
    tools: int = 1


def parts(seeds: int = SEEDS) -> tuple[Part, Part]:
    """What rules may be tuned on, and what is held out: other servers and other seeds."""
    last = seeds - seeds // 3
    return (
        Part("tuning", TUNING, range(last), clean=3, mutated=1),
        Part("held_out", HELD_OUT, range(last, seeds), clean=12, mutated=2, tools=2),
    )


def runs(part: Part, kinds: Sequence[str]) -> Iterator[Run]:
    """Goals of these servers clean, and with each defect that they can meet; of pairs of servers, what lies between."""
    for involved, names in _groups(part.servers):
        defects = [defect for kind in kinds for defect in _defects(kind, involved, part.tools)]
        for seed in part.seeds:
            yield from (_run(names, f"{seed}/{number}") for number in range(part.clean))
            for number in range(part.mutated):
                yield from (_run(names, f"{seed}/{number}", defect) for defect in defects)


def _run(names: Sequence[str], seed: str, defect: Defect | None = None) -> Run:
    """Up to eight of the goals, in some order, with a seed that no other run has."""
    rng = Random(f"{seed}/{'/'.join(names)}/{defect}")
    return Run(tuple(rng.sample(names, min(MOST, len(names)))), rng.getrandbits(31), defect)


def _defects(kind: str, servers: Sequence[str], tools: int) -> Iterator[Defect]:
    """Where a defect can be planted: those between servers where there are several, those of one where there is one."""
    mutator = MUTATORS[kind]
    if mutator.mcp == "":
        yield Defect(kind, "", "")
        return
    if (len(servers) > 1) != (mutator.dimension == "cross_mcp"):
        return
    for server in servers:
        targets = [each for each in mutator.targets(surface(server)) if _is_here(each, servers)]
        chosen = Random(f"{kind}/{server}").sample(targets, min(tools, len(targets)))
        yield from (Defect(kind, server, tool) for tool in chosen)


def _is_here(target: str, servers: Sequence[str]) -> bool:
    """Whether a target that is another server's tool is of one that is attached."""
    return "." not in target or target.partition(".")[0] in servers


def _groups(servers: Sequence[str]) -> list[tuple[tuple[str, ...], list[str]]]:
    """The servers that goals need together, and the names of these goals."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, goal in goals().items():
        if set(goal.servers) <= set(servers):
            found.setdefault(goal.servers, []).append(name)
    return list(found.items())


def _play(job: tuple[str, Run, str]) -> tuple[str, Table]:
    part, run, stable = job
    return part, score(asyncio.run(play(run, stable)))


def measure(chosen: Sequence[Part], kinds: Sequence[str]) -> dict[str, Table]:
    """The figures of these parts, by their names."""
    found = {part.name: Table() for part in chosen}
    with _stable() as address, _pool() as pool:
        jobs = [(part.name, run, address) for part in chosen for run in runs(part, kinds)]
        for number, (name, table) in enumerate(pool.imap_unordered(_play, jobs, chunksize=4)):
            found[name].add(table)
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {len(jobs)} evaluations", end="", file=sys.stderr)
    return found


def _explore(job: tuple[tuple[str, ...], int, str]) -> Explored:
    servers, seed, stable = job
    return asyncio.run(explore(servers, seed, stable))


def explored(servers: Sequence[str], seeds: Sequence[int]) -> list[Explored]:
    """The product's own explorer over these servers, clean, alone and together."""
    with _stable() as address, _pool() as pool:
        jobs = [(involved, seed, address) for involved in trips(servers) for seed in seeds]
        return list(pool.imap_unordered(_explore, jobs))


@contextmanager
def _pool() -> Iterator["multiprocessing.pool.Pool"]:
    with multiprocessing.get_context("spawn").Pool(os.cpu_count() or 2) as pool:
        yield pool


@contextmanager
def _stable() -> Iterator[str]:
    """A process that keeps the SDK loaded; its address."""
    with tempfile.TemporaryDirectory(prefix="friction-") as folder:
        address = f"{folder}/stable.sock"
        process = subprocess.Popen([sys.executable, "-m", "benchmarks.friction.stable", address], cwd=ROOT)
        try:
            while not Path(address).exists():
                time.sleep(0.05)
            yield address
        finally:
            process.kill()
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tuning", action="store_true", help="what rules may be tuned on, and nothing else")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--kind", action="append", choices=list(MUTATORS))
    parser.add_argument("--server", action="append", choices=SERVERS)
    parser.add_argument("--wrong", action="store_true", help="what to look at, of what is not held out")
    asked = parser.parse_args()
    began = time.monotonic()
    tuning, held_out = parts(asked.seeds)
    # What rules are tuned on says little of them: half of it is enough beside what counts.
    chosen = [tuning] if asked.tuning else [replace(tuning, seeds=tuning.seeds[::2]), held_out]
    if asked.server:
        chosen = [replace(p, servers=[name for name in p.servers if name in asked.server]) for p in chosen]
    tables = measure(chosen, asked.kind or list(MUTATORS))
    is_all = not (asked.tuning or asked.server or asked.kind)
    trips_made = explored(SERVERS, range(4)) if is_all else []
    seeds = {part.name: list(part.seeds) for part in chosen}
    found = results.Results.of(tables, trips_made, seeds, time.monotonic() - began)
    print(found.markdown)
    if asked.wrong and "tuning" in tables:
        wrong = tables["tuning"].wrong
        print("\n".join(Random(0).sample(wrong, min(80, len(wrong)))))
    if not is_all:
        return 0
    found.write()
    return int(bool(found.missed))


if __name__ == "__main__":
    sys.exit(main())

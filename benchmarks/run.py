"""All the benchmarks, one after the other, in one table: ``python -m benchmarks.run [--json]``."""

import sys

from benchmarks import classify, gate_overhead, gateway, hooks, log_growth, policy, startup, volume
from benchmarks.figures import Figure, main

__all__ = ["measure"]


def measure() -> list[Figure]:
    figures = []
    for benchmark in (startup, classify, gate_overhead, gateway, hooks, log_growth, volume, policy):
        print(f"{benchmark.__name__} …", file=sys.stderr)
        figures += benchmark.measure()
    return figures


if __name__ == "__main__":
    main(measure)

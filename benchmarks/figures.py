"""What a benchmark hands back, and how it is shown: a figure beside its baseline from the same run, and their ratio.

Times drift from minute to minute, so both are measured in turn, round by round, and the median of the rounds' ratios
is what counts.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

__all__ = ["Figure", "compared", "main", "show"]


@dataclass(frozen=True)
class Figure:
    """``measured`` and ``baseline`` are in ``unit``; ``bound`` is the most that ``ratio`` may be, if there is one."""

    name: str
    baseline: float
    measured: float
    unit: str
    ratio: float
    bound: float | None = None

    @property
    def is_over(self) -> bool:
        return self.bound is not None and self.ratio > self.bound

    def cells(self) -> tuple[str, ...]:
        bound = "" if self.bound is None else f"{'OVER ' if self.is_over else ''}≤ {self.bound:g} x"
        return (
            self.name,
            f"{self.baseline:,.3g} {self.unit}",
            f"{self.measured:,.3g} {self.unit}",
            f"{self.ratio:.2f} x",
            bound,
        )


def compared(
    name: str, rounds: Sequence[Mapping[str, float]], baseline: str, measured: str, *, bound: float | None = None
) -> Figure:
    """The figure for two of the things that each round timed, in milliseconds."""
    ratio = median(each[measured] / each[baseline] for each in rounds)
    first, second = (median(each[what] for each in rounds) for what in (baseline, measured))
    return Figure(name, first, second, "ms", ratio, bound)


def show(figures: Sequence[Figure], *, as_json: bool) -> int:
    """Print them; 1 if one of them is over its bound, else 0."""
    if as_json:
        print(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        rows = [("", "baseline", "measured", "ratio", "bound"), *(figure.cells() for figure in figures)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *cells in rows:
            print(name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)))
    return int(any(figure.is_over for figure in figures))


def main(measure: Callable[[], list[Figure]]) -> None:
    """The command line of one benchmark, or of all of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON instead of a table")
    as_json = parser.parse_args().as_json
    sys.exit(show(measure(), as_json=as_json))

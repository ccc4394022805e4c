"""What 8 x 999 calls take: memory while they run and over the whole run, and the time to judge and report them."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.evaluation import NAME, SCENARIOS
from benchmarks.figures import Figure, main
from benchmarks.stand import SCENARIO_CALLS

from mcp_assay.store.evaldir import place
from mcp_assay.store.transcript import FILE

__all__ = ["measure"]

FEW = 13  # in each of eight scenarios: about 100
MOST_MEMORY = 1.2
MOST_SECONDS = 10.0
_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Peak:
    """What one process took. ``code`` is its exit code."""

    code: int
    seconds: float
    megabytes: float


def measure(few: int = FEW, many: int = SCENARIO_CALLS) -> list[Figure]:
    """Peaks of whole processes, each of its own, and the seconds that judging takes."""
    sizes = {"few": few, "many": many}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        running = {what: _evaluate(folder / what, calls, "execution") for what, calls in sizes.items()}
        first, last = (_pace(folder / "many", f"S{number}") for number in (1, SCENARIOS))
        judging = {what: _judge(folder / what) for what in sizes}
        whole = {what: _evaluate(folder / f"whole-{what}", calls, "report") for what, calls in sizes.items()}
    counts = f"{SCENARIOS} x {many} calls against {SCENARIOS} x {few}"
    return [
        Figure(
            f"a call in scenario {SCENARIOS} of {many} calls each against scenario 1", first, last, "ms", last / first
        ),
        _memory(f"peak memory while calls run, {counts}", running, bound=MOST_MEMORY),
        _memory(f"peak memory of judging and reporting, {counts}", judging),
        _memory(f"peak memory of a whole run, {counts}", whole),
        Figure(
            f"seconds to judge and report {SCENARIOS} x {many} calls, against {MOST_SECONDS:g}",
            MOST_SECONDS,
            judging["many"].seconds,
            "s",
            judging["many"].seconds / MOST_SECONDS,
            bound=1.0,
        ),
    ]


def _memory(name: str, peaks: Mapping[str, Peak], *, bound: float | None = None) -> Figure:
    few, many = peaks["few"].megabytes, peaks["many"].megabytes
    return Figure(name, few, many, "MB", many / few, bound)


def _pace(folder: Path, scenario: str) -> float:
    """Milliseconds from call to call in one scenario, by the transcript's own timestamps."""
    text = (place(folder, NAME) / FILE).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    moments = [datetime.fromisoformat(line["ts"]) for line in lines if line["scenario_id"] == scenario]
    return (moments[-1] - moments[0]).total_seconds() * 1000 / (len(moments) - 1)


def _evaluate(folder: Path, calls: int, until: str) -> Peak:
    folder.mkdir()
    return _peak(folder, "-m", "benchmarks.evaluation", str(folder), str(calls), until)


def _judge(folder: Path) -> Peak:
    return _peak(folder, "-m", "mcp_assay", "critique", NAME, "--project", str(folder))


def _peak(home: Path, *args: str) -> Peak:
    command = [sys.executable, "-S", str(_ROOT / "benchmarks" / "peak.py"), sys.executable, *args]
    environ = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    done = subprocess.run(command, cwd=_ROOT, env=environ, check=True, stdout=subprocess.PIPE, text=True)
    peak = Peak(**json.loads(done.stdout))
    if peak.code != 0:
        raise RuntimeError(f"exit code {peak.code}: {' '.join(args)}")
    return peak


if __name__ == "__main__":
    main(measure)

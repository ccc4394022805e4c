"""The benchmarks run, in tiny: that they measure something, not what they measure."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TINY = {
    "startup": "rounds=1",
    "gate_overhead": "rounds=1, calls=2",
    "log_growth": "rounds=1, calls=2, whole=4",
    "volume": "few=1, many=20",
    "policy": "rounds=1, calls=16",
}
SHOWN = "import sys; from benchmarks import figures, {name}; sys.exit(figures.show({call}, as_json=True))"


def shown(name: str, call: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SHOWN.format(name=name, call=call)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", TINY)
def test_a_benchmark_runs_and_gives_figures_with_ratios(name: str) -> None:
    done = shown(name, f"{name}.measure({TINY[name]})")
    assert done.stdout, done.stderr
    figures = json.loads(done.stdout)
    assert figures
    assert all(math.isfinite(figure["ratio"]) and figure["ratio"] > 0 for figure in figures)


def test_the_table_of_all_benchmarks_holds_each_of_them() -> None:
    names = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "def measure(" in path.read_text()}
    assert names == {*TINY, "run"}
    listed = (ROOT / "benchmarks" / "run.py").read_text()
    assert all(name in listed for name in TINY)


@pytest.mark.parametrize(("ratios", "code"), [([1.1, 1.3, 1.15], 0), ([1.1, 1.3, 1.25], 1)])
def test_the_median_of_the_rounds_ratios_is_held_against_the_bound(ratios: list[float], code: int) -> None:
    rounds = [{"a": 10.0, "b": 10.0 * ratio} for ratio in ratios]
    done = shown("figures", f"[figures.compared('x', {rounds}, 'a', 'b', bound=1.2)]")
    assert done.returncode == code
    assert json.loads(done.stdout)[0]["ratio"] == pytest.approx(sorted(ratios)[1])

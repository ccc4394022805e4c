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
    "classify": "rounds=1, tools=8",
    "gate_overhead": "rounds=1, calls=2",
    "gateway": "rounds=1, calls=2",
    "hooks": "rounds=1",
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


def test_the_sandbox_is_measured_on_a_corpus_of_ones_own(tmp_path: Path) -> None:
    def tool(name: str, **properties: str) -> dict[str, object]:
        declared = {key: {"type": kind} for key, kind in properties.items()}
        schema = {"type": "object", "properties": declared, "required": list(properties)}
        return {"server": "s", "tool": name, "label": "mutate", "input_schema": schema}

    corpus = tmp_path / "tools.jsonl"
    tools = [
        tool("held", repo="string", body="string"),
        tool("never", pid="integer", input="string"),
        # "quux" is in no list; labelled as what selects, it shows that the measure does not go by the product's own.
        tool("steered", channel="string", quux="string"),
        {**tool("reads", quux="string"), "label": "read"},
    ]
    corpus.write_text("\n".join(map(json.dumps, tools)))
    run = (
        "import sys; from pathlib import Path; from benchmarks import sandbox; "
        "sandbox.LABELS = Path(sys.argv.pop()); sandbox.main()"
    )
    labels = tmp_path / "labels.txt"
    given = (ROOT / "benchmarks" / "sandbox_labels.txt").read_text()
    for text, steered in ((given, []), (f"{given}\nselects: quux\n", ["s:steered by quux"])):
        labels.write_text(text)
        command = [sys.executable, "-c", run, "--corpus", str(corpus), "--json", str(labels)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        table = json.loads(done.stdout or "null")
        assert table, done.stderr
        assert table["mutating tools"]["tools"] == 3
        assert table["held to a resource"]["names"] == ["s:held", "s:steered"]
        assert table["never match"]["names"] == ["s:never"]
        assert table["can be steered"]["names"] == steered
        assert table["unlabelled kinds"] == ([] if steered else ["quux"])

"""The laboratory end to end: real servers, the real gate, the real critic, and a table at the end."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.friction import results
from benchmarks.friction.catalog import surface
from benchmarks.friction.explore import explore, trips
from benchmarks.friction.mutators import MUTATORS
from benchmarks.friction.play import Defect, Run, play
from benchmarks.friction.score import score

ROOT = Path(__file__).parents[2]
NAMES = ("tracker: issues after", "tracker: new issue")


def test_the_same_goals_clean_and_with_a_defect():
    clean = asyncio.run(play(Run(NAMES, 21)))
    assert [one.reached for one in clean] == [True, True]
    assert not any(one.found for one in clean)
    defect = Defect("json_in_text", "tracker", "list_issues")
    after, new = asyncio.run(play(Run(NAMES, 21, defect)))
    expected = MUTATORS[defect.kind].expected(surface("tracker"), defect.tool, after.made)
    assert [(found.dimension, found.mcp, set(found.ids)) for found in after.found] == [
        ("response_shape", "tracker", expected)
    ]
    assert not new.found


def test_the_products_explorer_goes_over_clean_servers():
    assert ("tracker",) in trips(("tracker", "wiki", "ci"))
    assert ("tracker", "wiki", "ci") in trips(("tracker", "wiki", "ci"))
    seen = asyncio.run(explore(("maps",), 0))
    assert seen.calls >= 4
    assert seen.scenarios


def test_the_command_prints_a_table_and_writes_nothing_of_a_part(tmp_path):
    before = sorted((ROOT / "benchmarks" / "results").glob("friction.*"))
    command = [sys.executable, "-m", "benchmarks.friction.run", "--tuning", "--seeds", "1", "--server", "search"]
    done = subprocess.run([*command, "--kind", "no_wait"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| no_wait | redundant_calls |" in done.stdout
    assert sorted((ROOT / "benchmarks" / "results").glob("friction.*")) == before


def test_results_say_what_they_are_and_which_targets_are_missed(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    tables = {"tuning": score([]), "held_out": score([])}
    found = results.Results.of(tables, [], seeds={"tuning": [0, 2], "held_out": [4, 5]}, seconds=60.0)
    found.write()
    written = json.loads((tmp_path / "friction.json").read_text())
    assert written["synthetic"] is True
    assert written["seeds"] == {"tuning": [0, 2], "held_out": [4, 5]}
    assert {"precision: nothing, not 95%", "cited: nothing, not 98%"} <= set(written["missed"])
    assert "Synthetic" in (tmp_path / "friction.md").read_text()


def test_the_readme_quotes_what_was_measured():
    measured = json.loads((ROOT / "benchmarks" / "results" / "friction.json").read_text())
    assert results.quoted(measured) in (ROOT / "README.md").read_text()

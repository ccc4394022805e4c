"""Promptfoo, as ``make test-promptfoo`` installs it, judges the fixtures; and it can fail them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_assay.policy import evals

pytestmark = pytest.mark.promptfoo

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "promptfooconfig.yaml"
PATIENCE = 120.0
SOME_FAILED = 100


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run of Promptfoo left: its exit code and, parsed, what it wrote."""

    code: int
    document: dict[str, Any]

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        """Each by the id of its fixture, of which none has two."""
        found = {result["vars"]["case"]: result for result in self.document["results"]["results"]}
        assert len(found) == len(self.document["results"]["results"])
        return found

    def said(self, case: str) -> Any:
        return self.results[case]["response"]["output"]

    def reason(self, case: str) -> str:
        """Why it failed."""
        assert not self.results[case]["success"]
        return str(self.results[case]["gradingResult"]["reason"])


def promptfoo(project: Path, kept: Path) -> Ran:
    """Evaluate the project's ``promptfooconfig.yaml``; all that is written goes into ``kept``, which is made."""
    kept.mkdir()
    output = kept / "output.json"
    command = ["sh", str(ROOT / "scripts" / "promptfoo.sh"), str(kept), "eval", "-c", CONFIG.name, "-o", str(output)]
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(kept),
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PROMPTFOO_PYTHON": sys.executable,
    }
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert output.is_file(), done.stdout + done.stderr
    return Ran(done.returncode, json.loads(output.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The project's own fixtures."""
    return promptfoo(ROOT, tmp_path_factory.mktemp("ours") / "kept")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """``PLANTED`` as the fixtures, in a copy of all that Promptfoo reads."""
    place = tmp_path_factory.mktemp("planted")
    (place / "evals").mkdir()
    for source in (CONFIG, *(ROOT / "evals").glob("promptfoo*.*")):
        shutil.copy(source, place / source.relative_to(ROOT))
    (place / "evals" / "cases.json").write_text(json.dumps({"version": 2, "cases": PLANTED}), encoding="utf-8")
    return promptfoo(place, place / "kept")


def planted_case(name: str, urls: list[str], expect: str, exact: Mapping[str, Any]) -> dict[str, Any]:
    call = {"tool": "dedup_and_lint_dossier", "arguments": {"urls": urls}, "category": "Dossier dedup and lint"}
    return {"id": name, **call, "expect": expect, "exact": exact, "pins": "p", "why": "w"}


TWO_SPELLINGS = ["https://a.example/", "https://a.example"]
TEMPLATES = ["https://a.example/{{ 1 + 1 }}", "https://a.example/{% raw %}", "https://a.example/{{case}}"]
ONE = ["https://a.example/x"]
RIGHT = [
    planted_case("an array", TWO_SPELLINGS, "reject", {"duplicates": [{"inputs": TWO_SPELLINGS}]}),
    planted_case("templates", TEMPLATES, "accept", {"urls": [{"input": url} for url in TEMPLATES]}),
]
WRONG_VERDICT = [
    planted_case("a false accept", ONE, "reject", {}),
    planted_case("a false reject", TWO_SPELLINGS, "accept", {}),
]
WRONG_WORDS = [
    planted_case("another value", ONE, "accept", {"urls": [{"input": "https://a.example/y"}]}),
    planted_case("an object for a list", ONE, "accept", {"urls": [{"removed": {}}]}),
    planted_case("a number for a boolean", ONE, "accept", {"ok": 1}),
    planted_case("a longer list", ONE, "accept", {"urls": []}),
    planted_case("a shorter list", ONE, "accept", {"urls": [{}, {}]}),
    planted_case("a member that is not there", ONE, "accept", {"urls": [{"line": None}]}),
    planted_case("a member that every object of JavaScript has", ONE, "accept", {"constructor": {}}),
]
PLANTED = [*RIGHT, *WRONG_VERDICT, *WRONG_WORDS]


def test_every_fixture_is_one_test_and_passes(ours: Ran) -> None:
    fixtures = evals.load((ROOT / "evals" / "cases.json").read_text(encoding="utf-8")).cases
    assert list(ours.results) == [case.id for case in fixtures]
    assert [name for name, result in ours.results.items() if not result["success"]] == []
    assert ours.document["results"]["stats"]["successes"] == len(fixtures)
    assert ours.code == 0


def test_the_tool_says_to_promptfoo_what_it_says_to_the_native_eval(ours: Ran) -> None:
    for case in evals.load().cases:
        assert ours.said(case.id) == evals.outcome(case.tool, case.arguments)


def test_the_version_is_the_one_that_the_config_names(ours: Ran) -> None:
    assert f"promptfoo@{ours.document['metadata']['promptfooVersion']} eval" in CONFIG.read_text(encoding="utf-8")


def test_an_array_reaches_the_tool_in_one_call(planted: Ran) -> None:
    # "Duplicates can never be found one URL at a time."
    assert planted.results["an array"]["success"]
    assert [url["input"] for url in planted.said("an array")["urls"]] == TWO_SPELLINGS


def test_what_stands_in_braces_is_not_filled_in(planted: Ran) -> None:
    assert planted.results["templates"]["success"]
    assert [url["input"] for url in planted.said("templates")["urls"]] == TEMPLATES


@pytest.mark.parametrize("case", WRONG_VERDICT, ids=lambda case: case["id"])
def test_the_wrong_verdict_fails(planted: Ran, case: dict[str, Any]) -> None:
    assert planted.code == SOME_FAILED
    assert planted.reason(case["id"]).startswith(f"expected {case['expect']}, and the tool said ")


@pytest.mark.parametrize("case", WRONG_WORDS, ids=lambda case: case["id"])
def test_the_right_verdict_in_other_words_fails(planted: Ran, case: dict[str, Any]) -> None:
    assert planted.reason(case["id"]).startswith("does not say ")


def test_the_native_eval_misses_the_same_ones(planted: Ran) -> None:
    card = evals.run_evals(evals.load(json.dumps({"version": 2, "cases": PLANTED})))
    assert [miss.id for miss in card.misses] == [case["id"] for case in (*WRONG_VERDICT, *WRONG_WORDS)]
    assert {miss.id for miss in card.misses} == {name for name, ran in planted.results.items() if not ran["success"]}

"""The gate in front of the npm registry's server that has everything: each kind of tool, result and interruption."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from npm_stage import EVERYTHING, Ran, Step, evaluate, scenario, step

pytestmark = pytest.mark.clients

EAGER = Path(__file__).parent / "eager.py"


def every(tool: str, expect: dict[str, Any] | None = None, /, **args: Any) -> Step:
    return step(f"mcp__everything__{tool}", expect, **args)


READS = (
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-resource-reference",
    "get-structured-content",
    "get-sum",
    "get-tiny-image",
)
MUTATING = {
    "gzip-file-as-resource": "annotation-denies",
    "simulate-research-query": "annotation-denies",
    "toggle-simulated-logging": "mutating-verb",
    "toggle-subscriber-updates": "mutating-verb",
    # Its annotation calls it a read; a server's own words never pardon a mutating name.
    "trigger-long-running-operation": "mutating-verb",
}
PLAIN = ["node", EVERYTHING, "stdio"]


def run_everything(place: Path, *scenarios: dict[str, Any], rules: str = "extended", **safety: Any) -> Ran:
    held = {"disposition": "read_only", **safety}
    plan = {"dispositions": {"everything": held}, "scenarios": list(scenarios), "rules": rules}
    # The server ignores a further argument; it marks its process as one of this test's.
    return evaluate(place, {"everything": [*PLAIN, place]}, plan)


# Those of the calls below, and of their results; the numbers are too long to turn up in a digest by chance.
VALUES = (
    *("violet-heron", "Chicago", "drizzle", "iVBOR", "demo://", "Operation completed"),
    *("40111222333", "40111222334", "3003003003", "4004004004"),
)


def test_results_of_every_kind_are_described_and_their_values_are_not_told(tmp_path: Path) -> None:
    ran = run_everything(
        tmp_path,
        scenario(
            every("echo", message="violet-heron"),
            every("get-sum", a=40_111_222_333, b=1),
            every("get-structured-content", location="Chicago"),
            every("get-annotated-message", messageType="success", includeImage=True),
            every("get-resource-links", count=2),
            every("get-resource-reference", resourceType="Text", resourceId=3_003_003_003),
            every("get-resource-reference", resourceType="Blob", resourceId=4_004_004_004),
            every("get-tiny-image"),
            every("get-env"),
        ),
    )
    assert ran.code == 0, ran.err
    assert [line["result_shape"] for line in ran.lines] == [
        "text[18]",
        "text[44]",
        "object{conditions,humidity,temperature}",
        "content[2]: text[32], image",
        "content[3]: text[64], resource_link, resource_link",
        "content[3]: text[53], resource, text[83]",
        "content[3]: text[53], resource, text[83]",
        "content[3]: text[31], image, text[32]",
        ran.line("get-env")["result_shape"],
    ]
    assert ran.line("get-env")["result_shape"].startswith("text:json map[")
    assert {line["assay"]["verdict"] for line in ran.lines} == {"read"}
    assert ran.line("get-structured-content")["assay"]["result"]["schema_valid"] is True
    written = "".join(map(ran.read, ("transcript.jsonl", "state.json", "critic-output.md", "report.md", "report.json")))
    told = [value for value in VALUES if value in written]
    assert not told


def test_what_may_mutate_is_refused_and_the_scenario_goes_on(tmp_path: Path) -> None:
    ran = run_everything(tmp_path, scenario(*[every(tool, {"is_error": True}) for tool in MUTATING], every("get-env")))
    assert {tool["name"] for tool in ran.manifests["everything"]} == {*READS, *MUTATING}
    *blocked, last = ran.lines
    assert {line["assay"]["tool"]: line["assay"]["rule"] for line in blocked} == MUTATING
    assert {(line["tool"], line["assay"]["verdict"]) for line in blocked} == {("__blocked__", "mutating")}
    assert last["assay"]["outcome"] == "ok"
    entry = ran.execution("S1")
    assert (entry["status"], entry["abort_reason"], entry["call_count"]) == ("complete", None, 1)


A_READ = {"mark": "read", "tool": "unpinned"}  # whatever the release of the server says of it


def test_an_undetermined_tool_aborts_and_a_mark_lets_one_through(tmp_path: Path) -> None:
    ran = run_everything(
        tmp_path,
        scenario(every("get-sum", a=1, b=2), every("echo", message="a"), every("get-sum", a=1, b=2)),
        rules="spec",  # it splits names on "_" only, and these have none
        marks={"get-sum": A_READ},
    )
    assert [(line["tool"], line["assay"]["verdict"], line["assay"]["rule"]) for line in ran.lines] == [
        ("mcp__everything__get-sum", "read", "marked-by-user"),
        ("__blocked__", "undetermined", "no-rule"),
    ]
    assert ran.execution("S1")["abort_reason"] == "safety_abort"


def test_no_mark_pardons_a_mutating_tool(tmp_path: Path) -> None:
    marks = {"trigger-long-running-operation": A_READ}
    ran = run_everything(tmp_path, scenario(every("echo", message="a")), marks=marks)
    assert ran.code == 2
    assert "a mark cannot pardon that" in ran.err
    assert not (ran.folder / "transcript.jsonl").exists()


def test_what_the_server_says_meanwhile_does_not_get_into_the_way(tmp_path: Path) -> None:
    """Log messages come while a long call runs. Their timer keeps the server alive when its input ends: it is ended."""
    tools = ("toggle-simulated-logging", "trigger-long-running-operation", "simulate-research-query")
    ran = run_everything(
        tmp_path,
        scenario(
            every("toggle-simulated-logging"),
            every("trigger-long-running-operation", duration=1.2, steps=4),
            # It can only be called as a task, which no request of ours is: an error, and no wait for its end.
            every("simulate-research-query", {"is_error": True}, topic="herons"),
        ),
        rules="spec",
        marks=dict.fromkeys(tools, A_READ),
    )
    assert [line["assay"]["outcome"] for line in ran.lines] == ["ok", "ok", "error"]
    _, long, refused = ran.lines
    assert 1_100 <= long["assay"]["duration_ms"] < 5_000
    assert refused["assay"]["duration_ms"] < 1_000
    assert ran.execution("S1")["assay"]["reached"] is True


ASKING: dict[str, dict[str, Any]] = {
    "trigger-sampling-request": {"prompt": "hello"},
    "trigger-sampling-request-async": {"prompt": "hello"},
    "trigger-elicitation-request": {},
    "trigger-elicitation-request-async": {},
}
SAYS_NO = {"is_error": True, "schema": {"type": "string", "pattern": "-32601"}}


def test_a_server_that_asks_for_what_was_never_offered_is_answered_at_once(tmp_path: Path) -> None:
    """Sampling, elicitation, roots, and progress that nobody wants: every call ends, and the server lives on."""
    more = ("get-roots-list", "trigger-long-running-operation", "echo")
    held = {
        "disposition": "sandboxed",
        "test_resources": ["https://example.com/"],
        "marks": dict.fromkeys((*ASKING, *more), A_READ),
    }
    plan = {
        "rules": "spec",
        "dispositions": {"everything": held},
        "scenarios": [
            scenario(
                *[every(tool, SAYS_NO, **args) for tool, args in ASKING.items()],
                every("trigger-url-elicitation", SAYS_NO, url="https://example.com/"),
                every("get-roots-list", {"is_error": False}),
                every("trigger-long-running-operation", {"is_error": False}, duration=0.3, steps=3),
                every("echo", {"is_error": False}, message="still here"),
            )
        ],
    }
    ran = evaluate(tmp_path, {"everything": [sys.executable, EAGER, *PLAIN, tmp_path]}, plan)
    assert ran.code == 0, ran.err + json.dumps(ran.state["execution"], indent=1)
    assert len(ran.lines) == len(ASKING) + 1 + len(more)
    assert max(line["assay"]["duration_ms"] for line in ran.lines) < 3_000

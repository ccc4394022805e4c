"""``critique`` and ``report``: judged again, parsed again, written again."""

import json
from pathlib import Path
from typing import Any

import pytest

from stage import Stage, contents, text_of

GIVEN = """\
### [MAJOR] glue_code: Two calls where one would do
MCP: notes
Evidence: S1-001, S7-001
Recommendation: Return the text with the list.

### [CRITICAL] no_such_dimension: Dropped
MCP: notes
Evidence: S1-001

### [MINOR] response_shape: Somebody else's
MCP: elsewhere
Evidence: S1-001

## Summary

One [MAJOR] thing. It is not grave.
"""
PARSED = (
    "critic_findings",
    "critic_findings_dropped",
    "critic_findings_dropped_raw",
    "unmapped_mcp_names",
    "critic_summary",
    "missing_critic_summary",
    "dangling_citations",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage with one finished evaluation that found something."""
    stage = Stage(tmp_path_factory.mktemp("judge"))
    server = stage.server(replies={"list_notes": {"result": text_of("Error: could not read the notes")}})
    assert stage.eval(server=server).code == 0
    return stage


@pytest.fixture
def stage(finished: Stage, tmp_path: Path) -> Stage:
    return finished.copy_to(tmp_path)


def parsed(stage: Stage) -> dict[str, Any]:
    return {key: value for key, value in stage.state().items() if key in PARSED}


def test_the_rules_judge_the_same_the_second_time(stage: Stage) -> None:
    before, report = parsed(stage), stage.read("report.md")
    assert before["critic_findings"]
    ran = stage.run("critique", "one")
    assert ran.code == 0
    assert "Evaluation complete: one" in ran.out
    assert (parsed(stage), stage.read("report.md")) == (before, report)
    assert stage.run("verify", "one").code == 0


def test_a_given_output_replaces_everything_that_was_parsed(stage: Stage) -> None:
    given = stage.write("critic.md", GIVEN)
    ran = stage.run("critique", "one", "--from", given, "--json")
    assert ran.code == 0
    assert ran.json["critique"] == "file"
    assert ran.json["report_path"] == str(stage.folder() / "report.md")
    found = parsed(stage)
    assert [(one["id"], one["severity"], one["mcp_name"]) for one in found["critic_findings"]] == [
        ("F1", "Major", "notes"),
        ("F2", "Minor", "unattributed"),
    ]
    assert (found["critic_findings_dropped"], len(found["critic_findings_dropped_raw"])) == (1, 1)
    assert found["unmapped_mcp_names"] == ["elsewhere"]
    assert found["critic_summary"] == "One [Major] thing. It is not grave."
    assert found["dangling_citations"] == [
        {"finding_id": "F1", "cited_id": "S7-001", "reason": "id not found in transcript"}
    ]
    assert stage.read("critic-output.md") == GIVEN

    stage.write("critic.md", "No heading, no findings.\n\n## Summary\nNothing to report.\n")
    stage.run("critique", "one", "--from", given)
    assert parsed(stage) == {
        "critic_findings": [],
        "critic_findings_dropped": 0,
        "critic_findings_dropped_raw": [],
        "unmapped_mcp_names": [],
        "critic_summary": "Nothing to report.",
        "missing_critic_summary": False,
        "dangling_citations": [],
    }


@pytest.mark.parametrize("junk", ["", "I could not do that.", "# Summary\nnone\n"])
def test_junk_is_a_critic_that_failed_and_can_be_mended(stage: Stage, junk: str) -> None:
    given = stage.write("junk.md", junk)
    ran = stage.run("critique", "one", "--from", given, "--json")
    assert (ran.code, ran.json["exit_code"], ran.json["kind"]) == (3, 3, "CriticError")
    assert (stage.state()["status"], stage.state()["critic_findings"]) == ("critic_failed", [])
    assert stage.state()["critic_failure_path"] == "mcp-evals/mcp-eval-one/critic-output.md"
    assert stage.read("critic-output.md") == junk
    assert stage.run("report", "one").code == 2

    ran = stage.run("critique", "one")
    assert ran.code == 0
    assert (stage.state()["status"], stage.state()["critic_failure_path"]) == ("complete", None)


def test_a_file_without_end_is_not_read_to_it(stage: Stage) -> None:
    endless = "/dev/zero"
    files = ("--state", endless, "--transcript", endless, "--stdout")
    for words in (("one", "--from", endless), files):
        ran = stage.run("critique", *words)
        assert (ran.code, ran.err) == (2, "error: /dev/zero: larger than 64 MiB\n")


def test_an_output_that_is_no_text_is_told_by_its_line(stage: Stage) -> None:
    given = stage.root / "binary.md"
    given.write_bytes(b"## Summary\n\xff\n")
    before = contents(stage.folder())
    ran = stage.run("critique", "one", "--from", given)
    assert ran.code == 2
    assert f"{given}:2: not UTF-8 text" in ran.err
    assert contents(stage.folder()) == before


@pytest.mark.parametrize("command", [("critique", "one"), ("report", "one"), ("report", "one", "--stdout")])
def test_findings_and_unreached_servers_decide_the_exit_code_as_after_a_run(
    stage: Stage, command: tuple[str, ...]
) -> None:
    grave = next(name for name, number in json.loads(stage.read("report.json"))["counts"].items() if number)
    assert stage.run(*command).code == 0
    assert stage.run(*command, "--fail-on", grave.lower()).code == 1
    assert stage.run(*command, "--fail-on", "critical").code == 0


def test_report_writes_what_eval_wrote(stage: Stage) -> None:
    before = {name: stage.read(name) for name in ("report.md", "report.json")}
    for name in before:
        (stage.folder() / name).unlink()
    ran = stage.run("report", "one")
    assert ran.code == 0
    assert f"Report: {stage.folder() / 'report.md'}" in ran.out
    assert {name: stage.read(name) for name in before} == before


def test_the_report_can_be_printed_and_then_nothing_is_written(stage: Stage) -> None:
    before = contents(stage.root)
    ran = stage.run("report", "one", "--stdout")
    assert ran.out == stage.read("report.md")
    assert stage.run("report", "one", "--stdout", "--json").json == json.loads(stage.read("report.json"))
    assert contents(stage.root) == before


@pytest.mark.parametrize("phase", ["discovery", "scenarios", "execution", "critique"])
def test_there_is_something_to_judge_once_the_session_has_ended(tmp_path: Path, phase: str) -> None:
    stage = Stage(tmp_path)
    stage.eval("--until", phase)
    judged, reported = stage.run("report", "one", "--stdout").code, stage.run("critique", "one").code
    expected = {"discovery": (2, 2), "scenarios": (2, 2), "execution": (2, 0), "critique": (0, 0)}
    assert (judged, reported) == expected[phase]


def test_nothing_attached_can_be_judged_and_reported_too(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    assert stage.run("eval", "--name", "one").code == 0
    for command in (("report", "one"), ("critique", "one"), ("verify", "one")):
        assert stage.run(*command).code == 0

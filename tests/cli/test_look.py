"""``status``, ``list`` and ``verify``: they say what is there, and change nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from stage import Stage, contents


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage with one finished evaluation, to be looked at only."""
    stage = Stage(tmp_path_factory.mktemp("look"))
    assert stage.eval().code == 0
    return stage


@pytest.fixture
def stage(finished: Stage, tmp_path: Path) -> Stage:
    return finished.copy_to(tmp_path)


def change(stage: Stage, **fields: Any) -> None:
    path = stage.folder() / "state.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.mark.parametrize("command", [("status", "one"), ("list",), ("verify", "one")])
def test_looking_changes_nothing(finished: Stage, command: tuple[str, ...]) -> None:
    before = contents(finished.root)
    assert finished.run(*command).code == 0
    assert finished.run(*command, "--json").json
    assert contents(finished.root) == before


def test_status_tells_where_it_stands(finished: Stage) -> None:
    ran = finished.run("status", "one")
    assert ran.err == ""
    facts = dict(line.split(":", 1) for line in ran.out.splitlines())
    assert facts["status"].strip() == "complete"
    assert facts["servers"].strip() == "notes"
    assert facts["scenarios"].strip() == "1 of 1 run, 1 call"
    told = finished.run("status", "one", "--json").json
    assert (told["name"], told["status"], told["signed"], told["attached"]) == ("one", "complete", True, ["notes"])
    assert told["report"] == "mcp-evals/mcp-eval-one/report.md"


def test_list_names_every_evaluation(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    assert stage.run("list").out == f"no evaluations under {stage.project}\n"
    assert stage.run("list", "--json").json == {"evaluations": []}
    stage.eval("--until", "discovery", name="b")
    stage.eval(name="a")
    stage.write("project/mcp-evals/mcp-eval-broken/state.json", "{")
    rows = stage.run("list", "--json").json["evaluations"]
    assert [(row["name"], row["status"], row["signed"]) for row in rows] == [
        ("a", "complete", True),
        ("b", "interviewing", True),
        ("broken", "unreadable", False),
    ]
    assert "mcp-evals/mcp-eval-broken/state.json: not valid JSON" in stage.run("list").out


def test_what_was_signed_and_sealed_verifies(finished: Stage) -> None:
    ran = finished.run("verify", "one")
    assert ran.code == 0
    assert "signed on this machine" in ran.out
    assert "as sealed, sha256:" in ran.out
    told = finished.run("verify", "one", "--json").json
    assert told["ok"] is True
    assert told["transcript_sealed"] == told["transcript_found"] == finished.state()["assay"]["transcript_sha256"]


def test_one_changed_byte_of_the_transcript_shows(stage: Stage) -> None:
    path = stage.folder() / "transcript.jsonl"
    data = bytearray(path.read_bytes())
    data[data.index(b'"ok"') + 1] ^= 1
    path.write_bytes(data)
    ran = stage.run("verify", "one")
    assert ran.code == 1
    assert "CHANGED since it was sealed" in ran.out
    told = stage.run("verify", "one", "--json")
    assert (told.code, told.json["ok"], told.json["state_signed"]) == (1, False, True)
    for command in ("report", "critique"):
        ran = stage.run(command, "one")
        assert (ran.code, ran.out) == (2, "")
        assert "has changed since the session ended" in ran.err


@pytest.mark.parametrize("missing", ["transcript.jsonl", "state.json"])
def test_a_missing_file_does_not_verify(stage: Stage, missing: str) -> None:
    (stage.folder() / missing).unlink()
    assert stage.run("verify", "one").code == (1 if missing == "transcript.jsonl" else 2)


def test_a_changed_state_is_not_signed(stage: Stage) -> None:
    change(stage, critic_findings=[])
    assert stage.run("verify", "one").code == 0  # the same as it was
    change(stage, critic_summary="All is well.")
    assert stage.run("verify", "one").code == 1
    assert "not signed by this user" in stage.run("status", "one").out
    assert stage.run("list", "--json").json["evaluations"][0]["signed"] is False


def test_another_users_signature_is_not_ours(stage: Stage) -> None:
    ran = stage.run("verify", "one", XDG_STATE_HOME=str(stage.home / "other"))
    assert ran.code == 1
    assert "NOT signed by this user" in ran.out


@pytest.mark.parametrize("phase", ["discovery", "scenarios"])
def test_where_nothing_was_called_there_is_no_transcript_to_verify(tmp_path: Path, phase: str) -> None:
    stage = Stage(tmp_path)
    stage.eval("--until", phase)
    ran = stage.run("verify", "one")
    assert ran.code == 0
    assert "transcript   none: nothing was called" in ran.out


@pytest.mark.parametrize(
    "fields",
    [
        {"attached_mcps": [{}], "execution": [{}], "scenarios": [{}]},
        {"execution": [{"call_count": "many"}, {"call_count": None}]},
        {"attached_mcps": [{"name": ["x"]}], "eval_name": "x\x1b[2J\n::error::y", "report_path": "a\nb"},
        {"assay": {"transcript_sha256": ["\x1b[2J"], "mac": 5, "notes": 7}},
    ],
)
def test_a_state_of_any_content_is_shown_without_a_traceback(stage: Stage, fields: dict[str, Any]) -> None:
    change(stage, **fields)
    for command in (("status", "one"), ("list",), ("verify", "one"), ("report", "one")):
        ran = stage.run(*command)
        assert "Traceback" not in ran.err
        assert "\x1b" not in ran.out + ran.err
        assert not any(line.strip().startswith("::") for line in (ran.out + ran.err).splitlines())
    assert stage.run("status", "one", "--json").json["signed"] is False


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"status": "complete"}', '{"status": NaN}', "\xff", "[" * 10_000])
def test_a_state_that_cannot_be_read_is_named(stage: Stage, text: str) -> None:
    stage.write("project/mcp-evals/mcp-eval-one/state.json", text)
    for command in ("status", "critique"):
        ran = stage.run(command, "one")
        assert (ran.code, ran.out) == (2, "")
        assert "mcp-evals/mcp-eval-one/state.json" in ran.err

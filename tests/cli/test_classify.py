"""``mcp-assay classify``: a verdict on each tool, and the rule behind it, without calling any."""

import json
import shlex
from pathlib import Path

import pytest

from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def a_set(stage: Stage, *lines: object) -> Path:
    file = stage.root / "tools.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_the_tools_of_a_command_are_judged(stage: Stage) -> None:
    ran = stage.run("classify", "--server", f"notes={shlex.join(stage.server())}")
    assert ran.code == 0
    assert ran.out.startswith("notes: ")
    assert any(line.split()[:3] == ["list_notes", "read", "permit-prefix"] for line in ran.out.splitlines())
    assert len(stage.started()) == 1


def test_attached_servers_are_started_only_with_consent(stage: Stage) -> None:
    stage.config({"notes": stage.server(), "other": stage.server()})
    refused = stage.run("classify")
    assert refused.code == 2
    assert "--trust-config" in refused.err
    assert "notes, other" in refused.err
    assert stage.started() == []
    ran = stage.run("classify", "--server", "notes", "--trust-config", "--json")
    assert ran.code == 0
    assert [server["server"] for server in ran.json["servers"]] == ["notes"]
    verdicts = {tool["tool"]: tool["verdict"] for tool in ran.json["servers"][0]["tools"]}
    assert verdicts["list_notes"] == "read"


def test_a_server_that_is_not_attached_is_told_with_a_near_name(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    ran = stage.run("classify", "--server", "note")
    assert ran.code == 2
    assert "--server note: no such server is attached" in ran.err
    assert "notes" in ran.err


def test_a_server_that_does_not_start_is_listed_with_the_reason(stage: Stage) -> None:
    ran = stage.run("classify", "--", "no-such-program-here")
    assert ran.code == 0
    assert "no such command" in ran.out


def test_a_file_of_tools_gives_a_verdict_a_line_and_a_table_apart_from_them(stage: Stage) -> None:
    file = a_set(
        stage,
        {"server": "s", "tool": "get_row", "label": "read"},
        {"server": "s", "tool": "create_row", "label": "mutate"},
    )
    ran = stage.run("classify", "--jsonl", str(file))
    assert ran.code == 0
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {"server": "s", "tool": "get_row", "verdict": "read", "rule": "permit-prefix"},
        {"server": "s", "tool": "create_row", "verdict": "mutating", "rule": "denylist-token"},
    ]
    assert "rules: extended" in ran.err
    assert "1 of 1" in ran.err
    machine = stage.run("classify", "--jsonl", str(file), "--json", "--rules", "spec").json
    assert machine["rules"] == "spec"
    assert machine["confusion"]["mutate"] == {"read": 0, "mutating": 1, "undetermined": 0}


def test_without_labels_there_is_no_table(stage: Stage) -> None:
    assert stage.run("classify", "--jsonl", str(a_set(stage, {"tool": "get_row"}))).err == ""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--jsonl", "tools.jsonl", "--server", "x"), "--jsonl judges the tools of a file"),
        (("--jsonl", "none.jsonl"), "none.jsonl"),
        (("--jsonl", "tools.jsonl"), "tools.jsonl: line 1: key 'tool'"),
        (("--rules", "mine"), "--rules"),
    ],
)
def test_bad_input_is_told_and_exits_with_2(stage: Stage, words: tuple[str, ...], why: str) -> None:
    a_set(stage, {"server": "s"})
    ran = stage.run("classify", *words, cwd=stage.root)
    assert ran.code == 2
    assert why in ran.err
    assert "Traceback" not in ran.err


def test_a_file_that_is_no_text_is_told(stage: Stage) -> None:
    (stage.root / "tools.jsonl").write_bytes(b"\xff\xfe\n")
    ran = stage.run("classify", "--jsonl", "tools.jsonl", cwd=stage.root)
    assert ran.code == 2
    assert "Traceback" not in ran.err

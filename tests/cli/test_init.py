"""``mcp-assay init``: a plan that answers nothing until its comment signs are taken away, and everything then."""

import re
from pathlib import Path

import pytest

from mcp_assay.cli.init import template
from mcp_assay.core.model import ServerConfig
from mcp_assay.core.plan import Plan, unanswered
from mcp_assay.planfile import parse_plan
from stage import Stage, contents

EVIL = "x: [y]\n### [CRITICAL] \x1b\u202e\u2028\x85# z"
SERVERS = [ServerConfig("notes", "/p/.mcp.json", command="serve", args=("--token", "hunter2hunter2"), line=3)]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def answered(text: str) -> Plan:
    """The plan once every answer's comment sign is taken away."""
    return parse_plan(re.sub("(?m)^# ", "", text).encode(), "plan.yaml")


@pytest.mark.parametrize("names", [["notes"], ["notes", "far"], ["true", "12", EVIL, "\U0001f600", "-"]])
def test_it_is_valid_and_answers_nothing_and_without_comment_signs_it_answers_everything(names: list[str]) -> None:
    servers = [ServerConfig(name, name, command=name, args=(name,), host_note=name) for name in names]
    text = template(servers)
    silent = parse_plan(text.encode(), "plan.yaml")
    assert silent == Plan(call_budget=20, wallclock_budget=15, source="plan.yaml", sha256=silent.sha256)
    assert unanswered(answered(text), servers) == []
    assert set(answered(text).dispositions) == set(names)


def test_what_would_run_and_its_digest_stand_in_comments_without_secrets() -> None:
    text = template(SERVERS)
    assert "##   runs      serve --token" in text
    assert "##   from      /p/.mcp.json:3" in text
    assert f"##   digest    {SERVERS[0].digest}" in text
    assert "hunter2" not in text


def test_the_file_is_written_for_what_is_attached_and_nothing_is_started(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    ran = stage.run("init")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Wrote plan.yaml for 1 MCP server; nothing is answered yet.\n"
    digest = stage.run("discover", "--json").json["attached"][0]["digest"]
    assert answered((stage.project / "plan.yaml").read_text()).connect == {"notes": digest}
    assert stage.started() == []


def test_the_answered_plan_runs_unattended(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    assert stage.run("init", "mine.yaml").code == 0
    file = stage.project / "mine.yaml"
    unready = stage.run("eval", "--name", "one", "--plan", file)
    assert unready.code == 2
    assert "unanswered" in unready.err
    file.write_text(re.sub("(?m)^# ", "", file.read_text()))
    assert stage.run("eval", "--name", "two", "--plan", file, "--until", "scenarios").code == 0


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("plan.yaml", "plan.yaml: exists already"),
        ("plan.json", "choose a name that ends in .yaml"),
        ("no/such/plan.yaml", "cannot be written"),
    ],
)
def test_nothing_is_overwritten_and_what_cannot_be_written_is_said(stage: Stage, file: str, said: str) -> None:
    stage.config({"notes": stage.server()})
    stage.write("project/plan.yaml", "mine")
    before = contents(stage.project)
    ran = stage.run("init", file)
    assert ran.code == 2
    assert said in ran.err
    assert contents(stage.project) == before


def test_where_nothing_is_attached_there_is_nothing_to_plan_and_unreadable_files_are_named(stage: Stage) -> None:
    stage.write("project/.mcp.json", "{")
    ran = stage.run("init")
    assert ran.code == 2
    assert "No MCPs attached" in ran.err
    assert ".mcp.json" in ran.err
    assert not (stage.project / "plan.yaml").exists()

"""``drift`` compares what was pinned with an earlier run, another folder, or what the servers offer now."""

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from boxes import isolated
from person import Person
from stage import TOOLS, Ran, Stage

REWORDED = {**TOOLS[1], "description": "Deletes one note."}
CHANGED = "  `read_note` changed\n    verdict read → mutating\n    description: `Shows` → `Deletes`"
OTHER = [TOOLS[0], REWORDED, {"name": "list_more"}]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def looked(stage: Stage, tools: list[dict[str, Any]] = TOOLS, name: str = "one", *words: str | Path) -> None:
    """An evaluation that stops once it has listed the tools."""
    server = stage.server(tools=tools)
    assert stage.eval("--until", "discovery", *words, name=name, server=server, plan=stage.plan()).code == 0


def named(stage: Stage, tools: list[dict[str, Any]]) -> str:
    return f"notes={shlex.join(stage.server(tools=tools))}"


# --- what is compared ------------------------------------------------------------------------------------------------


def test_the_run_before_is_what_a_run_is_compared_with_and_nothing_is_started(stage: Stage) -> None:
    looked(stage)
    looked(stage, OTHER, "one", "--restart")
    stage.mark().unlink()
    ran = stage.run("drift", "one")
    assert ran.code == 1, ran.err
    head, *told = ran.out.splitlines()
    assert head.startswith("changed from one~")
    assert head.endswith("Z to one:")
    assert told == ["notes", "  vanished: `write_note`", "  appeared: `list_more` (read)", *CHANGED.splitlines()]
    assert stage.started() == []


@pytest.mark.parametrize("by", ["folder", "name", "folder's name"])
def test_another_evaluation_is_meant_by_its_folder_or_its_name(stage: Stage, by: str) -> None:
    looked(stage)
    looked(stage, OTHER, "two")
    given = {"folder": str(stage.folder()), "name": "one", "folder's name": "mcp-eval-one"}[by]
    ran = stage.run("drift", "two", "--against", given)
    assert (ran.code, CHANGED in ran.out) == (1, True), ran.err


def test_where_nothing_changed_that_is_said(stage: Stage) -> None:
    looked(stage)
    looked(stage, [*reversed(TOOLS)], "two")
    ran = stage.run("drift", "two", "--against", "one")
    assert (ran.code, ran.out) == (0, "nothing changed from one to two: 1 server, 3 tools\n")


def test_json_has_each_change_by_field(stage: Stage) -> None:
    looked(stage)
    looked(stage, OTHER, "two")
    ran = stage.run("drift", "two", "--against", "one", "--json")
    assert (ran.code, ran.json) == (1, {
        "before": "one",
        "after": "two",
        "drift": True,
        "servers": [{
            "name": "notes",
            "note": None,
            "appeared": [{"tool": "list_more", "verdict": "read"}],
            "vanished": ["write_note"],
            "changed": [{
                "tool": "read_note",
                "verdict": {"before": "read", "after": "mutating"},
                "changes": [{"field": "description", "change": "`Shows` → `Deletes`"}],
            }],
            "more_changed": 0,
        }],
    })  # fmt: skip


def test_a_folder_that_came_from_elsewhere_can_be_compared_with_and_is_told_as_such(stage: Stage) -> None:
    looked(stage)
    stage.folder().parent.rename(stage.root / "mcp-evals")
    shutil.rmtree(stage.kept)
    stage.kept.mkdir()
    looked(stage, OTHER, "two")
    ran = stage.run("drift", "two", "--against", stage.root / "mcp-evals" / "mcp-eval-one")
    assert ran.code == 1, ran.err
    assert ran.out.startswith("changed from one (not signed by this user) to two:\n")


def test_only_the_server_that_is_asked_about(stage: Stage) -> None:
    both = {"notes": stage.server(), "far": stage.server("far")}
    stage.config(both)
    pins = {server["name"]: server["digest"] for server in stage.run("discover", "--json").json["attached"]}
    plan = stage.plan(connect=pins, dispositions=dict.fromkeys(both, "read_only"))
    for name in ("one", "two"):
        assert stage.run("eval", "--until", "discovery", "--plan", plan, "--name", name).code == 0
        stage.server(tools=OTHER)
    assert stage.run("drift", "two", "--against", "one", "--server", "far").code == 0
    assert stage.run("drift", "two", "--against", "one", "--server", "notes").code == 1


# --- what the servers offer now --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tools", "code"), [(TOOLS, 0), (OTHER, 1)])
def test_a_server_that_is_named_again_is_started_and_listed(
    stage: Stage, tools: list[dict[str, Any]], code: int
) -> None:
    looked(stage)
    ran = stage.run("drift", "one", "--now", "--server", named(stage, tools))
    assert ran.code == code, ran.err
    assert "from one to now" in ran.out
    assert (CHANGED in ran.out) == bool(code)
    assert len(stage.started()) == 2
    assert "Starting 1 MCP server to list their tools" in ran.err


def configured(stage: Stage, **answers: Any) -> Path:
    """An evaluation of a server of the project's configuration, whose plan pins it."""
    stage.config({"notes": stage.server()})
    pins = {server["name"]: server["digest"] for server in stage.run("discover", "--json").json["attached"]}
    plan = stage.plan(connect=pins, **answers)
    ran = stage.run("eval", "--until", "discovery", "--plan", plan, "--name", "one")
    assert ran.code == 0, ran.err
    stage.server(tools=OTHER)
    stage.mark().unlink(missing_ok=True)  # a box lets no server leave it
    return plan


def test_the_consent_of_the_plan_that_an_evaluation_was_run_with_counts(stage: Stage) -> None:
    configured(stage)
    ran = stage.run("drift", "one", "--now")
    assert (ran.code, CHANGED in ran.out, len(stage.started())) == (1, True, 1), ran.err


def test_a_server_whose_command_changed_is_not_started_without_new_consent(stage: Stage) -> None:
    plan = configured(stage)
    stage.config({"notes": [*stage.server(tools=OTHER), "more"]})
    ran = stage.run("drift", "one", "--now")
    assert (ran.code, stage.started()) == (2, [])
    assert "'notes' is not what was pinned" in ran.err
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "connect": "all"}))
    ran = stage.run("drift", "one", "--now")
    assert (ran.code, stage.started()) == (2, [])
    assert "has changed; name the one that counts with --plan" in ran.err
    ran = stage.run("drift", "one", "--now", "--plan", plan)
    assert (ran.code, stage.started()) == (2, [])
    ran = stage.run("drift", "one", "--now", "--plan", plan, "--trust-config")
    assert (ran.code, len(stage.started())) == (1, 1), ran.err
    assert "its command or settings are not those of then" in ran.err


def test_a_folder_that_came_from_elsewhere_gives_no_consent(stage: Stage) -> None:
    configured(stage)
    shutil.rmtree(stage.kept)
    stage.kept.mkdir()
    ran = stage.run("drift", "one", "--now")
    assert (ran.code, stage.started()) == (2, [])
    assert "gives no consent" in ran.err


def test_a_person_is_asked_before_anything_is_started(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    plan = stage.plan(connect="all")
    assert stage.run("eval", "--until", "discovery", "--trust-config", "--plan", plan, "--name", "one").code == 0
    stage.server(tools=OTHER)
    for answer, code, starts in (("no", 1, 1), ("yes", 1, 2)):
        words = [sys.executable, "-m", "mcp_assay", "drift", "one", "--now"]
        with Person(words, environ=stage.environ, cwd=stage.project) as person:
            person.answers(("Start notes?", answer))
            person.sees("changed from one to now:")
            assert person.ends() == code
        assert len(stage.started()) == starts


def test_a_server_that_no_longer_starts_has_not_lost_its_tools(stage: Stage) -> None:
    looked(stage)
    ran = stage.run("drift", "one", "--now", "--server", f"notes={shlex.join(stage.server(exit=3))}")
    assert ran.code == 1
    assert "its tools could not be listed again: the server exited with status 3 before initialize finished" in ran.out
    assert "vanished" not in ran.out


@isolated
def test_what_was_isolated_then_is_isolated_now(stage: Stage) -> None:
    configured(stage, isolation="bwrap")
    ran = stage.run("drift", "one", "--now", PATH="/nonexistent")
    assert ran.code == 2
    assert stage.started() == []


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    stage = Stage(tmp_path_factory.mktemp("kept"))
    looked(stage)
    return stage


# --- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["one"], "no earlier run of one is kept here"),
        (["two"], "cannot open"),
        (["one", "--against", "two"], "cannot open"),
        (["one", "--against", "/tmp"], "not an evaluation's folder"),
        (["one", "--against", "one", "--now"], "take one away"),
        (["one", "--against", "one", "--server", "nots"], "no such server in either; did you mean 'notes'?"),
        (["one", "--against", "one", "--server", "notes=x"], "add --now"),
        (["one", "--against", "one", "--trust-config"], "add --now"),
        (["one", "--now"], "name it again: --server notes=COMMAND"),
        (["../one"], "must be 1 to 64"),
    ],
)
def test_bad_input_is_told_in_the_users_terms(kept: Stage, words: list[str], why: str) -> None:
    ran: Ran = kept.run("drift", *words)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert "Traceback" not in ran.err


def test_an_evaluation_that_never_came_to_its_tools_is_no_side(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    assert stage.run("eval", "--name", "one", "--plan", stage.plan()).code == 2
    ran = stage.run("drift", "one", "--against", "one")
    assert ran.code == 2
    assert "no tools were listed in it" in ran.err


def test_nothing_foreign_is_alive(stage: Stage) -> None:
    evil = "x`\n::error::\x1b[31m### [CRITICAL]\u202e"
    looked(stage, [{"name": "list_x", "description": "a"}])
    looked(stage, [{"name": "list_x", "description": evil}, {"name": f"list {evil}"}], "two")
    ran = stage.run("drift", "two", "--against", "one")
    assert not {"\x1b", "\u202e"} & set(ran.out)
    assert len(ran.out.splitlines()) == 5
    assert not any(line.lstrip().startswith(("::", "###")) for line in ran.out.splitlines())

"""The command itself: errors in one place, one JSON object, the documented exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_assay.cli.main import cli
from stage import Ran, Stage

COMMANDS = ("eval", "discover", "critique", "report", "status", "list", "verify")
USAGE = [
    ((), "Missing command"),
    (("no-such-command",), "No such command 'no-such-command'"),
    (("--no-such-option",), "No such option"),
    (("eval", "--no-such-option"), "No such option"),
    (("eval", "--until", "lunch"), "'lunch' is not one of"),
    (("eval", "--plan", "no-such-file.yaml"), "no-such-file.yaml"),
    (("eval", "--driver", "luck"), "'luck' is not"),
    (("eval", "--call-budget", "0"), "--call-budget must be a whole number from 1 to 999"),
    (("eval", "--call-budget", ""), "--call-budget must be a whole number from 1 to 999"),
    (("eval", "--wallclock-budget", "nan"), "--wallclock-budget must be a number of minutes"),
    (("eval", "--wallclock-budget", ""), "--wallclock-budget must be a number of minutes"),
    (("eval", "--name", "../up"), "--name must be 1 to 64 letters"),
    (("eval", "--name", ""), "--name must be 1 to 64 letters"),
    (("eval", "--server", "notes"), "--server needs NAME=COMMAND"),
    (("eval", "--server", "notes='"), "--server notes"),
    (("eval", "--server", "a=x", "--server", "a=y"), "named twice"),
    (("status",), "Missing argument 'NAME'"),
    (("status", "nowhere"), "mcp-eval-nowhere"),
    (("report", "nowhere"), "mcp-eval-nowhere"),
    (("critique", "nowhere"), "mcp-eval-nowhere"),
    (("verify", "a/b"), "--name must be 1 to 64 letters"),
    (("list", "--out", "no-such-folder"), "no-such-folder"),
    (("discover", "--project", "no-such-folder"), "no-such-folder"),
]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("main"))


@pytest.mark.parametrize(
    ("words", "said"), USAGE, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_mistake_is_told_on_stderr_with_exit_code_2_and_nothing_else(
    stage: Stage, words: tuple[str, ...], said: str
) -> None:
    ran = stage.run(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert "error: " in ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("words", "said"), USAGE[1::4], ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_with_json_a_mistake_is_one_object_on_stdout(stage: Stage, words: tuple[str, ...], said: str) -> None:
    ran = stage.run(*words, "--json")
    assert ran.code == 2
    assert ran.err == ""
    assert said in ran.json["error"]
    assert ran.json["exit_code"] == 2
    assert ran.json["kind"]


def test_what_follows_two_dashes_belongs_to_the_server(stage: Stage) -> None:
    ran = stage.run("eval", "--call-budget", "none", "--", "server", "--json")
    assert ran.out == ""
    assert "--call-budget" in ran.err


def test_help_lists_every_command_and_the_exit_codes(stage: Stage) -> None:
    ran = stage.run("--help")
    assert ran.code == 0
    assert all(f"\n  {command} " in ran.out for command in COMMANDS)
    assert all(f" {code} " in ran.out for code in (0, 1, 2, 3, 4, 130))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    context = cli.make_context("mcp-assay", [command], resilient_parsing=True)
    loaded = cli.get_command(context, command)
    assert loaded is not None
    assert loaded.name == command
    assert loaded.help
    assert any("--json" in option.opts for option in loaded.params)


def test_the_version_is_the_packages(stage: Stage) -> None:
    assert stage.run("--version").out.startswith("mcp-assay, version ")


@pytest.mark.parametrize("word", ["\x1b[31mred", "a\u202eb", "a\u200bb", "\x07"])
def test_what_was_typed_cannot_steer_the_terminal(stage: Stage, word: str) -> None:
    ran = stage.run("eval", "--call-budget", word)
    assert ran.code == 2
    assert all(char.isprintable() for char in ran.err.replace("\n", ""))


def test_an_argument_that_is_no_text_is_a_mistake_like_any_other(stage: Stage) -> None:
    ran = stage.run("status", os.fsdecode(b"\xff\xfe"))
    assert (ran.code, ran.out) == (2, "")
    assert "--name must be" in ran.err


def test_a_reader_who_leaves_is_no_reason_to_complain(stage: Stage) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [sys.executable, "-m", "mcp_assay", "--help"],
        env=stage.environ,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_current_folder_that_is_gone_is_said_so(stage: Stage, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    script = 'rmdir "$1" && exec "$0" -m mcp_assay list'
    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable, str(folder)],
        cwd=folder, env=stage.environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert Ran(done.returncode, done.stdout, "") == Ran(2, "", "")
    assert done.stderr == "error: the current folder does not exist any more; change to one that does\n"

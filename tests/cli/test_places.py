"""Where the project, the user's home and the evaluations are, as told or as found."""

from pathlib import Path

import click
import pytest

from mcp_assay.cli.places import base, ending_options, home, json_option, opened, place_options, root
from mcp_assay.errors import StoreError, UserError
from mcp_assay.store.evaldir import EvalDir
from stage import Stage


def test_home_is_what_was_given_or_what_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home(None) == tmp_path
    assert home(tmp_path / "x") == tmp_path / "x"


def test_the_root_is_found_upwards_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p" / "a" / "b").mkdir(parents=True)
    (tmp_path / "p" / ".mcp.json").write_text("{}")
    monkeypatch.chdir(tmp_path / "p" / "a" / "b")
    assert root(None, tmp_path) == tmp_path / "p"
    assert root(tmp_path, tmp_path) == tmp_path


def test_evaluations_are_kept_in_the_root_unless_another_folder_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    assert base(None, tmp_path, None) == tmp_path
    assert base(None, tmp_path, Path("out")) == tmp_path / "out"


def test_only_an_evaluation_that_exists_can_be_opened(tmp_path: Path) -> None:
    EvalDir(tmp_path, "one", create=True)
    with opened("one", None, tmp_path, tmp_path) as folder:
        assert folder.name == "one"
    with pytest.raises(StoreError, match="mcp-eval-two"):
        opened("two", None, tmp_path, tmp_path)
    with pytest.raises(UserError, match="--name"):
        opened("..", None, tmp_path, tmp_path)


def test_the_shared_options_are_the_same_everywhere() -> None:
    @json_option
    @ending_options
    @place_options
    def command() -> None: ...

    names = [option.opts[0] for option in click.command()(command).params]
    assert names == ["--json", "--fail-on", "--allow-unreached", "--project", "--home", "--out"]


def test_folders_of_the_command_line_are_used_by_the_command(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.config({"notes": ["a"]})
    (other := tmp_path / "other").mkdir()
    found = stage.run("discover", "--json", "--project", stage.project, cwd=other).json["attached"]
    assert [server["name"] for server in found] == ["notes"]
    stage.write("elsewhere/.claude.json", {"mcpServers": {"theirs": {"command": "b"}}})
    found = stage.run("discover", "--json", "--home", tmp_path / "elsewhere", cwd=other).json["attached"]
    assert [server["name"] for server in found] == ["theirs"]

"""Commands that are loaded when they are called."""

import sys

import click
import pytest
from click.testing import CliRunner

from mcp_assay.cli.lazy import Lazy


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Lazy:
    """One whose command ``say`` lies in a module that exists, and ``gone`` in one that does not."""
    module = type(sys)("said")
    module.say_command = click.Command("say", callback=lambda: click.echo("said"))  # type: ignore[attr-defined]
    module.secret_command = module.say_command  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "said", module)
    return Lazy("all", lazily={"say": ("said", "Say it."), "gone": ("nowhere", "Not there."), "secret": ("said", "")})


def test_help_needs_no_module_and_lists_what_has_a_line(group: Lazy) -> None:
    shown = CliRunner().invoke(group, ["--help"]).output
    assert "Not there." in shown
    assert "secret" not in shown


@pytest.mark.parametrize("name", ["say", "secret"])
def test_a_command_is_loaded_when_it_is_called(group: Lazy, name: str) -> None:
    assert CliRunner().invoke(group, [name]).output == "said\n"
    assert isinstance(CliRunner().invoke(group, ["gone"]).exception, ModuleNotFoundError)


def test_what_is_not_known_is_none(group: Lazy) -> None:
    assert CliRunner().invoke(group, ["more"]).exit_code == 2

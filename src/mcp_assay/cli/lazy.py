"""Groups of commands whose modules are loaded when one of them is called."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["Lazy"]


class Lazy(click.Group):
    """``lazily`` maps each command's name to its module and its line in ``--help``, which needs no module.

    The module's attribute is called as the command, with ``_command`` behind it. A command without a line is not
    listed.
    """

    def __init__(self, *args: Any, lazily: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self._lazily = lazily

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self._lazily)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in self._lazily:
            return None
        module = importlib.import_module(self._lazily[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._lazily.items() if line])

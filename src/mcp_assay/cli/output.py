"""Standard output for programs: one JSON object, whatever the command and however it ended."""

import json
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["print_json"]


def print_json(value: Mapping[str, Any]) -> None:
    """Print an object as ASCII. Its strings are as they came, but spelt so that no CI runner that reads along obeys.

    Runners look for ``::command::`` at the start of a line, where JSON has none, and for ``##[command]`` anywhere.
    """
    click.echo(json.dumps(value, indent=2).replace("##", "#\\u0023"))

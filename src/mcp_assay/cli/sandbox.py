"""``sandbox check``: what the sandbox would say of a call's arguments, argument by argument, and why."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import json_option
from mcp_assay.core import inert
from mcp_assay.core.addressing import reason
from mcp_assay.core.arguments import Argument
from mcp_assay.core.jsontext import loads
from mcp_assay.core.model import Match
from mcp_assay.core.sandbox import Held, Hold, Judged, explain
from mcp_assay.errors import InputError, UserError

__all__ = ["sandbox_command"]

_VALUE, _SENTENCE = 80, 400


@click.group("sandbox")
def sandbox_command() -> None:
    """The sandbox that mutating calls of a sandboxed MCP are held to."""


@sandbox_command.command("check")
@click.option("--resource", "resources", multiple=True, required=True, help='A test resource, e.g. "repo: acme/play".')
@click.option("--args", "args", required=True, help="The call's arguments: a JSON object, @FILE, or - for stdin.")
@click.option("--tool-schema", "schema", type=click.Path(path_type=Path), help="A file with the tool's input schema.")
@click.option(
    "--match",
    type=click.Choice([each.value for each in Match]),
    default="strict",
    show_default=True,
    help="The rule to use.",
)
@json_option
@click.pass_context
def check_command(
    ctx: click.Context, resources: Sequence[str], args: str, schema: Path | None, match: str, *, as_json: bool
) -> None:
    """Say whether a mutating call would be allowed, and what holds each argument. Exit 0 if it would be, 1 if not."""
    given = _object(*_bytes(args))
    declared = _schema(_object(_file(schema), str(schema))) if schema else {}
    held, judged = explain(given, declared, resources, Match(match), realpath=os.path.realpath)
    if as_json:
        print_json({"ok": held.ok, "why": held.why, "match": match, "arguments": [_told(each) for each in judged]})
    else:
        for line in _lines(held, judged):
            click.echo(line)
    ctx.exit(0 if held.ok else 1)


def _bytes(args: str) -> tuple[bytes, str]:
    """The arguments' JSON, and what to call it in a complaint."""
    if args == "-":
        return sys.stdin.buffer.read(), "stdin"
    if args.startswith("@"):
        return _file(Path(args[1:])), args[1:]
    return os.fsencode(args), "--args"


def _file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as bad:
        raise UserError(f"{path}: cannot be read: {getattr(bad, 'strerror', None) or bad}") from None


def _object(data: bytes, source: str) -> dict[str, Any]:
    found = loads(data, source)
    if not isinstance(found, dict):
        raise InputError(source, "not a JSON object")
    return found


def _schema(found: dict[str, Any]) -> dict[str, Any]:
    """The input schema, also where a whole tool was saved as the server lists it."""
    inner = found.get("inputSchema", found.get("input_schema"))
    return inner if isinstance(inner, dict) else found


def _lines(held: Held, judged: Sequence[Judged]) -> Iterator[str]:
    judged = [each for each in judged if each.argument.given or each.hold is not Hold.FREE]
    shown = [inert.line(each.argument.shown, _VALUE) for each in judged]
    width = max(map(len, shown), default=0)
    for name, each in zip(shown, judged, strict=True):
        told = _told(each)
        why = f"; {told['why']}" if told["why"] and each.hold is not Hold.FREE else ""
        yield f"{name:<{width}}  {_value(each)}: {_holds(each)}{inert.line(why, _SENTENCE)}"
        if "allow" in told:
            yield f"{'':<{width}}  to allow it: {inert.line(told['allow'], _SENTENCE)}"
    yield f"{'allowed' if held.ok else 'refused'}: {inert.line(held.why, _SENTENCE)}"


def _holds(judged: Judged) -> str:
    by = inert.line(judged.by, _VALUE)
    return {
        Hold.FREE: "addresses nothing",
        Hold.COVERED: f"covered by the entry {by}",
        Hold.WITHIN: f"lies within {by}",
        Hold.BESIDE: f"is named beside {by}, which is covered",
        Hold.LOOSE: "NOT covered",
    }[judged.hold]


def _told(judged: Judged) -> Mapping[str, Any]:
    argument = judged.argument
    told: dict[str, Any] = {"argument": argument.shown, "value": _clipped(argument.value), "given": argument.given}
    told |= {"hold": judged.hold, "by": judged.by or None, "why": reason(argument.noun, argument.value) or None}
    if judged.hold is Hold.LOOSE:
        wholes = sorted(argument.noun.wholes)
        within = f", or give an argument that is listed and that it is part of ({', '.join(wholes)})" if wholes else ""
        told["allow"] = f"list {judged.pair or _entry(argument)}{within}"
    return told


def _entry(argument: Argument) -> str:
    """The entry that would cover an argument, labelled with its kind; a path or a URL speaks for itself."""
    value, word = str(_clipped(argument.value)), argument.noun.word
    return f"{word}: {value}" if word and argument.is_plain else value


def _value(judged: Judged) -> str:
    source = "" if judged.argument.given else " (from the schema)"
    return inert.line(json.dumps(_clipped(judged.argument.value), ensure_ascii=False), _VALUE) + source


def _clipped(value: object) -> object:
    return value[:_SENTENCE] if isinstance(value, str) else value

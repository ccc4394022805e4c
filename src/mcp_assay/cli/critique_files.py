"""The rules on files from anywhere: a state, a transcript, and manifests if there are any. Nothing is written."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from mcp_assay.core.jsontext import line_of, loads
from mcp_assay.core.limits import MAX_FILE
from mcp_assay.core.model import Manifest, Tool
from mcp_assay.core.session import State
from mcp_assay.critic import run
from mcp_assay.critic.evidence import Evidence
from mcp_assay.errors import InputError, UserError

__all__ = ["critique_files", "file_options", "of_files", "whole"]

Command = TypeVar("Command", bound=Callable[..., object])
_file = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOREIGN = {
    "given": "--from",
    "fail_on": "--fail-on",
    "allow_unreached": "--allow-unreached",
    "project": "--project",
    "home": "--home",
    "out": "--out",
    "as_json": "--json",
}
"""Options that say something about an evaluation of ours, and nothing about files."""


def file_options(command: Command) -> Command:
    """``--state``, ``--transcript``, ``--manifests`` and ``--stdout``."""
    options = (
        click.option("--state", type=_file, help="Judge this state's transcript instead of an evaluation kept here."),
        click.option("--transcript", type=_file, help="The transcript that goes with --state."),
        click.option(
            "--manifests", type=_file, help="The servers' tools: {server: [tool, ...]}, as tools/list has them."
        ),
        click.option(
            "--stdout", is_flag=True, help="With --state and --transcript: print the findings, write nothing."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def of_files(name: str | None, options: Mapping[str, Any]) -> str | None:
    """The critique of the files that the options name; None if it is NAME that is to be judged.

    Raises UsageError for options that do not go together, InputError for a bad file.
    """
    named = [key for key in ("state", "transcript", "manifests", "stdout") if options[key]]
    if not named:
        if name is None:
            raise click.UsageError("give the NAME of an evaluation, or --state and --transcript with --stdout")
        return None
    if name is not None:
        raise click.UsageError(f"NAME and --{named[0]} do not go together: judge an evaluation, or files")
    if not {"state", "transcript", "stdout"} <= set(named):
        raise click.UsageError("files are judged with --state, --transcript and --stdout, all three")
    foreign = next((option for key, option in _FOREIGN.items() if options.get(key)), None)
    if foreign is not None:
        raise click.UsageError(f"{foreign} has no meaning for files")
    return critique_files(options["state"], options["transcript"], options["manifests"])


def critique_files(state: Path, transcript: Path, manifests: Path | None) -> str:
    """The critic's markdown. Raises InputError, naming file and line, for a file that cannot be used.

    The files are those of the specification: fields of ours (``assay``) may be missing, and others may be there. What
    cannot be judged without them is said in the summary.
    """
    known = _state(whole(state), str(state))
    entries = list(_entries(whole(transcript), str(transcript)))
    promised = _manifests(whole(manifests), str(manifests), known) if manifests else None
    return run.critique(Evidence.of(known, entries, promised))


def whole(path: Path) -> bytes:
    """A file's bytes. Raises UserError if it cannot be read or is larger than any such file."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as bad:
        raise UserError(f"{path}: cannot be read: {bad.strerror}") from None
    if len(data) > MAX_FILE:
        raise UserError(f"{path}: larger than {MAX_FILE // 1024 // 1024} MiB")
    return data


def _entries(data: bytes, source: str) -> Iterator[Mapping[str, Any]]:
    """The objects of JSON lines, which end at LF only; blank lines count and are passed over."""
    for number, text in enumerate(data.split(b"\n"), 1):
        if text.strip():
            yield _entry(text, source, number)


def _entry(text: bytes, source: str, number: int) -> Mapping[str, Any]:
    try:
        value = loads(text, source)
    except InputError as bad:
        raise InputError(source, bad.message, line=number, key=bad.key) from None
    if not isinstance(value, dict):
        raise InputError(source, "not a JSON object; a transcript has one on each line", line=number)
    return value


def _state(data: bytes, source: str) -> State:
    """What of a state matters to a critic; the rest is not looked at, so that it may have any form."""
    value = loads(data, source)
    if not isinstance(value, dict):
        raise InputError(source, "not a JSON object; a state is one", line=1)
    state = State("", "", "")
    for name in ("attached_mcps", "scenarios", "execution"):
        setattr(state, name, _objects(value, name, data, source))
    for entry in state.attached_mcps:
        if not isinstance(entry.get("name"), str):
            _refuse(data, source, "attached_mcps", "an entry without a name; each server needs one")
    ours = value.get("assay", {})
    state.assay = ours if isinstance(ours, dict) else _refuse(data, source, "assay", "not an object")
    return state


def _objects(value: Mapping[str, Any], name: str, data: bytes, source: str) -> list[dict[str, Any]]:
    found = value.get(name)
    if name not in value and name != "attached_mcps":
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        _refuse(data, source, name, "missing or not a list of objects")
    return found


def _manifests(data: bytes, source: str, state: State) -> Mapping[str, Manifest]:
    """From ``{server: [tool, …]}`` or ``{server: {"tools": [tool, …]}}``."""
    value = loads(data, source)
    if not isinstance(value, dict):
        raise InputError(source, "not a JSON object; it maps each server's name to its tools", line=1)
    limits = {entry["name"]: _limitation(entry) for entry in state.attached_mcps}
    found = {server: _tools(listed, server, data, source) for server, listed in value.items()}
    return {server: Manifest(server, tools, limits.get(server)) for server, tools in found.items()}


def _tools(listed: object, server: str, data: bytes, source: str) -> tuple[Tool, ...]:
    raws = listed.get("tools") if isinstance(listed, dict) else listed
    if not isinstance(raws, list) or not all(isinstance(raw, dict) for raw in raws):
        _refuse(data, source, server, 'neither a list of tools nor an object with "tools"')
    try:
        return tuple(map(Tool.from_raw, raws))
    except ValueError as bad:
        _refuse(data, source, server, str(bad))


def _limitation(entry: Mapping[str, Any]) -> str | None:
    ours = entry.get("assay")
    said = ours.get("limitation") if isinstance(ours, dict) else None
    return said if isinstance(said, str) else None


def _refuse(data: bytes, source: str, key: str, message: str) -> NoReturn:
    raise InputError(source, message, line=line_of(data, (key,)), key=key)

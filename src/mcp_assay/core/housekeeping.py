"""What an agent does for the evaluation itself, and what it must never do to it.

"Write, Edit, and Read operations whose target path is under mcp-evals/mcp-eval-<name>/** … are not logged as tool
calls": reads there, and our own commands in their exact form, are housekeeping. A model never needs to write there, so
writes are refused instead. Whatever is not surely housekeeping is none.

A path may be read in several ways: ``..`` before links are followed or after, ``~`` or not. To be housekeeping it must
lie in the folder in all of them; to be refused, in one is enough.
"""

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["CRITIC", "Place", "is_critic", "is_own_command", "is_read", "touches"]

CRITIC = "mcp-eval:friction-critic"
"""The agent of our plugin that judges, as its host names it."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folders that matter, each absolute and without links: of the evaluation, of the user's keys, the home.

    ``realpath`` resolves links in an absolute path; the one look at the world, handed in from the edge.
    """

    evaluation: str
    state: str
    home: str
    realpath: Callable[[str], str]


def is_read(tool: str, args: Mapping[str, Any], cwd: str, place: Place) -> bool:
    """Whether a call only reads in the evaluation's folder."""
    known = _READS.get(tool)
    if known is None or not args.keys() <= known.keys | {known.path}:
        return False
    path = args.get(known.path, cwd if known.optional else None)
    if not isinstance(path, str) or any(_wanders(args[key]) for key in known.globs & args.keys()):
        return False
    readings = list(_readings(path, cwd, place))
    return bool(readings) and all(_lies_in(reading, place.evaluation) for reading in readings)


def touches(tool: str, args: Mapping[str, Any], cwd: str, place: Place) -> bool:
    """Whether a call would write into the evaluation's folder, or reach for the user's keys.

    A path that cannot be read is one that does.
    """
    if tool not in _WRITES and tool not in _READS:
        return False
    folders = [place.state, place.evaluation] if tool in _WRITES else [place.state]
    return any(_reaches(args[key], cwd, place, folders) for key in _PATHS if key in args)


def is_own_command(tool: str, args: Mapping[str, Any]) -> bool:
    """Whether a call runs one of our commands and nothing else: no shell could read more into it."""
    command = args.get("command")
    if tool != "Bash" or not isinstance(command, str) or not args.keys() <= _BASH or args.get("run_in_background"):
        return False
    # Only characters that mean themselves to every shell, wherever they stand: no quotes, no globs, no line ends.
    return _PLAIN.fullmatch(command) is not None and any(_fits(command.split(" "), form) for form in _COMMANDS)


def is_critic(tool: str, args: Mapping[str, Any]) -> bool:
    """Whether a call spawns our critic."""
    return tool in ("Agent", "Task") and args.get("subagent_type") == CRITIC


# --- what is known of the host's tools --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Read:
    """Where a tool that reads has its path, what else it may be given, and what of that names files by a pattern."""

    path: str
    keys: frozenset[str]
    globs: frozenset[str] = frozenset()
    optional: bool = False


_GREP = ("pattern", "type", "output_mode", "-A", "-B", "-C", "-n", "-i", "-o", "context", "head_limit", "offset")
_READS: Mapping[str, _Read] = {
    "Read": _Read("file_path", frozenset({"offset", "limit", "pages"})),
    "Glob": _Read("path", frozenset({"pattern"}), frozenset({"pattern"}), optional=True),
    "Grep": _Read("path", frozenset({*_GREP, "glob", "multiline"}), frozenset({"glob"}), optional=True),
}
_WRITES = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_PATHS = ("file_path", "notebook_path", "path")
_BASH = frozenset({"command", "description", "timeout", "run_in_background"})


# --- paths ------------------------------------------------------------------------------------------------------------


def _readings(path: str, cwd: str, place: Place) -> Iterator[str]:
    """The files that a path may mean. None if nobody can say, as with a relative path from nowhere."""
    if not path or "\0" in path:
        return
    for text in dict.fromkeys((path, path.strip(), unicodedata.normalize("NFC", path))):
        whole = posixpath.join(cwd, text)
        wholes = [whole, posixpath.join(place.home, text[2:])] if text == "~" or text.startswith("~/") else [whole]
        for found in wholes:
            if found.startswith("/"):
                # Links are followed before ``..`` is taken, or after.
                yield place.realpath(found)
                yield place.realpath(posixpath.normpath(found))


def _reaches(path: object, cwd: str, place: Place, folders: list[str]) -> bool:
    readings = list(_readings(path, cwd, place)) if isinstance(path, str) else []
    # Some disks do not tell large letters from small ones.
    return not readings or any(
        _lies_in(reading.casefold(), folder.casefold()) for reading in readings for folder in folders
    )


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _wanders(pattern: object) -> bool:
    """Whether a pattern of files may match some that are not below the folder it is applied to."""
    return (
        not isinstance(pattern, str) or pattern[:1] in ("/", "~") or any(mark in pattern for mark in ("..", "{", "\\"))
    )


# --- commands ---------------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[A-Za-z0-9_./:,@+=-]+(?: [A-Za-z0-9_./:,@+=-]+)*", re.ASCII)
_COMMANDS: Mapping[tuple[str, ...], frozenset[str]] = {
    ("mcp-assay", "host", "start"): frozenset({"--name", "--scenarios", "--call-budget", "--wallclock-budget"}),
    ("mcp-assay", "host", "show"): frozenset({"--wait"}),
    ("mcp-assay", "host", "stop"): frozenset(),
    ("mcp-assay", "status"): frozenset(),
}
"""Our commands that start no program that is named on their command line and answer no question, and their options."""


def _fits(words: list[str], form: tuple[str, ...]) -> bool:
    options = (word.partition("=")[0] for word in words[len(form) :] if word.startswith("-"))
    return tuple(words[: len(form)]) == form and all(option in _COMMANDS[form] for option in options)

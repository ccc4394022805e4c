"""Servers that are named on our own command line. Naming one is consent to start it."""

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath

from mcp_assay.core import redact
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import UserError

__all__ = ["COMMAND_LINE", "servers"]

COMMAND_LINE = "command line"
"""The source of a server that was named on the command line: naming it is consent to start it."""

_LAUNCHER = re.compile(r"npx|uvx|pnpx|pnpm|bunx|bun|node|uv|deno|docker|podman|python(?:\d(?:\.\d+)?)?")
_WORDS_OF_LAUNCHERS = {"run", "tool", "exec", "dlx"}
_FLAGS_WITH_VALUE = {"-c", "-e", "-p", "-v", "--directory", "--env", "--env-file", "--from", "--index", "--mount"}
_FLAGS_WITH_VALUE |= {"--name", "--network", "--project", "--publish", "--python", "--user", "--volume", "--with"}
_VERSION_OR_TAG = re.compile(r"[@:].*")
_URL = re.compile(r"https?://", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def servers(named: tuple[str, ...], command: tuple[str, ...]) -> tuple[ServerConfig, ...]:
    """The servers of the command line, run from the current folder as any command there.

    ``named`` are the values of ``--server``, each NAME=COMMAND or NAME=URL, ``command`` is what follows ``--``. Raises
    UserError.
    """
    found = [_named(text) for text in named]
    if command:
        found.append(_config(_name_of(command), list(command)))
    names = [server.name for server in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"--server {twice}: named twice; give each server a name of its own")
    return tuple(found)


def _named(text: str) -> ServerConfig:
    name, equals, line = text.partition("=")
    try:
        words = shlex.split(line)
    except ValueError as bad:
        raise UserError(f"--server {name}: {bad}") from None
    if not equals or not name or not words:
        raise UserError("--server needs NAME=COMMAND or NAME=URL, for example --server time='uvx mcp-server-time'")
    if _URL.match(words[0]):
        if len(words) > 1:
            raise UserError(f"--server {name}: a URL takes no arguments; put headers into a configuration file")
        return ServerConfig(name, COMMAND_LINE, Transport.HTTP, url=words[0])
    return _config(name, words)


def _config(name: str, words: list[str]) -> ServerConfig:
    return ServerConfig(name, COMMAND_LINE, command=words[0], args=tuple(words[1:]), cwd=str(Path.cwd()))


def _name_of(command: Sequence[str]) -> str:
    """``npx -y @scope/server-x@1`` is ``server-x``; ``python -m pkg.server`` is ``pkg.server``; else the program.

    The name is shown everywhere, so a word that may hold a secret never becomes one.
    """
    program, *rest = command
    words = [program]
    if _LAUNCHER.fullmatch(PurePosixPath(program).name):
        words = [word for before, word in pairwise(["", *rest]) if not _is_option(before, word)] + words
    names = map(_stem, words)
    return next((name for name in names if _NAME.fullmatch(name) and not redact.looks_secret(name)), "server")


def _stem(word: str) -> str:
    name = _VERSION_OR_TAG.sub("", PurePosixPath(word).name)
    return name.removesuffix(".py").removesuffix(".js").removesuffix(".mjs")


def _is_option(before: str, word: str) -> bool:
    """Whether a launcher's argument is a flag, a flag's value, or a word such as ``run``, rather than what it runs."""
    return word.startswith("-") or before in _FLAGS_WITH_VALUE or word in _WORDS_OF_LAUNCHERS

"""From a server's config entry and an environment to exactly what is started, and with which variables.

A server sees a small safe base of the user's environment, what its entry sets, and what the user allowed by name:
never the whole environment, which is where the user's other secrets are.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from mcp_assay.core.model import ServerConfig

__all__ = ["SAFE_BASE", "Launch", "child_environment", "expand", "launch", "wanted"]

SAFE_BASE = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
    }
)
"""Passed on if set, as is every ``LC_*``: what a program needs to find its files and speak the user's language."""

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_SHOUTED = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])")
# Error output is full of shouted words (MODULE_NOT_FOUND, ERR_INVALID_URL) and may hold secrets: a word that the user's
# environment does not know counts only if it ends like a variable.
_TYPICAL = re.compile(
    r"(?!ERR_).*_(?:ACCOUNT|BASE|BUCKET|CONFIG|CREDENTIALS|DATABASE|DB|DIR|DOMAIN|DSN|EMAIL|ENDPOINT|ENV|FILE|HOME|HOST|"
    r"ID|KEYS?|LOGIN|NAME|ORG|ORGANIZATION|PASS|PASSWD|PASSWORD|PAT|PATH|PORT|PROFILE|PROJECT|REGION|ROOT|SECRET|SERVER|"
    r"SITE|TEAM|TENANT|TOKEN|URI|URL|USER|USERNAME|WEBHOOK|WORKSPACE)"
)


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started, after expansion. ``unset`` names the variables that were referred to but are not set."""

    command: str
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()


def expand(text: str, environ: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Replace ``${VAR}`` and ``${VAR:-default}`` once. Gives the text and the names that had neither value nor default.

    Such a reference stays as it stands, which is what the hosts do; values are not expanded again.
    """
    unset: list[str] = []

    def value(reference: re.Match[str]) -> str:
        name, default = reference.group(1, 2)
        if name in environ:
            return environ[name]
        if default is not None:
            return str(default)
        unset.append(name)
        return reference.group()

    return _REFERENCE.sub(value, text), tuple(unset)


def launch(config: ServerConfig, environ: Mapping[str, str], allowed: Collection[str] = ()) -> Launch:
    """Expand a stdio entry's command, arguments, working directory and variables. ``config.command`` must be set."""
    unset: dict[str, None] = {}

    def filled(text: str) -> str:
        result, missing = expand(text, environ)
        unset.update(dict.fromkeys(missing))
        return result

    command = filled(config.command or "")
    args = tuple(filled(arg) for arg in config.args)
    cwd = None if config.cwd is None else filled(config.cwd)
    own = {name: filled(value) for name, value in config.env.items()}
    return Launch(command, args, cwd, child_environment(environ, own, allowed), tuple(unset))


def child_environment(
    environ: Mapping[str, str], own: Mapping[str, str], allowed: Collection[str] = ()
) -> dict[str, str]:
    """The safe base and the allowed names of ``environ``, then the entry's own variables over them."""
    passed = {
        name: value for name, value in environ.items() if name in SAFE_BASE or name.startswith("LC_") or name in allowed
    }
    return {**passed, **own}


def wanted(complaint: str, given: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that a dying server's error output names and that it was not given, in order, each once.

    Only names: a word that is part of a value that the server was given is never among them.
    """
    words = dict.fromkeys(match.group() for match in _SHOUTED.finditer(complaint))
    return tuple(
        word
        for word in words
        if word not in given
        and (word in environ or _TYPICAL.fullmatch(word))
        and not any(word in value for value in given.values())
    )

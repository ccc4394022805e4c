"""Does a mutating call stay inside the test resources? Its raw arguments against the entries the user listed.

``literal`` is the specification's rule to the letter, but for blank strings, which are substrings of everything.
``strict`` closes what that rule leaves open ("a" is a substring of almost everything, and one match lets every other
argument through). It permits a call only if

1. at least one string anywhere in the arguments equals an entry or a whole identifier embedded in it, and
2. every argument that addresses a resource (see ``addressing``) is covered by an entry.

A number that addresses must be covered too, but does not count for (1): the specification compares strings only. So
``strict`` permits nothing that ``literal`` refuses, with one exception: what lies under a path entry ending in ``/**``.
This restricts a call's arguments, not what the server's process does with them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_assay.core import paths
from mcp_assay.core.addressing import addresses
from mcp_assay.core.arguments import Argument, TooDeepError, arguments
from mcp_assay.core.model import Match, Tool

__all__ = ["Held", "check", "could_match", "identifiers"]


@dataclass(frozen=True, slots=True)
class Held:
    """Whether the sandbox holds; ``why`` is one sentence that names arguments, never their values."""

    ok: bool
    why: str


def _as_written(path: str) -> str:
    return path


def check(
    args: Mapping[str, Any],
    schema: Mapping[str, Any],
    resources: Sequence[str],
    match: Match,
    *,
    realpath: Callable[[str], str] = _as_written,
) -> Held:
    """Hold one call's raw arguments against the test resources; ``schema`` is the tool's input schema.

    ``realpath`` resolves the links in an absolute path. Never raises for what a driver or a server sent.
    """
    if not any(entry.strip() for entry in resources):
        return Held(ok=False, why="no test resource is listed for this MCP")
    try:
        found = list(arguments(args, schema))
    except TooDeepError:
        return Held(ok=False, why="the arguments are too large or too deeply nested to be checked")
    return _literal(found, resources) if match is Match.LITERAL else _strict(found, _Sandbox.of(resources, realpath))


def identifiers(entry: str) -> frozenset[str]:
    """An entry, and the whole identifiers embedded in it: what follows a ``/``, a ``:`` or a blank.

    ``repo: acme/play`` holds ``acme/play`` and ``play``; an absolute path or a URL holds no part of itself.
    """
    rest = entry.strip()
    found = {entry, rest} if rest else set()
    while not paths.is_absolute(rest) and (edge := _EDGE.search(rest)):
        rest = rest[edge.end() :]
        if edge.group()[0] == "/" and rest.startswith("/"):
            break
        if any(char.isalnum() for char in rest):
            found.add(rest)
    return frozenset(found)


_EDGE = re.compile(r"[/:\s][:\s]*")


def could_match(tool: Tool, resources: Sequence[str] = ()) -> bool:
    """Whether any arguments of this tool could satisfy ``strict``: it takes a string that the user may choose.

    With ``resources``, a parameter whose values the schema enumerates counts only if one of them is an identifier.
    """
    known = frozenset[str]().union(*map(identifiers, resources))
    properties = tool.input_schema.get("properties")
    others = tool.input_schema.get("additionalProperties", False)
    members = list(properties.values()) if isinstance(properties, Mapping) else []
    return any(_takes_a_match(member, known, 0) for member in [*members, others])


# --- literal -----------------------------------------------------------------------------------------------------


def _literal(found: Sequence[Argument], resources: Sequence[str]) -> Held:
    # "Inspect every value in the args object that is a string." "the arg value is a substring of a test_resources[]
    # entry … The reverse direction … does not match"
    strings = [argument.value for argument in found if argument.is_text and argument.value.strip()]
    if any(text in entry for text in strings for entry in resources):
        return Held(ok=True, why="an argument matches a test resource")
    return Held(ok=False, why="no argument matches a test resource")


# --- strict ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sandbox:
    """``names`` are all entries' identifiers, ``roots`` the folders of entries that end in ``/**``."""

    names: frozenset[str]
    roots: tuple[str, ...] = ()
    realpath: Callable[[str], str] = field(default=_as_written)

    @classmethod
    def of(cls, resources: Sequence[str], realpath: Callable[[str], str]) -> "_Sandbox":
        names = frozenset[str]().union(*map(identifiers, resources))
        roots = (name.removesuffix("**") for name in names if name.endswith("/**"))
        return cls(names, tuple(sorted(filter(paths.is_absolute, roots))), realpath)

    def holds(self, value: object) -> bool:
        """Whether a value by itself is an identifier of an entry, or lies under a ``/**`` entry."""
        if isinstance(value, str):
            return value in self.names or any(paths.lies_under(value, root, self.realpath) for root in self.roots)
        return isinstance(value, int | float) and value is not True and str(value) in self.names


def _strict(found: Sequence[Argument], sandbox: _Sandbox) -> Held:
    addressing = [argument for argument in found if addresses(argument.noun, argument.value)]
    covered = [_covered(argument, addressing, sandbox) for argument in addressing]
    containers = [
        argument for argument, held in zip(addressing, covered, strict=True) if held and argument.noun.contains
    ]
    for argument, held in zip(addressing, covered, strict=True):
        if not held and not _inside(argument, containers, sandbox):
            return Held(ok=False, why=f"argument {argument.shown} is not covered by a test resource")
    if not any(argument.is_text and sandbox.holds(argument.value) for argument in found):
        return Held(ok=False, why="no string argument is a test resource or a whole identifier in one")
    return Held(ok=True, why="every argument that addresses a resource is covered by a test resource")


def _covered(argument: Argument, addressing: Sequence[Argument], sandbox: _Sandbox) -> bool:
    partners = list(_partners(argument, addressing))
    if not partners:
        return sandbox.holds(argument.value)
    # An owner and a repository are one address: what is listed for another pair covers neither of them.
    return all(not _pair(argument, partner).isdisjoint(sandbox.names) for partner in partners)


def _partners(argument: Argument, addressing: Sequence[Argument]) -> Iterator[Argument]:
    """The owners given beside a repository, or the repositories beside an owner: same object, same role."""
    if not (argument.noun.owns or argument.noun.owned):
        return
    for other in addressing:
        is_other_half = other.noun.owned if argument.noun.owns else other.noun.owns
        if is_other_half and other.parent == argument.parent and other.noun.role == argument.noun.role:
            yield other


def _pair(one: Argument, other: Argument) -> set[str]:
    """``owner/repo``; a repository argument that already spells it out stands if the owner is the same."""
    owner, repo = (str(one.value), str(other.value)) if one.noun.owns else (str(other.value), str(one.value))
    if not owner.strip() or not repo.strip():
        return set()
    return {f"{owner}/{repo}"} | ({repo} if repo.startswith(f"{owner}/") else set())


def _inside(argument: Argument, containers: Sequence[Argument], sandbox: _Sandbox) -> bool:
    """Whether a relative path lies in a covered container: one in the same object, or in one around it."""
    if not argument.noun.may_be_relative or not isinstance(argument.value, str):
        return False
    around = [c for c in containers if c is not argument and argument.parent[: len(c.parent)] == c.parent]
    return bool(around) and all(_stays(argument.value, container.value, sandbox) for container in around)


def _stays(path: str, container: object, sandbox: _Sandbox) -> bool:
    if not paths.is_contained(path):
        return False
    folder = str(container)
    return not folder.startswith("/") or paths.lies_under(f"{folder}/{path}", folder, sandbox.realpath)


# --- could_match -------------------------------------------------------------------------------------------------


def _takes_a_match(schema: object, known: frozenset[str], depth: int) -> bool:
    """Whether a value of this schema may hold a matching string. What cannot be told counts as yes."""
    if not isinstance(schema, Mapping) or "$ref" in schema or depth > _MAX_SCHEMA_DEPTH:
        return schema is not False
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list):
        return any(isinstance(value, str) and (not known or value in known) for value in values)
    inner = [branch for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list) for branch in schema[word]]
    if not inner:
        kinds = schema.get("type", "string")
        if "string" in (kinds if isinstance(kinds, list) else [kinds]):
            return True
        inner = _members(schema, kinds)
    return any(_takes_a_match(part, known, depth + 1) for part in inner)


_MAX_SCHEMA_DEPTH = 32


def _members(schema: Mapping[str, Any], kinds: object) -> list[object]:
    """The schemas of what a list or an object holds; ``True`` for what is not declared."""
    kinds = kinds if isinstance(kinds, list) else [kinds]
    found: list[object] = [schema.get("items", True)] if "array" in kinds else []
    if "object" in kinds:
        properties = schema.get("properties")
        declared = list(properties.values()) if isinstance(properties, Mapping) else []
        found += [*declared, schema.get("additionalProperties", not declared)]
    return found

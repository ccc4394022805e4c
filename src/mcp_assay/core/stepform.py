"""The form of a scenario's ``steps``: what each key must be. What a step does is ``steps``'s matter."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.model import Step
from mcp_assay.core.naming import is_mcp
from mcp_assay.core.problems import Problems, did_you_mean

__all__ = ["Place", "read_steps"]

_STEP_KEYS = ("tool", "args", "save", "expect", "justification")
_EXPECT_KEYS = ("is_error", "equals", "schema")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands, for complaints: ``key`` is how the user knows it (``entry 2, step 1``)."""

    problems: Problems
    line_of: Callable[[tuple[str | int, ...]], int | None]
    path: tuple[str | int, ...]
    key: str

    def inner(self, *path: str | int, key: str = "") -> "Place":
        return Place(self.problems, self.line_of, (*self.path, *path), f"{self.key}, {key}" if key else self.key)

    def complain(self, message: str, *path: str | int) -> None:
        self.problems.add(message, self.line_of((*self.path, *path)), self.key)


def read_steps(value: object, place: Place) -> tuple[Step, ...]:
    """A scenario's steps. What is wrong goes to ``place.problems``; the steps are of use only if nothing was."""
    if value is None:
        return ()
    if not isinstance(value, list):
        place.complain("steps must be a list")
        return ()
    known: set[str] = set()
    steps = [_step(item, place.inner(index, key=f"step {index + 1}"), known) for index, item in enumerate(value)]
    return tuple(step for step in steps if step is not None)


def _step(item: object, place: Place, known: set[str]) -> Step | None:
    """One step; ``known`` are the names that earlier steps save, and gains those of this one."""
    if not isinstance(item, dict):
        place.complain("must be an object with a tool")
        return None
    _refuse_unknown(item, _STEP_KEYS, place)
    tool, justification = item.get("tool"), item.get("justification")
    if not isinstance(tool, str) or not tool.strip():
        place.complain("tool must be the name of a tool, such as mcp__server__tool", "tool")
        tool = ""
    if not isinstance(justification, str | None):
        place.complain("justification must be a string; quote it", "justification")
    elif tool and not is_mcp(tool) and not (justification or "").strip():
        # The rule: "justification is required when is_mcp: false."
        place.complain("a tool that is no MCP tool needs a justification", "tool")
    args, save = _args(item, place, known), _save(item, place)
    expect = _expect(item, place)
    known.update(save)
    return Step(tool, args, save, expect, justification if isinstance(justification, str) else None)


def _args(item: dict[str, Any], place: Place, known: set[str]) -> dict[str, Any]:
    args = _table(item, "args", place)
    if not _is_json(args):
        place.complain("args: a date, a time or a number that is not finite; quote it", "args")
    for name in sorted(set(_references(args)) - known):
        place.complain(f"args: ${{{name}}} is not saved by an earlier step{did_you_mean(name, known)}", "args")
    return args


def _save(item: dict[str, Any], place: Place) -> dict[str, str]:
    save = _table(item, "save", place)
    for name, path in save.items():
        if not _NAME.fullmatch(name):
            place.complain(f"save: {name!r} is not a name of letters, digits and underscores", "save", name)
        if not isinstance(path, str) or not path.startswith("$"):
            place.complain(f"save: {name!r} must be a JSON path that starts with $", "save", name)
    return save


def _expect(item: dict[str, Any], place: Place) -> dict[str, Any]:
    expect = _table(item, "expect", place)
    _refuse_unknown(expect, _EXPECT_KEYS, place.inner("expect"), "expect: ")
    if not isinstance(expect.get("is_error", False), bool):
        place.complain("expect: is_error must be true or false", "expect", "is_error")
    if not isinstance(expect.get("schema", {}), dict):
        place.complain("expect: schema must be a JSON Schema object", "expect", "schema")
    equals = expect.get("equals", {})
    if not isinstance(equals, dict) or not all(path.startswith("$") for path in equals):
        place.complain("expect: equals must map JSON paths that start with $ to values", "expect", "equals")
    if not _is_json(expect):
        place.complain("expect: a date, a time or a number that is not finite; quote it", "expect")
    return expect


def _table(item: dict[str, Any], key: str, place: Place) -> dict[str, Any]:
    value = item.get(key)
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    place.complain(f"{key} must be an object", key)
    return {}


def _refuse_unknown(item: dict[str, Any], known: tuple[str, ...], place: Place, prefix: str = "") -> None:
    for key in item:
        if key not in known:
            place.complain(f"{prefix}unknown key {key!r}{did_you_mean(key, known)}", key)


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _references(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from _REFERENCE.findall(value)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _references(item)

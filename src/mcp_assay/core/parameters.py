"""A tool's parameters as its input schema declares them, each with one plain way to satisfy its schema.

Where a schema offers several ways (``anyOf``, ``oneOf``) the first that is not null is taken; local references are
followed, remote ones are not. A schema is a server's own text: whatever is odd in it declares nothing. Never raises.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.model import Tool

__all__ = ["Parameter", "flat", "member", "members", "parameters"]

_MAX_PARAMETERS = 200  # of one tool; later ones are optional to us, or make the tool one that cannot be driven
_MAX_DEPTH = 16  # of references and branches followed at one place
_TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True, slots=True)
class Parameter:
    """``schema`` is flat: no reference, no combinator. ``root`` is the schema it came from, for nested references."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    root: Mapping[str, Any]

    @property
    def type(self) -> str:
        """The JSON type, ``""`` where none is declared. Of several the first that is not null."""
        declared = self.schema.get("type")
        kinds = declared if isinstance(declared, list) else [declared]
        return next((kind for kind in kinds if kind in _TYPES), "")

    @property
    def description(self) -> str:
        text = self.schema.get("description")
        return text[:2_000] if isinstance(text, str) else ""

    @property
    def takes_text(self) -> bool:
        return self.type in ("string", "")

    @property
    def takes_number(self) -> bool:
        return self.type in ("integer", "number", "")

    @property
    def is_free(self) -> bool:
        """Whether the schema leaves the value open: no enumeration, format or pattern that it has to keep to."""
        return not any(word in self.schema for word in ("enum", "const", "format", "pattern"))


def parameters(tool: Tool) -> tuple[Parameter, ...]:
    """The top-level parameters, those that are required first."""
    return tuple(members(tool.input_schema, tool.input_schema))


def members(schema: object, root: Mapping[str, Any]) -> Iterator[Parameter]:
    """The declared and required members of an object schema."""
    shape = flat(schema, root)
    declared = shape.get("properties")
    table = declared if isinstance(declared, Mapping) else {}
    listed = shape.get("required")
    required = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    names = list(dict.fromkeys([*(name for name in table if isinstance(name, str)), *required]))
    needed = frozenset(required)
    # What must be given comes first where there are too many to look at.
    for name in sorted(names, key=lambda name: name not in needed)[:_MAX_PARAMETERS]:
        yield member(name, table.get(name), root, required=name in needed)


def member(name: str, schema: object, root: Mapping[str, Any], *, required: bool = True) -> Parameter:
    """One parameter, or one item of a list, with its schema made flat."""
    return Parameter(name, flat(schema, root), required, root)


def flat(schema: object, root: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any]:
    """One plain way to satisfy a schema; what is written beside a reference or a branch goes before what is in it."""
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return {}
    merged: dict[str, Any] = {}
    for part in _ways(schema, root):
        _merge(merged, flat(part, root, depth + 1))
    own = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
    return _merge(merged, own)


def _merge(merged: dict[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """Add a part's keywords; properties and required names add up, others are replaced."""
    for key, value in part.items():
        known = merged.get(key)
        if key == "properties" and isinstance(known, Mapping) and isinstance(value, Mapping):
            merged[key] = {**known, **value}
        elif key == "required" and isinstance(known, list) and isinstance(value, list):
            merged[key] = [*known, *value]
        else:
            merged[key] = value
    return merged


def _ways(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[object]:
    if isinstance(schema.get("$ref"), str):
        yield _target(schema["$ref"], root)
    parts = schema.get("allOf")
    yield from parts[:_MAX_DEPTH] if isinstance(parts, list) else ()
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list):
            yield next((branch for branch in branches if not _is_null(branch)), None)


def _is_null(branch: object) -> bool:
    return isinstance(branch, Mapping) and branch.get("type") == "null"


def _target(reference: str, root: Mapping[str, Any]) -> object:
    """What a local reference (``#/$defs/Filter``) points to; None for any other."""
    if not reference.startswith("#/"):
        return None
    here: object = root
    for step in reference[2:].split("/")[:_MAX_DEPTH]:
        name = step.replace("~1", "/").replace("~0", "~")
        here = here.get(name) if isinstance(here, Mapping) else None
    return here

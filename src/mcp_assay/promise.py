"""Whether a structured result is what the tool's output schema promised.

The schema is the server's, and it runs on our time: its regular expressions are not judged, nothing is fetched for a
``$ref``, and following references has a limit, so that no schema can stop the gate.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, exceptions, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcp_assay.core.model import Tool

__all__ = ["Promises"]

_MOST_BYTES = 1 << 20
_MOST_REFERENCES = 20_000
_follow = Draft202012Validator.VALIDATORS["$ref"]


class _Exhausted(Exception):
    """The schema asks for more work than a result is worth."""


class Promises:
    """The compiled output schemas of one evaluation, each made when it is first needed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Any] = {}
        self._left = 0
        self._class: Any = validators.extend(  # type: ignore[no-untyped-call]
            Draft202012Validator,
            dict.fromkeys(("pattern", "patternProperties", "uniqueItems"), _unjudged) | {"$ref": self._reference},
        )

    def kept(self, server: str, tool: Tool, result: Mapping[str, Any], size: int) -> bool | None:
        """True or False for a result of ``size`` bytes; None where there is no promise or it cannot be judged."""
        if tool.output_schema is None or size > _MOST_BYTES:
            return None
        if "structuredContent" not in result:
            return False
        self._left = _MOST_REFERENCES
        try:
            validator = self._validator(server, tool)
            return None if validator is None else bool(validator.is_valid(result["structuredContent"]))
        except (_Exhausted, Unresolvable, RecursionError):
            return None

    def _validator(self, server: str, tool: Tool) -> Any:
        key = (server, tool.name)
        if key not in self._known:
            try:
                self._class.check_schema(tool.output_schema)
            except (exceptions.SchemaError, RecursionError):
                self._known[key] = None
            else:
                self._known[key] = self._class(_undated(tool.output_schema), registry=Registry())
        return self._known[key]

    def _reference(self, validator: Any, ref: str, instance: object, schema: Any) -> Iterator[Any]:
        self._left -= 1
        if self._left < 0:
            raise _Exhausted
        yield from _follow(validator, ref, instance, schema) or ()


def _unjudged(validator: Any, value: Any, instance: object, schema: Any) -> tuple[()]:  # noqa: ARG001 - the library's signature
    return ()


def _undated(schema: Any) -> Any:
    """The schema without its ``$schema`` marks: each would hand its part to the library's own, unlimited validator."""
    if isinstance(schema, list):
        return [_undated(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _undated(part) for key, part in schema.items() if key != "$schema" or not isinstance(part, str)}

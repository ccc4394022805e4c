"""Whether a structured result is what the tool's output schema promised.

The schema is the server's, and it runs on our time: its regular expressions are not judged, nothing is fetched for a
``$ref``, and the work has a limit, so that no schema can stop the gate.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from jsonschema import Draft202012Validator, exceptions, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcp_assay.core.model import Tool, canonical
from mcp_assay.core.paging import nests_deeper

__all__ = ["Promises"]

_MOST_BYTES = 1 << 20
_MOST_SCHEMA = 64 * 1024
_MOST_WORK = 300_000
"""Keywords that are looked at, and what lists and maps in them hold, for one result: about a second's worth."""
_MESSAGE_SHARE = 100  # an error quotes the value: so many characters of it are as much work as a keyword
_DEEPEST = 40
"""Levels of a schema, and of keywords inside keywords. Where Python's own limit on recursion is met inside the
library's compiled parts, they do not raise: they panic."""
_UNJUDGED = ("pattern", "patternProperties", "uniqueItems", "unevaluatedItems", "unevaluatedProperties")


class _Exhausted(Exception):
    """The schema asks for more work than a result is worth."""


class Promises:
    """The compiled output schemas of one evaluation, each made when it is first needed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Any] = {}
        self._left = self._depth = 0
        judged = {word: self._counted(judge) for word, judge in Draft202012Validator.VALIDATORS.items()}
        self._class: Any = validators.extend(  # type: ignore[no-untyped-call]
            Draft202012Validator, judged | dict.fromkeys(_UNJUDGED, _unjudged)
        )

    def kept(self, server: str, tool: Tool, result: Mapping[str, Any], size: int) -> bool | None:
        """True or False for a result of ``size`` bytes; None where there is no promise or it cannot be judged."""
        if tool.output_schema is None or size > _MOST_BYTES:
            return None
        self._left, self._depth = _MOST_WORK, 0
        try:
            validator = self._validator(server, tool)
            if validator is None:
                return None
            return "structuredContent" in result and bool(validator.is_valid(result["structuredContent"]))
        except (_Exhausted, Unresolvable, RecursionError, TypeError, ValueError, ArithmeticError):
            return None

    def _validator(self, server: str, tool: Tool) -> Any:
        key = (server, tool.name)
        if key not in self._known:
            self._known[key] = None
            with suppress(exceptions.SchemaError, RecursionError, TypeError, ValueError):
                if not nests_deeper(tool.output_schema, _DEEPEST) and len(canonical(tool.output_schema)) < _MOST_SCHEMA:
                    self._class.check_schema(tool.output_schema)
                    self._known[key] = self._class(_tamed(tool.output_schema), registry=Registry())
        return self._known[key]

    def _counted(self, judge: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        def counted(validator: Any, value: Any, instance: object, schema: Any) -> Iterator[Any]:
            self._spend(1 + (len(value) if isinstance(value, list | dict) else 0))
            self._depth += 1
            try:
                for error in judge(validator, value, instance, schema) or ():
                    self._spend(len(error.message) // _MESSAGE_SHARE)
                    yield error
            finally:
                self._depth -= 1

        return counted

    def _spend(self, work: int) -> None:
        self._left -= work
        if self._left < 0 or self._depth > _DEEPEST:
            raise _Exhausted


def _unjudged(validator: Any, value: Any, instance: object, schema: Any) -> tuple[()]:  # noqa: ARG001 - the library's signature
    return ()


def _tamed(schema: Any) -> Any:
    """The schema without what would run on the library's own terms.

    Each ``$schema`` would hand its part to the library's unlimited validator. What is left over after patterns is told
    by trying the patterns, so beside ``patternProperties`` it is not judged either.
    """
    if isinstance(schema, list):
        return [_tamed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    gone = {"$schema"} if isinstance(schema.get("$schema"), str) else set()
    if "patternProperties" in schema:
        gone |= {"additionalProperties", "patternProperties"}
    return {key: _tamed(part) for key, part in schema.items() if key not in gone}

"""The arguments of a call one by one, each with what its tool says of it."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.declared import Declared, Leaf, arguments, shown
from mcp_assay.core.model import Tool

__all__ = ["Given", "given"]


@dataclass(frozen=True, slots=True)
class Given:
    """One argument of a call: ``leaf`` as it was given, or its schema's default for one that was not.

    ``text`` is its value without padding, full-width letters as plain ones; ``""`` for what is no text.
    """

    leaf: Leaf
    text: str
    tool: Tool
    server: str
    args: Mapping[str, Any]
    is_default: bool = False

    @property
    def about(self) -> str:
        """The names of the server and the tool, and what the tool and the parameter are described as, in lower case."""
        own = (self.server, self.tool.name, self.tool.description, *self.leaf.declared.descriptions())
        return "\n".join(own).lower()


def given(tool: Tool, server: str, args: Mapping[str, Any]) -> Iterator[Given]:
    """Every argument at any depth, then the defaults of parameters that are not given (blank ones say "none")."""
    for leaf in arguments(args, tool.input_schema):
        yield Given(leaf, _text(leaf.value), tool, server, args)
    declared = Declared.of(tool.input_schema)
    for key in declared.names():
        member = declared.member(key) if args.get(key) is None else None
        for value in member.defaults() if member else ():
            leaf = Leaf(shown(key), key, value, member or declared, defaulted=True)
            yield Given(leaf, _text(value), tool, server, args, is_default=True)


def _text(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return (value if value.isascii() else unicodedata.normalize("NFKC", value)).strip()

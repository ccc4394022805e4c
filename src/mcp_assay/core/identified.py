"""Whether a result says by what name the thing it speaks of can be asked for again: yes or no, never the name."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from mcp_assay.core.content import Body
from mcp_assay.core.declared import UNDECLARED, Leaf, leaves
from mcp_assay.core.notation import is_identifier, is_low
from mcp_assay.core.words import tokens, word_set

__all__ = ["echoes", "identifies"]

_MAX_LEAVES = 500
_NAMES = word_set("address code email handle hash href link login path token uri url username")
_TELLING = re.compile(r"[\d#@/_]|\w-\w")
"""What identifiers are written with, and plain words are not."""


def identifies(body: Body) -> bool | None:
    """Of data: whether a member's name says that it identifies something; of prose: whether a word looks so.

    None where neither is there to be read, as of an image. A title or a name may be anybody's.
    """
    if body.data is not None:
        return any(_points(leaf) for leaf in islice(leaves(body.data, UNDECLARED), _MAX_LEAVES))
    if not set(body.kinds) <= {"text"}:
        return None
    return any(_TELLING.search(text) for text in body.texts)


def echoes(body: Body, args: Mapping[str, Any]) -> bool | None:
    """Whether the data repeats a text or an identifier that the call had given, as a record does that names itself.

    A document that is only handed on seldom holds its own path. None where there is no data.
    """
    if body.data is None:
        return None
    given = {leaf.value for leaf in islice(leaves(args, UNDECLARED), _MAX_LEAVES) if _is_telling(leaf)}
    return any(_is_telling(leaf) and leaf.value in given for leaf in islice(leaves(body.data, UNDECLARED), _MAX_LEAVES))


def _is_telling(leaf: Leaf) -> bool:
    return isinstance(leaf.value, str | int) and not is_low(leaf.value, leaf.name)


def _points(leaf: Leaf) -> bool:
    value = leaf.value
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return False
    words = tokens(leaf.name)
    return is_identifier(leaf.name) or (bool(words) and words[-1] in _NAMES)

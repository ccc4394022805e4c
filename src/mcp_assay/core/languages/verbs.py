"""Arguments that say in a word what the call does: HTTP methods, actions, commands, code, files to save to."""

import re
from itertools import pairwise

from mcp_assay.core.languages.given import Given
from mcp_assay.core.languages.roles import Role
from mcp_assay.core.words import CHANGING_VERBS, PERMIT_LIST, tokens

__all__ = ["why_not"]

_HTTP_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_HTTP_WRITES = frozenset({"CONNECT", "COPY", "DELETE", "MKCOL", "MOVE", "PATCH", "POST", "PROPPATCH", "PURGE", "PUT"})
_URLS = frozenset({"endpoint", "uri", "url"})
_JOINTS = frozenset({"and", "or", "then"})
_SHORT = re.compile(r"[A-Z0-9][A-Z0-9_.-]{0,15}")
_EVALUATES = re.compile(r"\b(?:eval|execut|javascript|lua\b|python|runs?\b|script)")
_SAVES = re.compile(r"\bto (?:dump|save|store|write)\b|\bbe (?:downloaded|dumped|exported|saved|stored|written)\b")
_PLACE = re.compile(r"(?:~|\.{0,2})[\\/]|[A-Za-z]:[\\/]|(?!https?:)[A-Za-z][A-Za-z0-9+.-]+:/")
_FILENAME = re.compile(r"[\w./\\-]+\.[A-Za-z]\w{0,4}")
_STREAMS = frozenset({"-", "/dev/stdout"})


def why_not(what: Role, argument: Given) -> str | None:  # noqa: PLR0911 - one return for each role
    """None if the argument, a text that is not blank, leaves the call a read; else why it does not."""
    text = argument.text
    match what:
        case Role.VERB:
            return _http(text)
        case Role.METHOD:
            # A method next to a URL is HTTP's; of a request's methods, the writing ones are known wherever they stand.
            is_http = text.upper() in _HTTP_WRITES or any(key.lower() in _URLS for key in argument.args)
            return _http(text) if is_http else _action(text)
        case Role.ACTION:
            return _action(text)
        case Role.COMMAND:
            return _command(argument)
        case Role.CODE:
            return None if argument.is_default else "it is code"
        case Role.SHORT_CODE:
            return None if argument.is_default or _SHORT.fullmatch(text) else "it may be code"
        case Role.EXPRESSION:
            return "it is evaluated" if _EVALUATES.search(argument.about) else None
        case Role.SAVING:
            return None if argument.is_default or text in _STREAMS else "the answer is saved to it"
        case Role.PLACE:
            return _place(argument)
        case _:
            return None


def _http(text: str) -> str | None:
    return None if text.upper() in _HTTP_READS else "it is not GET, HEAD or OPTIONS"


def _action(text: str) -> str | None:
    """Verbs where verbs stand: ``delete_item``, ``bulk_delete``, ``item.delete``, ``get_or_create``; not ``get_run``.

    A word of no list stands: the tool's own name said that it reads.
    """
    words = tokens(text)
    places = [after for before, after in pairwise(words) if before in _JOINTS]
    if words and words[0] not in PERMIT_LIST:
        places += [*words[:2], words[-1]]
    found = next((word for word in places if word in CHANGING_VERBS), None)
    return f"it says {found}" if found else None


def _command(argument: Given) -> str | None:
    """One of the tool's own choices is an action; anything else is a command line."""
    text = argument.text
    if argument.leaf.value in argument.leaf.declared.choices() or argument.is_default or text.lower() in PERMIT_LIST:
        return _action(text)
    return "it is a command"


def _place(argument: Given) -> str | None:
    """A file to save to, by its parameter's description or because an output looks like one."""
    if argument.is_default or argument.text in _STREAMS:
        return None
    if any(_SAVES.search(text.lower()) for text in argument.leaf.declared.descriptions()):
        return "the answer is saved to it"
    last = tokens(argument.leaf.name)[-1]
    if last in {"dest", "destination"}:
        return "it looks like a place to save to" if _PLACE.match(argument.text) else None
    if last in {"dump", "export", "out", "output", "save", "saved", "saving", "write"}:
        looks = _PLACE.match(argument.text) or _FILENAME.fullmatch(argument.text)
        return "it looks like a place to save to" if looks else None
    return None

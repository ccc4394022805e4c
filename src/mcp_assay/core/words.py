"""The words inside names, the verbs that say what a tool does, and how English inflects them.

``PERMIT_LIST`` and ``DENYLIST`` are the specification's. ``MUTATING_VERBS`` are further verbs that change something
whatever their object is; a verb that reads as often as it changes (open, start, link, resolve, download) is not here.
"""

import re

__all__ = ["DENYLIST", "MUTATING_VERBS", "PERMIT_LIST", "gerund", "past", "third_person", "tokens"]

_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")


def tokens(name: str) -> list[str]:
    """Lowercase words of a snake_case, camelCase, kebab-case or dotted name."""
    return [token.lower() for token in _TOKEN.findall(name)]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# "Prefix permit-list. The first token must be one of"
PERMIT_LIST = _words("list get search read show query fetch describe count head inspect peek status exists diff")

# "Mutating-token denylist. No token in the tool name may exactly equal any of"
DENYLIST = _words(
    """create write delete update push publish send set add remove replace apply run execute move rename patch insert
    merge close cancel archive revoke upload ingest"""
)

MUTATING_VERBS = _words(
    """abort acknowledge activate alter append approve assign attach authorize ban block clear commit copy deactivate
    decline deploy destroy detach disable discard dismiss drop duplicate edit enable enqueue erase evict flush fork
    grant import increment install invite invoke kill launch lock logout mark modify mute overwrite pause pin post
    press promote provision purge put refund register reject reopen reorder reply reset restart restore resume retry
    revert rollback rotate save schedule shutdown stop submit suspend swap sync tag terminate toggle transfer trash
    trigger truncate unarchive unassign unban unblock undelete undo uninstall unlink unlock unmute unpin unregister
    unsubscribe untag upgrade upsert vote wipe"""
)

_DOUBLING = frozenset({"set", "run", "put", "drop", "commit", "submit", "ban", "unban", "tag", "untag", "pin", "unpin"})
_IRREGULAR_PAST = {
    "write": "written",
    "overwrite": "overwritten",
    "send": "sent",
    "set": "set",
    "run": "run",
    "reset": "reset",
}


def third_person(verb: str) -> str:
    """``creates``, ``pushes``, ``applies``."""
    if _ends_in_consonant_y(verb):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def past(verb: str) -> str:
    """The past participle: ``deleted``, ``applied``, ``written``."""
    if verb in _IRREGULAR_PAST:
        return _IRREGULAR_PAST[verb]
    if _ends_in_consonant_y(verb):
        return verb[:-1] + "ied"
    return verb + "d" if verb.endswith("e") else _doubled(verb) + "ed"


def gerund(verb: str) -> str:
    """``deleting``, ``applying``, ``setting``."""
    return verb[:-1] + "ing" if verb.endswith("e") else _doubled(verb) + "ing"


def _doubled(verb: str) -> str:
    return verb + verb[-1] if verb in _DOUBLING or verb == "reset" else verb


def _ends_in_consonant_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2] not in "aeiou"

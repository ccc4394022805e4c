"""The words inside names, the verbs that say what a tool does, and how English inflects them.

``PERMIT_LIST`` and ``DENYLIST`` are the specification's. ``MUTATING_VERBS`` are further verbs that change something
whatever their object is; a verb that reads as often as it changes (open, start, link, resolve, download) is not here.
"""

import re

__all__ = [
    "ACTING_VERBS",
    "CHANGING_VERBS",
    "DENYLIST",
    "DOUBTFUL_VERBS",
    "MUTATING_VERBS",
    "PERMIT_LIST",
    "READING_VERBS",
    "gerund",
    "past",
    "third_person",
    "tokens",
    "word_set",
]

_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")


def tokens(name: str) -> list[str]:
    """Lowercase words of a snake_case, camelCase, kebab-case or dotted name."""
    return [token.lower() for token in _TOKEN.findall(name)]


def word_set(text: str) -> frozenset[str]:
    """A set of words that is written as one text."""
    return frozenset(text.split())


# "Prefix permit-list. The first token must be one of"
PERMIT_LIST = word_set("list get search read show query fetch describe count head inspect peek status exists diff")

# "Mutating-token denylist. No token in the tool name may exactly equal any of"
DENYLIST = word_set(
    """create write delete update push publish send set add remove replace apply run execute move rename patch insert
    merge close cancel archive revoke upload ingest"""
)

MUTATING_VERBS = word_set(
    """abort acknowledge activate alter amend append approve assign attach authorize ban block chmod chown clear clone
    commit copy cordon deactivate decline decr decrement demote deploy deprovision dequeue destroy detach disable
    disarm disassociate discard dismiss downvote drain drop duplicate edit eject enable enqueue erase escalate evict
    finalize flush fork grant import incr increment install invalidate invite invoke kick kill launch lock logout
    mark migrate modify mute nudge overwrite pause pin post press promote provision prune purge put reassign rebase
    reboot rebuild recreate redeem refund regenerate register reindex reinstall reject relocate remind renew reopen
    reorder repay reply reprocess requeue rerun reschedule resend reset restart restore resubmit resume retry
    retweet revert rollback rotate save schedule shutdown snooze squash stop submit subscribe suspend swap symlink
    sync tag terminate toggle transfer trash trigger truncate unarchive unassign unban unbind unblock uncordon
    undelete undeploy undo unfollow unfreeze ungroup uninstall unlike unlink unlock unmount unmute unpin unprotect
    unpublish unregister unset unshare unstar unsubscribe untag unwatch unzip upgrade upsert upvote vote wipe"""
)

CHANGING_VERBS = DENYLIST | MUTATING_VERBS
"""Every verb that changes something: those of the specification and ours."""

READING_VERBS = word_set(
    """analyse analyze browse calculate check compare compute count crawl decompile describe detect determine
    diagnose disassemble discover display estimate explain fetch find forecast get identify inspect list locate look
    lookup measure parse peek poll preview query read retrieve return scan search see show summarize validate view
    wait"""
)
"""Verbs that, as the first of a description, say that the tool reads. One that acts as often is not here: to capture (a
payment), to extract (an archive), to convert (a file), to verify (an account), to evaluate (a script), to report."""

ACTING_VERBS = word_set(
    """acquire allocate book buy change checkin checkout clean click collapse configure confirm connect control deposit
    disconnect double drag dump emulate fill fix focus follow forward hide hover initialize integrate interact join
    leave like login long mutate navigate notify opt order pay place play power protect rate reactivate receive
    record refresh release request reserve resize respond restrict sell setup share sign skip speak star store swipe
    tap track transition turn type visit withdraw"""
)
"""Verbs by which no reading tool names or describes itself, though their object may make them harmless."""

DOUBTFUL_VERBS = word_set(
    """act answer begin build call capture claim complete consume convert do download evaluate exec expand export
    feedback force format generate go handle init input issue log make manage map new open perform pop print
    process report select simulate start take translate use watch"""
)
"""Verbs that read or act by their object: to export a citation, to export a table to a file."""

_DOUBLING = frozenset(
    {"set", "run", "put", "drop", "commit", "submit", "ban", "unban", "tag", "untag", "pin", "unpin", "log", "pop"}
)
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

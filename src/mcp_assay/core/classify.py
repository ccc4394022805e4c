"""Does a tool read or mutate? A verdict, the rule that gave it, and the words it rests on.

Two rule sets. ``spec`` is the specification's rule to the letter. ``extended`` splits names the way servers really
write them (camelCase, kebab-case, dots, a leading server name), listens to annotations, and reads a description for
inflected verbs and phrases ("Marks it as read; this cannot be undone"). Its one bound: a server's own words may veto,
and may lift what no rule decided to a read, but they never pardon a mutating name.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from mcp_assay.core.model import Rules, Tool, Verdict
from mcp_assay.core.words import DENYLIST, MUTATING_VERBS, PERMIT_LIST, gerund, past, third_person, tokens

__all__ = ["Classified", "classify", "hints"]

DESCRIPTION_LIMIT = 20_000
"""Characters of a description that are examined. What is longer could hide anything, so it is never a read."""


@dataclass(frozen=True, slots=True)
class Classified:
    """``rule`` is a short kebab-case name; ``words`` are the words of the name or description that it rests on."""

    verdict: Verdict
    rule: str
    words: tuple[str, ...] = ()


def classify(tool: Tool, server: str, rules: Rules) -> Classified:
    """The verdict on one tool of one server. Total: never raises, and the same answer every time."""
    if len(tool.description) > DESCRIPTION_LIMIT:
        by_name = _by_spec_name(tool.name) if rules is Rules.SPEC else _by_name(tool.name, server)
        mutating = by_name.verdict is Verdict.MUTATING
        return by_name if mutating else Classified(Verdict.UNDETERMINED, "description-too-long")
    return _spec(tool) if rules is Rules.SPEC else _extended(tool, server)


def hints(tools: Iterable[Tool]) -> tuple[str, ...]:
    """Names of tools that appear to mutate, for the interview's non-binding hint."""
    # "scan each MCP's tool list for names containing write, delete, create, update, push, publish, send, execute, run"
    marks = ("write", "delete", "create", "update", "push", "publish", "send", "execute", "run")
    return tuple(tool.name for tool in tools if any(mark in tool.name.lower() for mark in marks))


# --- the specification's rule ------------------------------------------------------------------------------------


def _spec(tool: Tool) -> Classified:
    text = tool.description
    # "a description mentioning mutation denies the call even if the name passes"; where it says both, it denies
    if words := _denylist_words(text):
        return Classified(Verdict.MUTATING, "description-denies", words)
    # "a description explicitly saying "read-only" permits the call even if rule 2 denies"
    if said := _first_affirmed(_READ_ONLY, text):
        return Classified(Verdict.READ, "description-read-only", (said,))
    return _by_spec_name(tool.name)


def _by_spec_name(name: str) -> Classified:
    """Rules 1 and 2 over "Split the name on _ into lowercase tokens"."""
    tokens = name.lower().split("_")
    # Rule 2 says "No token in the tool name may exactly equal" one of the denylist
    if denied := tuple(token for token in tokens if token in DENYLIST):
        return Classified(Verdict.MUTATING, "denylist-token", denied)
    # Rule 1 says "The first token must be one of" the permit-list
    if tokens[0] in PERMIT_LIST:
        return Classified(Verdict.READ, "permit-prefix", (tokens[0],))
    return Classified(Verdict.UNDETERMINED, "no-rule")


_WORD = re.compile(r"\w+")
_READ_ONLY = re.compile(r"\b(?:read-only|read only|readonly)\b", re.IGNORECASE)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|non|no longer)|n['\u2019]t)\W+(?:\w+ ){0,3}$", re.IGNORECASE
)


def _denylist_words(text: str) -> tuple[str, ...]:
    """Each denylist token that stands in the text as a whole word, once, in order."""
    return tuple(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word in DENYLIST))


def _first_affirmed(pattern: re.Pattern[str], text: str) -> str | None:
    """The first match that is not denied just before it ("this is not read-only")."""
    for match in pattern.finditer(text):
        if not _DENIED_BEFORE.search(text[max(0, match.start() - 40) : match.start()]):
            return match.group().strip().lower()
    return None


# --- the extended rules ------------------------------------------------------------------------------------------


def _extended(tool: Tool, server: str) -> Classified:
    by_name = _by_name(tool.name, server)
    if by_name.verdict is Verdict.MUTATING:
        return by_name
    veto = _annotation_veto(tool) or _description_veto(tool.description)
    if veto is not None:
        return veto
    return by_name if by_name.verdict is Verdict.READ else _lift(tool) or by_name


def _by_name(name: str, server: str) -> Classified:
    if denied := tuple(sorted(_every_token(name) & DENYLIST)):
        return Classified(Verdict.MUTATING, "denylist-token", denied)
    words = _without_server(tokens(name), tokens(server))
    if verbs := tuple(word for word in _verb_positions(words) if word in MUTATING_VERBS):
        return Classified(Verdict.MUTATING, "mutating-verb", verbs)
    # A letter that only looks like another one must not carry a verb past the lists.
    if words and words[0] in PERMIT_LIST and name.isascii():
        return Classified(Verdict.READ, "permit-prefix", (words[0],))
    return Classified(Verdict.UNDETERMINED, "no-rule")


_RUNS = re.compile(r"[a-z]+|[A-Z]+")


def _every_token(name: str) -> set[str]:
    """The words under every way to split: ``get_IDdelete`` has a delete in it, wherever the capitals are meant."""
    runs = {run.lower() for run in _RUNS.findall(name)}
    return runs | set(tokens(name)) | set(name.lower().split("_"))


def _without_server(words: list[str], server: list[str]) -> list[str]:
    """``git_list_branches`` of the server ``git``, or ``git-mcp``, is ``list_branches``.

    A word that is a verb of the lists stays, whatever the server is called, and so does a name's last word.
    """
    own = set(server) - _VERBS
    lead = 0
    while lead < len(words) - 1 and words[lead] in own:
        lead += 1
    return words[lead:]


_VERBS = PERMIT_LIST | DENYLIST | MUTATING_VERBS


def _verb_positions(words: list[str]) -> Iterable[str]:
    """The first word, and what follows an "and", "or" or "then": where a name's verbs stand."""
    return words[:1] + [word for before, word in pairwise(words) if before in _JOINTS]


_JOINTS = frozenset({"and", "or", "then"})


def _annotation_veto(tool: Tool) -> Classified | None:
    """Anything but a plain ``true`` or ``false`` in a hint counts against the tool."""
    if tool.annotations.get("readOnlyHint") not in (None, True):
        return Classified(Verdict.MUTATING, "annotation-denies", ("readOnlyHint",))
    if tool.annotations.get("destructiveHint") not in (None, False):
        return Classified(Verdict.MUTATING, "annotation-denies", ("destructiveHint",))
    return None


def _lift(tool: Tool) -> Classified | None:
    if tool.annotations.get("readOnlyHint") is True:
        return Classified(Verdict.READ, "annotation-read-only", ("readOnlyHint",))
    if said := _first_affirmed(_IS_READ_ONLY, tool.description):
        return Classified(Verdict.READ, "description-read-only", (said,))
    return None


# Of the tool itself: "Read-only.", "A read-only search", "This tool is read-only"; not "sets up a read-only replica".
_IS_READ_ONLY = re.compile(
    r"(?:^|[.!?;:\n]|\b(?:this|it|the|tool|operation|call|action|query|command)\s+is\b|\bthis\b)\s{0,4}"
    r"(?:(?:a|an|strictly|entirely|purely|completely|fully)\s+){0,2}(?:read-only|read only|readonly)\b",
    re.IGNORECASE,
)


def _alternatives(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words)) + ")"


# As third persons these are nouns at least as often ("workflow runs", "recent updates"): only a verb's place counts.
_NOUNS_TOO = frozenset({"set", "update", "run", "move", "push", "patch", "merge", "close", "archive", "upload"})
_OUTRIGHT = frozenset({"modify", "overwrite"})
_UNMISTAKABLE = frozenset(third_person(verb) for verb in (DENYLIST - _NOUNS_TOO) | _OUTRIGHT)
_IN_PLACE = frozenset(third_person(verb) for verb in _NOUNS_TOO | MUTATING_VERBS)
_OPENINGS = _IN_PLACE | MUTATING_VERBS
_ACTS = DENYLIST | _OUTRIGHT | {"mark", "clear", "acknowledge", "drop", "reset"}

_OBJECT = r"(?:the|a|an|it|its|them|this|that|these|those|all|any|each|every|your|one)\b"
_NEGATED = re.compile(
    r"\b(?:does not|doesn['\u2019]t|will not|won['\u2019]t)\s+"
    rf"{_alternatives(DENYLIST)}\b(?:(?:,? (?:or|nor) |, ?|/){_alternatives(DENYLIST)}\b)*",
    re.IGNORECASE,
)
_SET_OF = re.compile(r"\b(?:a|the|this|given|which) (?:\w+ )?set of\b", re.IGNORECASE)
_OPENING = re.compile(r"(?:^|[.!?;:\n])\W{0,8}(\w+)")
_CLAUSE = re.compile(
    rf"\b(?:and|then|also|it|tool|which|that)\s+(?:then\s+|also\s+)?(\w+)\s+(?={_OBJECT})", re.IGNORECASE
)
_EFFECTS = re.compile(
    r"\bcan(?:not|['\u2019]t| not) be (?:undone|reversed)\b|\birreversibl[ey]\b|\bpermanently\b"
    r"|\bmarks? (?:\w+ ){1,4}as\b|\bsaves? (?:\S+ ){0,6}(?:disk|files?)\b"
    rf"|\b(?:will be|gets?|(?:is|are) (?:then|also|automatically)) {_alternatives(map(past, _ACTS))}\b"
    rf"|(?:,|\band|\bthen|\bwhile|\bby) {_alternatives(map(gerund, _ACTS))}\s+(?={_OBJECT})",
    re.IGNORECASE,
)


def _description_veto(text: str) -> Classified | None:
    """What the description says that no reading tool would: "a description mentioning mutation denies"."""
    if words := _denylist_words(text):
        text = _SET_OF.sub(" ", _NEGATED.sub(" ", text))
        words = _denylist_words(text)
    words = words or _inflected(text) or tuple(match.group().lower() for match in _EFFECTS.finditer(text))
    return Classified(Verdict.MUTATING, "description-denies", words[:5]) if words else None


def _inflected(text: str) -> tuple[str, ...]:
    """Third persons: the unmistakable ones anywhere, the others at a sentence's start or before an object."""
    words = [word for word in _WORD.findall(text.lower()) if word in _UNMISTAKABLE]
    openings = [word.lower() for word in _OPENING.findall(text)]
    # The very first word may also be an imperative ("Submit feedback"); later ones are advice to the caller.
    words += [word for word in openings[:1] if word in _OPENINGS]
    words += [word for word in openings[1:] if word in _IN_PLACE]
    words += [word for word in map(str.lower, _CLAUSE.findall(text)) if word in _IN_PLACE]
    return tuple(dict.fromkeys(words))

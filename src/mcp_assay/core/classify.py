"""Does a tool read or mutate? A verdict, the rule that gave it, and the words it rests on.

Two rule sets. ``spec`` is the specification's rule to the letter. ``extended`` weighs, in this order:

1. The name, split the way servers really write them (camelCase, kebab-case, dots, a leading server name). A mutating
   word in it decides, and nothing that the server says pardons it.
2. Vetoes: an annotation, a schema that offers a mutating action or always writes a file, and what the description says
   that the tool does. A name that reads, or ``readOnlyHint``, is held against the description's claims only, any other
   name against every mention of a mutating verb (``claims``).
3. A name that reads: at its start (``list_rows``), or at its end (``row_list``) with support.
4. Support for a name that says nothing: ``readOnlyHint``, "read-only", or a description that begins with a reading verb
   where no parameter takes a program or a text to store.

What is left is undetermined.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from mcp_assay.core.accepts import Accepts, accepts, names_language
from mcp_assay.core.claims import LIMIT, denied, denylisted, described
from mcp_assay.core.model import Rules, Tool, Verdict
from mcp_assay.core.words import (
    ACTING_VERBS,
    CHANGING_VERBS,
    DENYLIST,
    DOUBTFUL_VERBS,
    MUTATING_VERBS,
    PERMIT_LIST,
    tokens,
)

__all__ = ["Classified", "classify", "hints"]


@dataclass(frozen=True, slots=True)
class Classified:
    """``rule`` is a short kebab-case name; ``words`` are the words of the name or description that it rests on."""

    verdict: Verdict
    rule: str
    words: tuple[str, ...] = ()


def classify(tool: Tool, server: str, rules: Rules, siblings: Iterable[Tool] = ()) -> Classified:
    """The verdict on one tool of one server. Total: never raises, and the same answer every time.

    ``siblings`` are all the tools that the server offers.
    """
    if len(tool.description) > LIMIT:
        by_name = _by_spec_name(tool.name) if rules is Rules.SPEC else _by_name(tool.name, server)
        mutating = by_name.verdict is Verdict.MUTATING
        return by_name if mutating else Classified(Verdict.UNDETERMINED, "description-too-long")
    return _spec(tool) if rules is Rules.SPEC else _extended(tool, server, siblings)


def hints(tools: Iterable[Tool]) -> tuple[str, ...]:
    """Names of tools that appear to mutate, for the interview's non-binding hint."""
    # "scan each MCP's tool list for names containing write, delete, create, update, push, publish, send, execute, run"
    marks = ("write", "delete", "create", "update", "push", "publish", "send", "execute", "run")
    return tuple(tool.name for tool in tools if any(mark in tool.name.lower() for mark in marks))


# --- the specification's rule ------------------------------------------------------------------------------------


def _spec(tool: Tool) -> Classified:
    text = tool.description
    # "a description mentioning mutation denies the call even if the name passes"; where it says both, it denies
    if words := denylisted(text):
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


_READ_ONLY = re.compile(r"\b(?:read-only|read only|readonly)\b", re.IGNORECASE)


def _first_affirmed(pattern: re.Pattern[str], text: str) -> str | None:
    """The first match that is not denied just before it ("this is not read-only")."""
    for match in pattern.finditer(text):
        if not denied(match):
            return match.group().strip().lower()
    return None


# --- the extended rules ------------------------------------------------------------------------------------------


def _extended(tool: Tool, server: str, siblings: Iterable[Tool]) -> Classified:
    by_name = _by_name(tool.name, server)
    if by_name.verdict is Verdict.MUTATING:
        return by_name
    accepted = accepts(tool.input_schema)
    veto = _annotation_veto(tool) or _schema_veto(accepted) or _description_veto(tool, accepted, by_name)
    if veto is not None:
        return veto
    if by_name.verdict is Verdict.READ:
        said = described(tool.description)
        verb = said.acts() or (None if tool.annotations.get("readOnlyHint") is True else said.begins())
        return Classified(Verdict.UNDETERMINED, "description-acts", (verb,)) if verb else by_name
    return _lift(tool, server, accepted, siblings) or by_name


def _by_name(name: str, server: str) -> Classified:
    if denied := tuple(sorted(_every_token(name) & DENYLIST)):
        return Classified(Verdict.MUTATING, "denylist-token", denied)
    words = _without_server(tokens(name), tokens(server))
    if verbs := tuple(word for word in _verb_positions(words) if word in MUTATING_VERBS):
        return Classified(Verdict.MUTATING, "mutating-verb", verbs)
    # A letter that only looks like another one must not carry a verb past the lists.
    if words and words[0] in PERMIT_LIST and name.isascii():
        if words[0] in _STATES and words[-1] in MUTATING_VERBS:
            return Classified(Verdict.UNDETERMINED, "verb-at-the-end", (words[0], words[-1]))
        return Classified(Verdict.READ, "permit-prefix", (words[0],))
    return Classified(Verdict.UNDETERMINED, "no-rule")


_STATES = frozenset({"count", "diff", "head", "list", "query", "read", "search", "status"})
"""Of the permit-list, what is a noun as well: ``count_reset`` and ``list_clear`` act on a count and a list."""

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


_VERBS = PERMIT_LIST | CHANGING_VERBS


def _verb_positions(words: list[str]) -> list[str]:
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


def _schema_veto(accepted: Accepts) -> Classified | None:
    """A parameter that offers a mutating action ("operation": get or delete), or a file that every call writes."""
    if accepted.actions:
        return Classified(Verdict.MUTATING, "schema-offers-mutation", tuple(accepted.actions[:5]))
    if accepted.always_saves:
        return Classified(Verdict.MUTATING, "schema-saves", tuple(accepted.always_saves[:5]))
    return None


def _description_veto(tool: Tool, accepted: Accepts, by_name: Classified) -> Classified | None:
    """What the description says that no reading tool would: "a description mentioning mutation denies"."""
    said, says = described(tool.description), _said_read_only(tool) is not None
    # ``query(sql)`` runs what it is given: every mention counts, unless the tool says that it only reads.
    runs = bool(_programs(tool, accepted)) and not (says or said.selects())
    if tool.annotations.get("readOnlyHint") is True or (by_name.verdict is Verdict.READ and not runs):
        # A query in no language that can also write is a reading, as the name says.
        looks = said.runs_a_reading() and not names_language(tool.description)
        words = said.claims(tool.name, read_only=says or looks)
    else:
        words = said.mentions()
    return Classified(Verdict.MUTATING, "description-denies", words) if words else None


def _said_read_only(tool: Tool) -> Classified | None:
    """The tool's own word for it: an annotation, or its description without condition."""
    if tool.annotations.get("readOnlyHint") is True:
        return Classified(Verdict.READ, "annotation-read-only", ("readOnlyHint",))
    if said := described(tool.description).read_only():
        return Classified(Verdict.READ, "description-read-only", (said,))
    return None


def _programs(tool: Tool, accepted: Accepts) -> list[str]:
    """The parameters that take a program: a query counts where the tool speaks of a language that can also write."""
    return accepted.programs + (accepted.queries if names_language(tool.description) else [])


def _lift(tool: Tool, server: str, accepted: Accepts, siblings: Iterable[Tool]) -> Classified | None:
    """Support for a name that decides nothing. None without support."""
    words = _without_server(tokens(tool.name), tokens(server))
    said = described(tool.description)
    if not words or not tool.name.isascii() or said.acts():
        return None
    reads, says = said.reads(), _said_read_only(tool)
    if says is not None:
        return says if reads or ACTING_VERBS.isdisjoint(_verb_positions(words)) else None
    # ``index_rebuild`` names first what it acts on
    if words[-1] in MUTATING_VERBS or _programs(tool, accepted) or accepted.stores or accepted.saves:
        return None
    if words[-1] in PERMIT_LIST and (reads or (words[-1] in _NEVER_STATES and _writes_elsewhere(words[:-1], siblings))):
        return Classified(Verdict.READ, "permit-suffix", (words[-1],))
    verbs = ACTING_VERBS | DOUBTFUL_VERBS - {word for word in words[:1] if said.names(word)}
    if reads and verbs.isdisjoint(_verb_positions(words)):
        return Classified(Verdict.READ, "description-reads", (reads,))
    return None


_NEVER_STATES = frozenset({"describe", "fetch", "get", "list", "query", "search", "show"})
"""Of the permit-list, what a name does not end in for another reason: ``message_read`` may mark it as read."""


def _writes_elsewhere(thing: list[str], siblings: Iterable[Tool]) -> bool:
    """Whether a sibling is named for writing the same thing: ``create_firewall`` beside ``firewall_list``."""
    return any(
        set(thing) <= set(words) and not CHANGING_VERBS.isdisjoint(words)
        for words in (tokens(sibling.name) for sibling in siblings)
        if thing
    )

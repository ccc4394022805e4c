"""What a tool's description says that the tool itself does.

A description speaks of much more than its own tool: of other tools, of how to fill in an argument ("set ``verbose``"),
of what happened to the records before ("deleted rows"). So a verb counts by where it stands. Two readings:

- ``claims`` finds the verbs that the text claims for the tool: its first verb ("Deletes a row"), a verb joined to that
  one ("Gets or creates", "and marks it"), a later sentence with the tool as its subject ("It also sends a copy",
  "Removes the row when done"), an effect ("cannot be undone", "saved to disk", "will be archived").
- ``mentions`` finds every mutating verb that is not plainly denied. It is the careful reading, for a tool of which
  nothing else says that it reads.

What is denied ("does not delete") and what is a participle ("recently updated") is no claim. Nor is it a claim to be
read-only if it holds by default, in a mode, or under a condition.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from mcp_assay.core.words import (
    ACTING_VERBS,
    DENYLIST,
    MUTATING_VERBS,
    READING_VERBS,
    gerund,
    past,
    third_person,
    word_set,
)

__all__ = ["LIMIT", "Description", "denied", "denylisted", "described"]

LIMIT = 20_000
"""Characters of a description that are examined. What is longer could hide anything, so it is never a read."""


class Description:
    """A description, read once. Every question about it is answered from its first ``LIMIT`` characters."""

    __slots__ = ("_begins", "_first", "_first_words", "_later", "_text")

    def __init__(self, text: str) -> None:
        plain = _plain(text)
        self._text = plain.lower()
        self._begins = len(_sentences(plain.lstrip())[0]) + len(plain) - len(plain.lstrip())
        self._first, later = _sentences(_without_preamble(plain))
        self._later = [sentence.lower() for sentence in later]
        self._first_words = _words(self._first)

    def claims(self, name: str, *, read_only: bool) -> tuple[str, ...]:
        """The mutating verbs, or phrases, that the text claims for the tool called ``name``; none if it claims none.

        To run something says what the tool does only by its object: it is no claim where the text or the annotations
        say ``read_only``, or where what is run is the tool's own name.
        """
        found = [*self._head(name, read_only=read_only), *_joined(self._first.lower())]
        found += [word for sentence in self._later for word in _opening(sentence)]
        found += [word for word in _SUBJECT.findall(self._text) if word in _SPOKEN]
        found += [match["verb"] for match in _MODAL.finditer(self._text) if not _CALLER.search(_before(match))]
        return _told([*found, *_effects(self._text)])

    def mentions(self) -> tuple[str, ...]:
        """Each mutating word of the text that is neither denied nor a noun ("a set of")."""
        found = [word for word in _words(self._text) if word in DENYLIST or word in _UNMISTAKABLE]
        openings = _OPENING.findall(self._text)
        # The very first word may also be an imperative ("Submit feedback"); later ones are advice to the caller.
        found += [word for word in openings[:1] if word in _IN_PLACE or word in MUTATING_VERBS]
        found += [word for word in openings[1:] if word in _IN_PLACE]
        found += [word for word in _SUBJECT.findall(self._text) if word in _IN_PLACE]
        found += _joined(self._first.lower())
        return _told([*found, *_effects(self._text)])

    def acts(self) -> str | None:
        """The first verb, if it is of a kind by which no reading tool describes itself ("Clicks", "Checks out")."""
        if by_particle := _ACTS_BY_PARTICLE.match(self._first.lower()):
            return by_particle.group()
        return next((word for word in self._first_words[:1] if word in _ACTING), None)

    def begins(self) -> str | None:
        """The first verb, if by it the tool sets something going ("Starts an export", "Makes the file public")."""
        return next((word for word in self._first_words[:1] if word in _BEGINNING), None)

    def selects(self) -> bool:
        """Whether the first sentence says that what is run is a SELECT, or read-only."""
        return _SELECTS.search(self._first) is not None

    def runs_a_reading(self) -> bool:
        """Whether what the first sentence runs is a search, a query or a report ("Executes a search query")."""
        head, *rest = self._first_words[:_NEAR] or [""]
        return head in _CARRIERS and not _ACTS_OF_READING.isdisjoint(rest)

    def reads(self) -> str | None:
        """The verb by which the first sentence says that the tool reads ("Returns", "Deep search across")."""
        head, *rest = self._first_words[:_NEAR] or [""]
        if head in _READING or (head in _TESTING and rest[:1] and rest[0] in _WHETHER):
            return head
        if head in _NOUNS_OF_READING and rest[:1] == ["of"]:
            return head
        if head in _PERFORMING:
            return next((word for word in rest if word in _ACTS_OF_READING), None)
        if head in _GIVING and not _INFORMATION.isdisjoint(rest):
            return head
        return next((word for word in (head, *rest[:2]) if word in _NOUN_HEADS), None)

    def names(self, word: str) -> bool:
        """Whether the word is a noun of the first sentence: "Shows the commit logs" names a ``log``."""
        return re.search(rf"\b(?:the|a|an|all)\s+(?:\w+\s+)?{re.escape(word)}s?\b", self._first.lower()) is not None

    def read_only(self) -> str | None:
        """The words by which the tool says of itself that it is read-only, without condition."""
        if "only" not in self._text:
            return None
        for match in _IS_READ_ONLY.finditer(self._text):
            if match.group().startswith("(") and match.start() > self._begins:
                continue  # said of an item of a list
            if not denied(match) and not _CONDITION.match(self._text, match.end()):
                return match["said"] or match["runs"]
        return None

    def _head(self, name: str, *, read_only: bool) -> Iterator[str]:
        head = next(iter(self._first_words), "")
        if head not in _HEADS:
            return
        says_so = read_only or self.selects() or name.lower() in self._first_words
        if not (head in _CARRIERS and says_so):
            yield head


@lru_cache(maxsize=4096)
def described(text: str) -> Description:
    """The description, read once however often it is judged."""
    return Description(text)


def denylisted(text: str) -> tuple[str, ...]:
    """Each denylist token that stands in the text as a whole word, once, in order."""
    return tuple(dict.fromkeys(word for word in _words(text) if word in DENYLIST))


def denied(match: re.Match[str]) -> bool:
    """Whether what was found is denied just before it ("this is not read-only")."""
    return _DENIED_BEFORE.search(_before(match)) is not None


def _told(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:5]


# --- the text ---------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"\w+")
_OBJECT = r"(?:the|a|an|it|its|them|this|that|these|those|all|any|each|every|your|one)\b"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _alternatives(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words)) + ")"


_VERB = _alternatives(DENYLIST)
_NEGATED = re.compile(
    r"\b(?:(?:do|does|will|can) ?not|(?:do|does|wo|ca)n['\u2019]t|never|without)\s+(?:\w+ly\s+)?"
    rf"{_VERB}\b(?:(?:,? (?:or|nor) |, ?|/){_VERB}\b)*",
    re.IGNORECASE,
)
_A_SET = re.compile(
    r"\b(?:an?|the|this|given|which|each|any|one)\s+"
    r"(?:(?!(?:can|could|will|may|must|should|to|you|and|or)\b)\w+\s+){0,2}(?:set|merge\s+requests?)\b",
    re.IGNORECASE,
)
# A name in the text ("create-index-for-model", "action=delete", an address) is no verb of it.
_NAME = re.compile(r"https?://\S+|\b\w+(?:[-.=]\w+)+")
_HYPHENATED = re.compile(r"[-.=]")
_STATEMENTS = frozenset({"read-only", "re-read"})


def _plain(text: str) -> str:
    """The text as it is read: one form for each letter, names as one word, without what is denied."""
    text = text[:LIMIT]
    text = text if text.isascii() else unicodedata.normalize("NFKC", text)
    text = _NAME.sub(_as_one_word, text)
    return _A_SET.sub(" ", _NEGATED.sub(" ", text))


def _as_one_word(match: re.Match[str]) -> str:
    name = match.group()
    return name if name.lower() in _STATEMENTS else _HYPHENATED.sub("_", name)


# A line that only wraps does not end a sentence; a blank line, a list item and a capital letter do.
_END = re.compile(r"[.!?;]+(?=\s|$)|\n(?=[ \t]*(?:\n|[-*•#]|\d{1,3}[.)]|[A-Z]))")
_FIRST = 600


def _sentences(text: str) -> tuple[str, list[str]]:
    first, *later = _END.split(text)
    return first[:_FIRST], [sentence for sentence in later if sentence]


_PREAMBLE = re.compile(
    r"""\[[^\]\n]{0,40}\]
      | \w[\w ]{0,30}\s\|\s
      | \W+
      | (?:strictly\s+)?read[- ]?only\b(?=\W)
      | (?:note|important|summary|description|purpose)\s*:
      | use\s+(?:this|it)(?:\s+(?:tool|function|command|endpoint))?\s+(?:to|for)\b
      | (?:(?:this|the|an?|primary|main|simple|convenience)\s+){0,3}
        (?:tool|function|endpoint|command|operation|method|action|api)
        (?:\s+(?:(?:is|can\s+be|may\s+be)\s+)?(?:(?:used|designed|meant)\s+)?(?:to|that|which|for|will|can))?\b(?=\s)
      | (?:(?:is\s+)?used|(?:allows?|enables?|helps?|lets?)(?:\s+(?:you|users?|agents?|an?\s+agent))?)(?:\s+to)?\b
      | (?:\w+ly|always|also|only)\b(?=\s)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _without_preamble(text: str) -> str:
    """From the first word that says something: "[READ] This tool is used to quickly list rows" → "list rows"."""
    at = 0
    while (match := _PREAMBLE.match(text, at)) and match.end() > at:
        at = match.end()
    return text[at:]


_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|non|no longer)|n['\u2019]t)\W+(?:\w+ ){0,3}$", re.IGNORECASE
)


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 40) : match.start()]


# --- what it says that it does: patterns over lower case ------------------------------------------------------------

_NOUNS_TOO = word_set("archive close merge move patch push run set update upload")
"""Denylist verbs that are nouns at least as often ("workflow runs", "recent updates"): only a verb's place counts."""
_OUTRIGHT = frozenset({"modify", "overwrite"})
_ONLY_SAID = word_set("acquire advance cache charge claim consume decrement lease log persist pop record store")
"""Verbs that change something where a tool says them of itself; in a name they are nouns as often."""
_ACTS = DENYLIST | _OUTRIGHT | word_set("acknowledge clear drop mark reset")
_ENDS = (_ACTS - {"execute", "run"}) | word_set("charge claim consume destroy erase increment pop purge")
"""What a call does to a thing where the text says that the thing "is" so; a read may run a statement as well."""
_UNMISTAKABLE = frozenset(third_person(verb) for verb in (DENYLIST - _NOUNS_TOO) | _OUTRIGHT)
_IN_PLACE = frozenset(third_person(verb) for verb in _NOUNS_TOO | MUTATING_VERBS | _ONLY_SAID)
_SPOKEN = _UNMISTAKABLE | _IN_PLACE
_HEADS = DENYLIST | MUTATING_VERBS | _SPOKEN
_NEVER_NOUNS = word_set(
    """acknowledge activate alter amend append approve assign authorize deactivate decline dequeue destroy detach
    disable discard dismiss enable enqueue erase escalate evict finalize invalidate invoke overwrite reassign recreate
    redeem regenerate reject relocate renew reopen restore revert submit subscribe suspend terminate truncate
    unassign"""
)
_BARE = (DENYLIST - _NOUNS_TOO) | _OUTRIGHT | _UNMISTAKABLE | frozenset(map(third_person, _NEVER_NOUNS))
_CARRIERS = word_set("run runs execute executes")

_SELECTS = re.compile(r"\b[Rr]ead[- ]?only\b|\bSELECT\b|\b[Rr]ead (?:\w+ )?quer(?:y|ies)\b")
_JOIN = re.compile(
    r"(?:[,/&+(]|\b(?:and|or|then|but)\b)\s*(?:(?:or|and|then|also|else|\w+ly)\s+){0,2}"
    rf"(?P<verb>\w+)\b(?P<object>\s+{_OBJECT})?"
)


def _joined(sentence: str) -> Iterator[str]:
    """Verbs joined to the first one: alone if they can be nothing else, otherwise with their object."""
    for match in _JOIN.finditer(sentence):
        verb = match["verb"]
        alone = verb in _BARE or (verb in _JOINED and match["object"])
        anew = verb in _BEGINNING | _MAKING and _ANEW.match(sentence, match.end("verb"))
        if (alone or anew) and verb not in _CARRIERS:
            yield verb


# "Updates are listed": a noun.
_LATER = re.compile(
    r"[^\w\s:]{0,4}\s{0,4}(?:(?:it|then|also)\s+){0,2}(?P<verb>\w+)\b(?!\s+(?:are|by|for|in|is|of|that|which)\b)"
)


def _opening(sentence: str) -> Iterator[str]:
    """A later sentence that begins with a third person has the tool as its subject: "Removes the row when done"."""
    match = _LATER.match(sentence)
    if match and match["verb"] in _SPOKEN - _CARRIERS:
        yield match["verb"]


_OPENING = re.compile(r"(?:^|[.!?;:\n])\W{0,8}(\w+)")
_SUBJECT = re.compile(rf"\b(?:and|then|also|it|this|tool|which|that)\s+(?:then\s+|also\s+)?(\w+)\s+(?={_OBJECT})")
_MODAL = re.compile(
    r"\b(?:will|may|can|could|would)\s+(?:(?:also|then|\w+ly)\s+){0,2}"
    rf"(?P<verb>{_alternatives(DENYLIST | _OUTRIGHT)})\b"
)
_CALLER = re.compile(r"\b(?:you|they|we|users?|agents?|callers?|clients?|models?|llms?|assistants?|that|which)\s+$")
# Each with words of which one must stand in the text: most texts have none, and a pattern costs more to try.
_EFFECTS = (
    (("undone", "reversed"), re.compile(r"\bcan(?:not|['\u2019]t| not) be (?:undone|reversed)\b")),
    (("irreversibl", "permanently"), re.compile(r"\birreversibl[ey]\b|\bpermanently\b")),
    (("mark",), re.compile(r"\bmarks? (?:\w+ ){1,4}as\b")),
    (
        ("disk", "file"),
        re.compile(r"\bsaves? (?:\S+ ){0,6}(?:disk|files?)\b|\bsaved (?:\w+ ){0,3}to (?:\w+ ){0,2}disk\b"),
    ),
    (("download",), re.compile(r"\bdownload(?:s?|ing) (?:\S+ ){0,6}to (?:(?:a|the|your) )?(?:disk|downloads|local)\b")),
    (
        ("be ", "get", "then", "also", "automatically"),
        re.compile(rf"\b(?:will be|gets?|(?:is|are) (?:then|also|automatically)) {_alternatives(map(past, _ACTS))}\b"),
    ),
    (
        ("ing ",),
        re.compile(
            r"(?:[,(\u2013\u2014]|\band|\bthen|\bwhile|\bby|\beffect of) ?"
            rf"{_alternatives(map(gerund, _ACTS | MUTATING_VERBS | _ONLY_SAID))}\s+(?={_OBJECT})"
        ),
    ),
    # "they are marked as seen once returned", "if there is none, it is created", "a new one is opened"
    (
        (" is ", " are ", " get"),
        re.compile(
            r"(?:^|[.,;:!?(]\s*)(?:it|they|these|this|(?:the|its|expired|old) (?:\w+ ){1,3})"
            rf" ?(?:is|are|gets?) (?:then )?{_alternatives(map(past, _ENDS))}\b"
        ),
    ),
    (
        ("side effect", "side-effect"),
        re.compile(r"\b(?:has|have) (?!no )(?:\w+ )?side[- ]effects?\b|\bside[- ]effects?:"),
    ),
    (
        ("destructive",),
        re.compile(r"(?<!not )\ba destructive (?:action|call|command|operation|tool)\b|\bis destructive\b"),
    ),
    (
        ("caution: ", "danger: ", "important: ", "note: ", "warning: "),
        re.compile(rf"\b(?:caution|danger|important|note|warning): {_alternatives(_UNMISTAKABLE)}\b"),
    ),
    (("not read",), re.compile(r"(?:^|[.:;!?\n])\s*(?:it is |this is |this tool is )?not read[- ]only\b")),
    (
        ("if ",),
        re.compile(
            r"\bif (?:there (?:is|was) none|none (?:exists?|is found)|(?:it|one) (?:does not|doesn['\u2019]t) exist"
            r"|missing|not found|absent|needed|necessary),? (?:it|one|a new one) (?:is|gets|will be) \w+ed\b"
        ),
    ),
    (("gone", "no longer"), re.compile(r"\bgone for good\b|\b(?:afterwards|then),? (?:\w+ ){0,3}(?:gone|no longer)\b")),
    (("a new ",), re.compile(r"\ba new (?:one|\w+) (?:is|gets|will be) \w+ed\b")),
)


def _effects(text: str) -> Iterator[str]:
    for needed, pattern in _EFFECTS:
        if any(word in text for word in needed):
            yield from (match.group() for match in pattern.finditer(text))


# --- what it says that it reads -------------------------------------------------------------------------------------

_MAKING = word_set("build builds generate generates make makes")
# "or starts one with the text", "and makes it if there is none"
_ANEW = re.compile(r"\s+(?:it|one|a new)\b")
# The first verb of a tool that is named for reading, yet sets something going.
_BEGINNING = word_set("begin begins bring brings kick kicks start starts")
# "Check out a branch", "Browse to a page", "Show a notification", "Issues a new token"
_ACTS_BY_PARTICLE = re.compile(
    r"checks? (?:in|out)\b|browses? to\b|"
    r"(?:display|show)s? an? (?:\w+ )?(?:alert|dialog|notification|popup|toast)\b|"
    r"(?:issue|mint|generate)s? (?:an? |the )?(?:\w+ ){0,2}(?:credentials?|invite|key|password|secret|token)\b"
)

_ACTING = ACTING_VERBS | frozenset(map(third_person, ACTING_VERBS))
_JOINED = _HEADS | _ACTING | _ONLY_SAID | word_set("email emails flag flags")  # verbs before an object only
_READING = READING_VERBS | frozenset(map(third_person, READING_VERBS))
_NEAR = 8
_TESTING = word_set("test tests verify verifies")
_WHETHER = frozenset({"if", "whether"})
_NOUNS_OF_READING = word_set("details overview statistics status summary")
_NOUN_HEADS = frozenset({"search", "lookup"})
_PERFORMING = word_set("perform performs conduct conducts")
_ACTS_OF_READING = _NOUN_HEADS | word_set("analysis comparison query report scan")
# To extract text is to read, to extract an archive is to write; to provide information, but not to provide access.
_GIVING = word_set("extract extracts give gives provide provides")
_INFORMATION = word_set(
    """content contents data details diagnostics entities facts guidance info information keywords links metadata
    overview recommendations statistics status summary tables text"""
)

# Of the tool itself: "Read-only.", "A read-only search", "This tool is read-only"; not "sets up a read-only replica".
_IS_READ_ONLY = re.compile(
    r"(?:^|[.!?;:\n(]|\b(?:this|it|the|tool|operation|call|action|query|command)\s+is\b|\bthis\b)\s{0,4}"
    r"(?:(?:a|an|strictly|entirely|purely|completely|fully)\s+){0,2}(?P<said>read-only|read only|readonly)\b"
    r"|\b(?:run|execute|perform)s?\s+(?:(?:an?|only|custom)\s+){0,2}(?P<runs>read-only|read only|readonly)\b"
)
_CONDITION = re.compile(
    r"\s*(?:[|/]|\(default|,\s*(?:read-)?writ|\(?by default|(?:mode|unless|if|when|except|for|access)\b"
    r"|(?:and|or|/)\s*(?:read-)?writ)"
)

"""Which arguments say *where* a call acts: by the last word of their name, or by what their value looks like.

A name is read as words (``targetRepoId`` → target, repo, id), trailing qualifiers are dropped (id, name, key, slug, …),
the last word that is left is made singular, and looked up in the one list of ``kinds``.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_assay.core.kinds import (
    ADDRESSING,
    BY_NAME_OR_ID,
    COMMANDS,
    CONTENT,
    GLOBAL_IDS,
    IDENTIFYING,
    NAMING,
    NO_IDS,
    OPTIONS,
    PATHS,
    QUERIES,
    WITHIN,
)
from mcp_assay.core.words import tokens, word_set

__all__ = ["Noun", "addresses", "form", "noun", "reason"]


_NAMES = word_set("name names")
_GLUE = word_set("or full")
_NUMBERS = word_set("number numbers num no iid iids")
_QUALIFIERS = IDENTIFYING | _NAMES | _GLUE | _NUMBERS
_OWNERS = word_set("owner org organization organisation namespace group workspace")
_REPOSITORIES = word_set("repo repository project")
_MEASURES = word_set("max min num number limit count total")
_POSITIONS = word_set("index instance from to target source base head")
_FILE_NAMES = word_set("filename dirname")
_NAMED_INSIDE = PATHS | word_set("key prefix object branch ref tag head base")
_COMPOUNDS = {
    ("pull", "request"): "pull",
    ("merge", "request"): "pull",
    ("time", "zone"): "timezone",
    ("connection", "string"): "connection",
    **{(whole, "path"): "worktree" for whole in ("base", "project", "repo", "repository", "root", "workspace")},
}
_KNOWN = ADDRESSING | BY_NAME_OR_ID | CONTENT | NAMING | OPTIONS | QUERIES | COMMANDS | WITHIN.keys()


@dataclass(frozen=True, slots=True)
class Noun:
    """What an argument's name speaks of.

    ``target_repo_id`` is ``Noun("repo", ("target",), qualified=True, by_id=True)``. ``qualified`` by an id or a name;
    ``numbered`` by a number. ``switch``: the schema says that it is a boolean.
    """

    word: str
    before: tuple[str, ...] = ()
    qualified: bool = False
    by_id: bool = False
    numbered: bool = False
    switch: bool = False

    @property
    def addresses(self) -> bool:
        """By itself, whatever is beside it."""
        if self.word in ADDRESSING or (self.qualified and self.word in BY_NAME_OR_ID):
            return True
        return self.identifies

    @property
    def identifies(self) -> bool:
        """Ends in an identifier: of something, if only of what the tool acts on."""
        return (self.by_id or self.word in IDENTIFYING) and self.word not in OPTIONS

    @property
    def wholes(self) -> frozenset[str]:
        """The kinds of place that hold it, if it is a part."""
        if self.by_id and self.word in GLOBAL_IDS:
            return frozenset()
        if self.is_content:
            return frozenset()
        return WITHIN.get(self.word, frozenset())

    def holds(self, part: "Noun") -> bool:
        """Whether a place of this noun holds a part: no ids of its own in a project, no paths in a folder's id."""
        if self.word not in part.wholes or (part.by_id and self.word in NO_IDS):
            return False
        is_path = part.word in PATHS and part.word not in _FILE_NAMES and not part.qualified
        return not (is_path and self.by_id and self.word in PATHS)

    @property
    def commands(self) -> bool:
        """A statement that nothing holds. ``tax_code`` and ``function_name`` are none."""
        return self.word in COMMANDS and not self.qualified and not (self.word == "code" and self.before)

    @property
    def names(self) -> bool:
        """Names what the call acts on if nothing else in the call does."""
        return self.word in NAMING or (self.qualified and self.word not in OPTIONS)

    @property
    def is_content(self) -> bool:
        return self.word in CONTENT and not (self.qualified or self.numbered)

    @property
    def may_be_relative(self) -> bool:
        """A path, or what else lies inside a container under a name of its own: an object's key, a branch."""
        return self.word in _NAMED_INSIDE and (not self.by_id or self.word == "object")

    @property
    def owns(self) -> bool:
        return self.word in _OWNERS

    @property
    def owned(self) -> bool:
        return self.word in _REPOSITORIES

    @property
    def role(self) -> tuple[str, ...]:
        """What tells two pairs of owner and repository apart: nothing, or ``("target",)``."""
        return tuple(word for word in self.before if word not in _REPOSITORIES)

    @property
    def measures(self) -> bool:
        """A number of this name counts or places something (``max_files``): it addresses nothing."""
        placed = self.word in _POSITIONS and not (self.qualified or self.numbered)
        return bool(_MEASURES.intersection(self.before)) or placed


def noun(keys: Sequence[str]) -> Noun:
    """The noun of an argument, from the keys that lead to it: ``["repository", "name"]`` speaks of a repository."""
    dropped: list[str] = []
    for key in reversed(keys):
        words = [part for word in tokens(_IDS.sub("Ids", key)) for part in _parted(word)]
        if len(words) > 1 and words[0] in IDENTIFYING:  # idBoard
            words = [*words[1:], words[0]]
        if len(words) > 1 and words[-1].isdigit() and words[-2] in IDENTIFYING:  # messageId1
            words.pop()
        while words and words[-1] in _QUALIFIERS:
            dropped.append(words.pop())
        if words:
            return _read(words, frozenset(dropped))
    return Noun(_singular(dropped[0])) if dropped else Noun("")


def _parted(word: str) -> list[str]:
    """``chatid`` and ``tablename`` are two words, unless they are listed as one (``filename``)."""
    for qualifier in ("id", "ids", "name"):
        before = word.removesuffix(qualifier)
        if before != word and word not in _KNOWN and before in _KNOWN:
            return [before, qualifier]
    return [word]


_IDS = re.compile(r"IDs(?![a-z])")


def _read(words: Sequence[str], dropped: frozenset[str]) -> Noun:
    word, before = _singular(words[-1]), tuple(words[:-1])
    if before and (before[-1], word) in _COMPOUNDS:
        word, before = _COMPOUNDS[before[-1], word], before[:-1]
    by_id = not IDENTIFYING.isdisjoint(dropped)
    return Noun(word, before, by_id or not _NAMES.isdisjoint(dropped), by_id, not _NUMBERS.isdisjoint(dropped))


def _singular(word: str) -> str:
    """The listed word that this one is the plural of, else the word itself."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in _KNOWN), word)


def addresses(name: Noun, value: object) -> bool:
    """Whether this argument may say where the call acts. ``null`` and ``false`` say nothing."""
    if isinstance(value, str):
        if name.word in _POSITIONS and _DATE.match(value):
            return False
        by_name = name.addresses or bool(name.wholes) or name.commands or name.names
        return by_name or form(value, name) is not None
    if value in (None, False) or name.measures or (name.switch and not _ALL.intersection(name.before)):
        return False
    return name.addresses or (bool(name.wholes) and value is not True)


def reason(name: Noun, value: object) -> str:
    """Why ``addresses`` says so, in words; empty if it does not."""
    if not addresses(name, value):
        return ""
    looks = form(value, name) if isinstance(value, str) else None
    told = (
        (looks, f"its value looks like {looks}"),
        (name.word in QUERIES or name.commands, "a statement says itself what it acts on"),
        (name.word in ADDRESSING, f'"{name.word}" says where a call acts, or on whom'),
        (name.identifies, "its name, or what the schema says of it, is that of an identifier"),
        (name.addresses, f'the name of a "{name.word}" says where a call acts'),
        (name.wholes, f'a "{name.word}" is part of a place'),
    )
    return next((why for holds, why in told if holds), "it names what the call acts on, if nothing else does")


_ALL = word_set("all any every")
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.]+)?(?:Z|[+-][\d:]+)?$")
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|mailto:|data:[^\s,]*,|[\w.+-]+@[\w.-]+:")
_ARN = re.compile(r"arn:", re.IGNORECASE)
_PAIR = re.compile(r"(?=.*?[^\W\d_])[\w.@-]+(?:/[\w.@-]+)+/?")
_EMAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")
_CLUSTERS = word_set("cluster k8s kube kubectl kubernetes")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


def form(text: str, name: Noun) -> str | None:  # noqa: PLR0911 - one return for each form
    """What a value looks like, by whatever name, if that says where. Padding and full-width letters do not hide it."""
    text = unicodedata.normalize("NFKC", text).strip()
    if _ABSOLUTE.match(text):
        return "an absolute path" if len(text.splitlines()) == 1 else None
    if _URL.match(text):
        return "a URL" if len(text.split()) == 1 else None
    if _ARN.match(text):
        return "an ARN" if len(text.split()) == 1 else None
    if name.word in OPTIONS:  # Europe/Oslo and text/plain only look like an owner and a repository
        return None
    if _EMAIL.fullmatch(text):
        return "an e-mail address"
    if _UUID.fullmatch(text):
        return "a UUID"
    if name.word == "context" and _CLUSTERS.issuperset(name.before) and len(text.split()) == 1:
        return "the name of a cluster's context"  # a context of many words is a text
    return "owner/name" if _PAIR.fullmatch(text) else None

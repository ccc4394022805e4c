"""Which arguments say *where* a call acts: by the last word of their name, or by what their value looks like.

A name is read as words (``targetRepoId`` → target, repo, id), trailing qualifiers are dropped (id, name, key, slug, …),
the last word that is left is made singular, and looked up in one list: ``ADDRESSING``.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_assay.core.words import tokens

__all__ = ["ADDRESSING", "BY_NAME_OR_ID", "Noun", "addresses", "noun"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ADDRESSING = _words(
    """account address application app attendee bcc board bucket calendar callback catalog cc channel chat cloud cluster
    collection container conversation cwd database dataset db dest destination device dir directory dirname dirpath disk
    domain drive email endpoint file filename filepath folder from graph group guild host hostname inbox index instance
    invitee keyspace mailbox namespace org organisation organization origin owner parent path pathname phone project
    queue receiver recipient remote repo repository room root server site source space spreadsheet stack stream
    subscription table target team tenant to topic uri url vault volume warehouse webhook workbook workdir workspace
    worktree"""
)
"""Last words of names that address a resource. A branch, a tag or an issue number lies inside one and is not here."""

BY_NAME_OR_ID = _words(
    "base dashboard deployment doc document form list notebook page policy presentation record role script user"
)
"""Last words that address only with a qualifier: ``page_id`` does, ``page`` counts and ``document`` is content."""

_BY_ID = _words("id ids key keys slug slugs uuid uid gid guid identifier")
_QUALIFIERS = _BY_ID | _words("name names full")
_PATHS = _words("path file folder directory dir filename filepath pathname dirname dirpath")
_INSIDE = _words("key prefix object branch ref tag head base")
_CONTAINERS = _words(
    "repo repository project bucket folder directory dir root cwd workdir worktree workspace vault path"
)
_OWNERS = _words("owner org organization organisation namespace group workspace")
_REPOSITORIES = _words("repo repository project")
_MEASURES = _words("max min num number limit count total")
_POSITIONS = _words("index from to")
_NOT_A_PAIR = _words("timezone zone tz type mime format unit")
_KNOWN = ADDRESSING | BY_NAME_OR_ID | _INSIDE | _NOT_A_PAIR


@dataclass(frozen=True, slots=True)
class Noun:
    """What an argument's name speaks of.

    ``target_repo_id`` is ``Noun("repo", ("target",), qualified=True, by_id=True)``.
    """

    word: str
    before: tuple[str, ...] = ()
    qualified: bool = False
    by_id: bool = False

    @property
    def addresses(self) -> bool:
        return self.word in ADDRESSING or (self.qualified and self.word in BY_NAME_OR_ID)

    @property
    def may_be_relative(self) -> bool:
        """A path, or what else lies inside a container: a file, an object's key, a branch."""
        return self.word in _PATHS | _INSIDE and (not self.by_id or self.word == "object")

    @property
    def contains(self) -> bool:
        return self.word in _CONTAINERS

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
        return bool(_MEASURES.intersection(self.before)) or (self.word in _POSITIONS and not self.qualified)

    @property
    def never_a_pair(self) -> bool:
        """``Europe/Oslo`` and ``text/plain`` only look like an owner and a repository."""
        return self.word in _NOT_A_PAIR


def noun(keys: Sequence[str]) -> Noun:
    """The noun of an argument, from the keys that lead to it: ``["repository", "name"]`` speaks of a repository."""
    dropped: list[str] = []
    for key in reversed(keys):
        words = tokens(key)
        while words and words[-1] in _QUALIFIERS:
            dropped.append(words.pop())
        if words:
            return Noun(_singular(words[-1]), tuple(words[:-1]), bool(dropped), not _BY_ID.isdisjoint(dropped))
    return Noun(_singular(dropped[0])) if dropped else Noun("")


def _singular(word: str) -> str:
    """The listed word that this one is the plural of, else the word itself."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in _KNOWN), word)


def addresses(name: Noun, value: object) -> bool:
    """Whether this argument says where the call acts. ``null`` and ``false`` say nothing."""
    if isinstance(value, str):
        if name.addresses:
            return not (name.word in _POSITIONS and _DATE.match(value))
        return _looks_like_resource(value, name)
    return value not in (None, False) and name.addresses and not name.measures


_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.]+)?(?:Z|[+-][\d:]+)?$")
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|mailto:|data:[^\s,]*,|[\w.+-]+@[\w.-]+:")
_ARN = re.compile(r"arn:", re.IGNORECASE)
_PAIR = re.compile(r"(?=.*?[^\W\d_])[\w.@-]+(?:/[\w.@-]+)+/?")


def _looks_like_resource(text: str, name: Noun) -> bool:
    """An absolute path, a URL, an ARN or owner/repo. Padding and full-width letters do not hide one."""
    text = unicodedata.normalize("NFKC", text).strip()
    if _ABSOLUTE.match(text):
        return len(text.splitlines()) == 1
    if _URL.match(text) or _ARN.match(text):
        return len(text.split()) == 1
    return not name.never_a_pair and _PAIR.fullmatch(text) is not None

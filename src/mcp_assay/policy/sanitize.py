"""What must not be in a repository: addresses of people, phone numbers, keys, paths of a computer, private terms.

Looked for in every tracked file and in every reachable commit (author, committer, message). What is meant to be there
is allowed by the file ``.sanitize-allow`` at the root, one entry a line:

    <rule> <where> <pattern>  # <reason>

where <where> is a glob of paths, or ``commits``, and <pattern> a regular expression that must match the whole find.
Private terms are a file outside the repository, one a line; a find says which line, never the term.
"""

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mcp_assay.policy.faults import PolicyError

__all__ = ["ALLOW_FILE", "Hit", "scan"]

ALLOW_FILE = ".sanitize-allow"
_COMMITS = "commits"
_RULES = {
    "email": re.compile(r"(?<![\w.+%-])[\w.+%-]+@(?:[\w-]+\.)+[A-Za-z]{2,}(?![\w-])"),
    "phone": re.compile(
        r"(?<![\w.+-])(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]?\d{2,4}){2,4}"
        r"|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}[.-]\d{3}[.-]\d{4})(?![\w-]|\.\d)"
    ),
    "key": re.compile(
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
        r"|\bgh[opusr]_[A-Za-z0-9]{20,}"
        r"|\bgithub_pat_\w{20,}"
        r"|\bsk-[A-Za-z0-9_-]{16,}"
        r"|\b[rs]k_live_[A-Za-z0-9]{16,}"
        r"|\bglpat-[\w-]{20,}"
        r"|\b(?:hf|npm)_[A-Za-z0-9]{30,}"
        r"|\bxox[a-z]-[A-Za-z0-9-]{10,}"
        r"|\bAIza[\w-]{30,}"
        r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"
    ),
    "local-path": re.compile(
        r"(?<![\w.~-])/(?:home|Users)/[A-Za-z0-9_][\w.-]*"
        r"|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}[\w.-]+"
        r"|(?<![\w./~-])/root(?![\w.-])"
    ),
}
# Names that RFC 2606 and RFC 6761 reserve can belong to nobody; a noreply address is made to be seen.
_RESERVED = re.compile(r"(?:.*\.)?(?:example\.(?:com|net|org)|example|test|invalid|localhost)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hit:
    """``where`` is ``path:line`` or ``commit <id> author`` (committer, message); ``found`` is shortened."""

    rule: str
    where: str
    found: str


@dataclass(frozen=True, slots=True)
class _Text:
    path: str
    """A tracked file's path, or ``commits``."""
    where: str
    content: str


@dataclass(frozen=True, slots=True)
class _Allowed:
    rule: str
    where: str
    pattern: re.Pattern[str]


def scan(repo: Path, private_terms: Path | None) -> list[Hit]:
    """Every hit in the tree and the commits of a git repository. Raises PolicyError for what cannot be read."""
    allowed = _allowances(repo / ALLOW_FILE)
    terms = _terms(private_terms)
    hits: list[Hit] = []
    for text in (*_tree(repo), *_commits(repo)):
        hits += _generic(text, allowed)
        hits += _private(text, terms)
    return hits


# --- rules ------------------------------------------------------------------------------------------------------------


def _generic(text: _Text, allowed: list[_Allowed]) -> Iterator[Hit]:
    for rule, pattern in _RULES.items():
        for found in pattern.finditer(text.content):
            if not _is_allowed(rule, text.path, found[0], allowed):
                yield Hit(rule, _place(text, found.start()), _shortened(found[0]))


def _private(text: _Text, terms: list[tuple[int, str]]) -> Iterator[Hit]:
    if not terms:
        return
    folded = text.content.casefold()
    for number, term in terms:
        start = folded.find(term)
        while start >= 0:
            # Folding never adds a line feed, so lines may be counted in the folded text.
            yield Hit("private-term", _place(text, start, folded), f"line {number} of the private terms")
            start = folded.find(term, start + len(term))


def _is_allowed(rule: str, path: str, found: str, allowed: list[_Allowed]) -> bool:
    if rule == "email" and _belongs_to_nobody(found):
        return True
    return any(
        entry.rule == rule and fnmatchcase(path, entry.where) and entry.pattern.fullmatch(found) for entry in allowed
    )


def _belongs_to_nobody(address: str) -> bool:
    name, _, domain = address.rpartition("@")
    return bool(_RESERVED.fullmatch(domain)) or "noreply" in [*name.lower().split("+"), *domain.lower().split(".")]


def _place(text: _Text, position: int, content: str | None = None) -> str:
    if text.path == _COMMITS:
        return text.where
    return f"{text.where}:{(content or text.content).count(chr(10), 0, position) + 1}"


def _shortened(found: str) -> str:
    return found if len(found) <= 8 else f"{found[:6]}…"  # noqa: PLR2004 - enough to recognise it, too little to use it


# --- what is read -----------------------------------------------------------------------------------------------------


def _tree(repo: Path) -> Iterator[_Text]:
    for name in _git(repo, "ls-files", "-z").split("\0"):
        path = repo / name
        if name and path.is_symlink():
            yield _Text(name, name, str(path.readlink()))  # what git keeps of it
        elif name and path.is_file():  # a deleted file is still in the index
            yield _Text(name, name, path.read_bytes().decode("utf-8", errors="replace"))


def _commits(repo: Path) -> Iterator[_Text]:
    fields = "%H%x00%an <%ae>%x00%cn <%ce>%x00%B%x00"
    if not _git(repo, "for-each-ref", "--count=1"):
        return  # nothing has been committed
    values = _git(repo, "log", "--all", "HEAD", f"--format=tformat:{fields}").split("\0")
    for commit, author, committer, message in zip(*[iter(values)] * 4, strict=False):
        name = f"commit {commit.strip()[:12]}"
        for part, content in (("author", author), ("committer", committer), ("message", message)):
            yield _Text(_COMMITS, f"{name} {part}", content)


def _git(repo: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repo), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=True)
    except FileNotFoundError:
        raise PolicyError("git is not installed; the tree and the commits cannot be read") from None
    except subprocess.CalledProcessError as failed:
        raise PolicyError(f"git {arguments[0]} failed: {failed.stderr.decode(errors='replace').strip()}") from None
    return done.stdout.decode("utf-8", errors="replace")


def _terms(path: Path | None) -> list[tuple[int, str]]:
    """(line, term) of each term, folded; blank lines are none."""
    if path is None:
        return []
    lines = enumerate(_lines(path, "the private terms"), start=1)
    return [(number, line.strip().casefold()) for number, line in lines if line.strip()]


def _allowances(path: Path) -> list[_Allowed]:
    if not path.exists():
        return []
    lines = enumerate(_lines(path, "the allowed finds"), start=1)
    return [_allowance(line, f"{path}:{number}") for number, line in lines if line.strip() and not line.startswith("#")]


def _allowance(line: str, where: str) -> _Allowed:
    entry, _, reason = line.partition("  # ")
    parts = entry.split(maxsplit=2)
    if len(parts) != 3 or parts[0] not in _RULES or not reason.strip():  # noqa: PLR2004 - the three parts
        raise PolicyError(f"{where}: write <rule> <where> <pattern>  # <reason>; rules are {', '.join(_RULES)}")
    try:
        return _Allowed(parts[0], parts[1], re.compile(parts[2].strip()))
    except re.error as bad:
        raise PolicyError(f"{where}: not a regular expression: {bad}") from None


def _lines(path: Path, what: str) -> Iterable[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as bad:
        raise PolicyError(f"{path}: {what} cannot be read: {bad}") from None

"""The lint rules of a dossier, on what the CommonMark parser saw. Each violation has its line and says what to do.

Only ``dossier`` imports this module, when it is first needed.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.policy import markdown, urls
from mcp_assay.policy.markdown import Heading, Link, Outline

__all__ = ["Violation", "lint"]

_SECTIONS = ("Summary", "Findings", "Sources")
_BARE_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S|\bwww\.\w", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(?<!\w)(?:TODO|TBD|FIXME|(?i:lorem))(?!\w)")


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    line: int
    rule: str
    message: str


def lint(text: str) -> list[Violation]:
    """Every violation, by line. Lines count from 1."""
    try:
        seen = markdown.outline(text)
    except markdown.TooDeep:
        return [
            Violation(1, "too-deep", "nested more than a hundred levels; what is below cannot be judged: flatten it")
        ]
    sections = [heading for heading in seen.headings if heading.level == 2 and heading.text in _SECTIONS]  # noqa: PLR2004
    rules = (_title(seen), _required(sections), _links(seen), _bare(seen), _placeholders(seen))
    return sorted(violation for rule in rules for violation in rule)


def _title(seen: Outline) -> Iterator[Violation]:
    # "H1 title first"
    first = seen.headings[0] if seen.begins_with_heading and seen.headings else None
    if first is None or first.level != 1 or not first.text:
        yield Violation(1, "title-first", "begin with a title: # and its words")


def _required(sections: list[Heading]) -> Iterator[Violation]:
    # "`## Summary`, `## Findings`, `## Sources` in that order": each exactly once; others may stand between.
    names = [heading.text for heading in sections]
    for name in _SECTIONS:
        if name not in names:
            yield Violation(1, "section-missing", f"add a section ## {name}")
    for position, heading in enumerate(sections):
        before = names[:position]
        if heading.text in before:
            yield Violation(heading.line, "section-repeated", f"merge this section into the first ## {heading.text}")
        elif late := [name for name in before if _SECTIONS.index(name) > _SECTIONS.index(heading.text)]:
            yield Violation(heading.line, "section-order", f"move ## {heading.text} before ## {late[0]}")


# --- links ------------------------------------------------------------------------------------------------------------


def _links(seen: Outline) -> Iterator[Violation]:
    # "at least one source link; every link canonical and unique within Sources": links elsewhere may be repeated, or
    # lead into this very document
    spans = list(_source_spans(seen))
    first_line: dict[str, int] = {}
    for link in seen.links:
        in_sources = any(link.line in span for span in spans)
        if not in_sources and link.target.startswith("#"):
            continue
        try:
            canonical, removed = urls.canonicalize(link.target)
        except urls.InvalidUrl as bad:
            yield Violation(link.line, "link-invalid", f"the link's target is {bad}")
            continue
        if canonical != link.target:
            yield _not_canonical(link, canonical, removed)
        if in_sources and canonical in first_line:
            message = f"remove this link: {canonical} is already cited in line {first_line[canonical]}"
            yield Violation(link.line, "link-repeated", message)
        if in_sources:
            first_line.setdefault(canonical, link.line)
    if not first_line:
        yield Violation(min((span.start for span in spans), default=1), "no-source", "cite a link below ## Sources")


def _not_canonical(link: Link, canonical: str, removed: list[str]) -> Violation:
    dropped = f" (without {', '.join(removed)})" if removed else ""
    return Violation(link.line, "link-not-canonical", f"write {canonical}{dropped}")


def _source_spans(seen: Outline) -> Iterator[range]:
    """The lines of each Sources section: to the next heading of its level or above, or to the end."""
    tops = [heading for heading in seen.headings if heading.level <= 2]  # noqa: PLR2004 - up to ##
    ends = [heading.line for heading in tops[1:]] + [sys.maxsize]
    for heading, end in zip(tops, ends, strict=False):
        if (heading.level, heading.text) == (2, "Sources"):
            yield range(heading.line, end)


# --- words ------------------------------------------------------------------------------------------------------------


def _bare(seen: Outline) -> Iterator[Violation]:
    # "no bare URLs outside link syntax"; code is quoted, not linked
    for line in seen.lines:
        for _ in _BARE_URL.finditer(line.prose):
            yield Violation(line.number, "bare-url", "make the address a link: [words](address) or <address>")


def _placeholders(seen: Outline) -> Iterator[Violation]:
    # "no `TODO`, `TBD`, `FIXME` or lorem placeholders": whole words, in capitals but for lorem
    for line in seen.lines:
        for found in _PLACEHOLDER.finditer(line.words):
            yield Violation(line.number, "placeholder", f"write what {found[0]} stands for, or remove it")

"""The critic's markdown → findings. Rules and models write the same wire format and go through this one parser.

Lines are split on LF alone, and one trailing CR is tolerated: a U+2028 in a summary starts no line. A ``### `` heading
is judged by the same rule wherever it stands. One inside the ``## Summary`` block is therefore a finding if it has a
finding's form, is recorded as dropped otherwise, and in both cases stays part of the summary's text: a critic that
puts its summary first loses nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mcp_assay.core.model import Dimension, Finding, Severity

__all__ = ["CROSS_MCP", "UNATTRIBUTED", "Parsed", "parse"]

CROSS_MCP = "cross-mcp"
UNATTRIBUTED = "unattributed"

_HEADING = re.compile(
    r"^### \[(CRITICAL|MAJOR|MINOR|SUGGESTION)\] "
    r"(glue_code|redundant_calls|response_shape|parameter_inference|cross_mcp): (\S.*?)\s*$",
    re.MULTILINE,
)
# The lazy group and the blanks after it make the expression quadratic in a run of blanks: a line of a megabyte would
# hold the program for hours. No heading that a person could read is longer than this, so a longer line never matches.
_LONGEST_LINE = 10_000

_ID = re.compile(r"S\d+-\d+", re.ASCII)
_SEVERITY_TOKEN = re.compile(r"\[(CRITICAL|MAJOR|MINOR|SUGGESTION)\]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one critic output holds.

    ``dropped_raw`` has the text of every ``### `` block that is no finding, as it came; ``unmapped`` the names given
    for servers that are not attached; ``heading_matches`` counts the headings of the right form, dropped or not.
    """

    findings: tuple[Finding, ...]
    dropped_raw: tuple[str, ...]
    unmapped: tuple[str, ...]
    summary: str
    missing_summary: bool
    heading_matches: int

    @property
    def failed(self) -> bool:
        """Spec: "failed if ALL of the following hold": no heading matched, none was dropped, the summary is empty."""
        return not (self.heading_matches or self.dropped_raw or self.summary)


@dataclass(frozen=True, slots=True)
class _Block:
    """A ``### `` heading and what follows it. ``raw`` is the text as it came, ``body`` its lines without CR."""

    heading: str
    body: tuple[str, ...]
    raw: str


def parse(text: str, attached: Sequence[str]) -> Parsed:
    """Parse a critic's whole output; ``attached`` holds the raw names of the attached servers. Never raises."""
    lines = text.removeprefix("\ufeff").split("\n")
    names = frozenset(attached)
    findings: list[Finding] = []
    dropped: list[str] = []
    unmapped: list[str] = []
    matches = 0
    for block in _blocks(lines):
        heading = _match(block.heading)
        matches += heading is not None
        finding = None if heading is None else _finding(heading, block)
        if finding is None:
            dropped.append(block.raw)
            continue
        name, stray = _attribute(finding.mcp_name, names)
        findings.append(replace(finding, id=f"F{len(findings) + 1}", mcp_name=name))
        unmapped += stray
    summary = _summary(lines)
    return Parsed(tuple(findings), tuple(dropped), tuple(unmapped), summary or "", summary is None, matches)


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    """Spec: "read the following lines until the next ### or ## heading"; a ``####`` heading is body."""
    starts = [at for at, line in enumerate(lines) if line.startswith(("### ", "## "))]
    for start, end in pairwise([*starts, len(lines)]):
        if lines[start].startswith("### "):
            bare = [line.removesuffix("\r") for line in lines[start:end]]
            yield _Block(bare[0], tuple(bare[1:]), "\n".join(lines[start:end]))


def _match(heading: str) -> re.Match[str] | None:
    return _HEADING.match(heading) if len(heading) <= _LONGEST_LINE else None


def _finding(heading: re.Match[str], block: _Block) -> Finding | None:
    """The finding with its server's name as the critic wrote it; None if "missing/invalid Evidence is a drop"."""
    ids = _evidence(_field(block.body, "Evidence:"))
    if ids is None:
        return None
    return Finding(
        id="",
        # Spec: "title-case the wire token (CRITICAL → Critical, etc.)".
        severity=Severity(heading[1].capitalize()),
        dimension=Dimension(heading[2]),
        summary=heading[3].strip(),
        mcp_name=_field(block.body, "MCP:"),
        evidence_ids=ids,
        # Spec, of an empty one: "permitted; record as empty string".
        recommendation=_field(block.body, "Recommendation:"),
    )


def _field(body: Iterable[str], label: str) -> str:
    """The value of the first line that starts with exactly this label; empty if there is none."""
    return next((line[len(label) :].strip() for line in body if line.startswith(label)), "")


def _evidence(value: str) -> tuple[str, ...] | None:
    """Spec: "split … on commas, strip whitespace. Each token must match the transcript id shape"; None if one does not.

    An empty token ("S1-001,, S1-002", a trailing comma, no value at all) has not the shape either.
    """
    tokens = [token.strip() for token in value.split(",")]
    return tuple(tokens) if all(map(_ID.fullmatch, tokens)) else None


def _attribute(value: str, attached: frozenset[str]) -> tuple[str, list[str]]:
    """(mcp_name, names to add to the unmapped ones) for the value of an ``MCP:`` line, by the specification's table."""
    if not value:
        return UNATTRIBUTED, []
    if value == CROSS_MCP:
        return CROSS_MCP, []
    # Spec: it "matches some attached_mcps[].name (case-sensitive exact match)".
    if value in attached:
        return value, []
    return UNATTRIBUTED, [value]


def _summary(lines: Sequence[str]) -> str | None:
    r"""The block of the first ``^## Summary\s*$`` up to "the next ^## heading or end of file"; None without one."""
    start = next((at for at, line in enumerate(lines) if line.rstrip() == "## Summary"), None)
    if start is None:
        return None
    body = lines[start + 1 :]
    end = next((at for at, line in enumerate(body) if line.startswith("## ")), len(body))
    text = "\n".join(line.removesuffix("\r") for line in body[:end]).strip()
    # Spec: "replace every occurrence of [CRITICAL], [MAJOR], [MINOR], [SUGGESTION] with their title-case equivalents".
    return _SEVERITY_TOKEN.sub(lambda token: f"[{token[1].capitalize()}]", text)

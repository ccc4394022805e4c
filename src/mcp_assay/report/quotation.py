"""The critic's own words for the headline: the first sentences of its summary."""

import re
from collections.abc import Iterator
from itertools import islice

from mcp_assay.report.caveats import NOTED

__all__ = ["quote"]

_CLOSING = "[\"'\u201d\u2019)\\]`*_]*"
# A sentence ends at its mark and what closes there, before something that is not lower case; or at a CJK mark.
_END = re.compile(rf"(?P<end>[.!?]{_CLOSING})\s+(?=[^\sa-z])|(?P<cjk>[\u3002\uff01\uff1f])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|approx)\.$", re.IGNORECASE)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+", re.MULTILINE)
_BOLD = re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*")


def quote(summary: str, sentences: int = 2) -> str:
    """The first sentences, on one line, without bold marks, headings, and lines that are caveats of their own."""
    lines = ["" if line.startswith("#") or NOTED.match(line) else line for line in summary.split("\n")]
    text = _BOLD.sub(r"\1", _ITEM.sub("\n\n", "\n".join(lines)))
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    found = (sentence for paragraph in paragraphs for sentence in _sentences(paragraph))
    return " ".join(islice(found, sentences))


def _sentences(paragraph: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(paragraph):
        sentence = paragraph[start : match.end("end" if match["end"] else "cjk")]
        if not _ABBREVIATION.search(sentence):
            yield sentence
            start = match.end()
    if paragraph[start:]:
        yield paragraph[start:]

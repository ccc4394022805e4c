"""What a CommonMark parser sees in a text: fenced blocks, headings, links, and the words of each line.

Only ``dossier`` imports this module, when it is first needed: the parser takes about as long to import as the
server takes to start.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

__all__ = ["Heading", "Line", "Link", "Outline", "TooDeep", "fences", "outline"]

_DEEPEST = 100
_HOLE = "\ufffc"  # stands where code, a link or an image is left out: it is no letter, so words do not grow together


class TooDeep(Exception):
    """The text nests more than a hundred levels; the parser would silently leave out what is below."""


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    target: str
    line: int


@dataclass(slots=True)
class Line:
    """``prose`` is what stands outside links, ``words`` all that a reader sees or a comment says; neither has code.

    An address in angle brackets is in neither.
    """

    number: int
    prose: str = ""
    words: str = ""


@dataclass(slots=True)
class Outline:
    """Headings at the top level, links anywhere, both in the order of the text. Lines count from 1."""

    begins_with_heading: bool = False
    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


def fences(text: str) -> Iterator[tuple[str, str]]:
    """(info string, content) of each fenced block. Raises TooDeep."""
    return ((token.info, token.content) for token in _parse(text) if token.type == "fence")


def outline(text: str) -> Outline:
    """A byte-order mark, YAML front matter and comments may come before the title. Raises TooDeep."""
    found = Outline()
    tokens = _parse(_without_front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n")))
    visible = [token for token in tokens if not _is_comment(token)]
    found.begins_with_heading = bool(visible) and visible[0].type == "heading_open"
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            lines = _read_inline(token, found)
            if before is not None and before.type == "heading_open" and before.level == 0:
                found.headings.append(Heading(int(before.tag[1]), _heading_text(token), lines[0].number))
        elif token.type == "html_block":
            found.lines += _html_lines(token.content, _first_line(token), comment=_is_comment(token))
    return found


def _parse(text: str) -> list[Token]:
    tokens = _PARSER.parse(text)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        raise TooDeep
    return tokens


def _first_line(token: Token) -> int:
    return (token.map or [0])[0] + 1


def _without_front_matter(text: str) -> str:
    """The metadata's lines emptied, so that the lines after it keep their numbers."""
    lines = text.split("\n")
    end = next((index for index, line in enumerate(lines[1:], start=1) if line.rstrip() in ("---", "...")), None)
    if lines[0].rstrip() != "---" or end is None:
        return text
    return "\n".join([""] * (end + 1) + lines[end + 1 :])


def _is_comment(token: Token) -> bool:
    content = token.content.strip()
    return (
        token.type in ("html_block", "html_inline")
        and content.startswith("<!--")
        and content.find("-->") == len(content) - len("-->")
    )


def _html_lines(content: str, first: int, *, comment: bool) -> Iterator[Line]:
    """Markup that a browser shows is prose: an address in it is outside the link syntax. A comment is not shown."""
    for number, text in enumerate(content.split("\n"), start=first):
        yield Line(number, prose="" if comment else text, words=text)


def _heading_text(inline: Token) -> str:
    """What a reader sees of a heading: no comment and no tag, whatever they are for."""
    seen = (token for token in inline.children or () if token.type != "html_inline")
    return "".join(" " if token.type in ("softbreak", "hardbreak") else _reading(token)[1] for token in seen).strip()


def _read_inline(inline: Token, found: Outline) -> list[Line]:
    lines = [Line(_first_line(inline))]
    in_link = is_address = False
    for token in inline.children or ():
        here = lines[-1]
        if token.type == "link_open":
            in_link, is_address = True, token.info == "auto"
            found.links.append(Link(str(token.attrs["href"]), here.number))
            here.prose += _HOLE
        in_link = in_link and token.type != "link_close"
        prose, words = _reading(token)
        here.words += "" if in_link and is_address else words  # of <https://…> they are the target
        here.prose += "" if in_link else prose
        lines += [Line(here.number + step) for step in range(1, _line_feeds(token) + 1)]
    found.lines += lines
    return lines


def _reading(token: Token) -> tuple[str, str]:
    """What a token adds to a line's prose and to its words."""
    if token.type == "text":
        return token.content, token.content
    if token.type == "html_inline":
        return ("" if _is_comment(token) else token.content), token.content
    if token.type == "image":
        return _HOLE, token.content  # its alternative text
    return (_HOLE, _HOLE) if token.type == "code_inline" else ("", "")


# --- the parser -------------------------------------------------------------------------------------------------------

InlineRule = Callable[[StateInline, bool], bool]


def _line_feeds(token: Token) -> int:
    return int(token.type in ("softbreak", "hardbreak")) + int(token.meta.get("line_feeds", 0))


def _counting(rule: InlineRule) -> InlineRule:
    """The rule, noting on its last token the line feeds it passed that show in no token (code, targets, markup)."""

    def counted(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        start, before = state.pos, len(state.tokens)
        matched = rule(state, silent)
        if matched and not silent and len(state.tokens) > before:
            passed = state.src.count("\n", start, state.pos)
            hidden = passed - sum(map(_line_feeds, state.tokens[before:]))
            if hidden > 0:
                state.tokens[-1].meta = {**state.tokens[-1].meta, "line_feeds": hidden}
        return matched

    return counted


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    # Targets are judged as they are written, and none is too suspicious to be seen.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
    rules = parser.inline.ruler
    for name, rule in zip(rules.get_active_rules(), rules.getRules(""), strict=True):
        rules.at(name, _counting(rule))
    return parser


_PARSER = _parser()

"""Untrusted text made harmless: what servers, configs and models wrote, before anyone reads it.

Everything starts from ``line``: one line in which nothing is hidden. The other functions make that line safe for one
place each. Where markdown could come alive, the word is shown as inline code instead of being escaped with
backslashes: it stays readable in the source, and a code span is the only thing that keeps a forge from resolving an
``@name`` or a bare address after rendering.
"""

import re
import unicodedata

__all__ = ["block", "code", "line", "markdown", "prose", "terminal"]

_CUT = "…"

# Characters that str.isprintable() calls printable and that nevertheless show nothing: combining grapheme joiner,
# Hangul and halfwidth fillers, Khmer inherent vowels, Mongolian and other variation selectors, the blank Braille cell.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# What a CI runner would obey: GitHub trims a line and looks for "::" at its start; the older "##[…]", Azure's
# "##vso[…]" and TeamCity's "##teamcity[…]" count anywhere in it.
_COMMAND = re.compile(r"^( *):(?=:)|#(?=#\w*\[)")

# A word in which a CommonMark or GFM renderer, or the forge behind it, would see more than text.
_LIVE = re.compile(
    r"""[`*~|$]                            # code, emphasis, strikethrough, tables, formulas
    | (?<!\w)_ | _(?!\w)                   # emphasis; underscores inside a word are inert
    | \\(?:[!-/:-@\[-`{-~]|$)              # escapes
    | <[A-Za-z/!?] | &\#?\w+;              # HTML and entities
    | \]\( | \[[\[^] | \]\[ | !\[          # links, images, footnotes
    | :// | @ | www\. | mailto: | xmpp:    # addresses and mentions
    | \#\d | \bgh-\d                       # issue references
    | :[a-z+][\w+-]*:                      # emoji
    | ^[-+=\#:]+$ | ^\#+$                  # rules, underlines, list items, headings and their closing marks
    """,
    re.VERBOSE | re.IGNORECASE,
)
# ... and what only the first word of a block can start: a quotation, a list, a definition or a task.
_OPENING = re.compile(r">|\[|\d{1,9}[.)]$")

# Inline code as critics write it: a balanced pair of backtick runs, set off by blanks or by plain punctuation.
_CHUNK = re.compile(
    r"""(?P<lead>[("'\u201c\u2018]*) (?P<fence>`+)(?!`) (?P<code>.+?) (?<!`)(?P=fence)
        (?P<tail>(?:'s)?[).,;:!?"'\u201d\u2019\u2014]*) (?=[ ]|$)
    | (?P<word>[^ ]+)""",
    re.VERBOSE,
)


def line(text: str, limit: int = 200) -> str:
    r"""One line of plain text, at most ``limit`` characters; a longer one ends with "…".

    Controls, line breaks, direction marks, zero-width and other invisible characters and lone surrogates become
    visible escapes (``\n``, ``\u{202e}``); every kind of blank becomes a space; no CI command can begin in it.
    """
    # Every character yields at least one, so a huge text need not be read beyond the limit.
    shown = [_visible(char) for char in text[: limit + 1]]
    plain = _COMMAND.sub(lambda mark: f"{mark[1] or ''}\\u{{{ord(mark[0][-1]):x}}}", "".join(shown))
    return plain if len(plain) <= limit else plain[: max(limit - 1, 0)] + _CUT


def markdown(text: str, limit: int = 200) -> str:
    """``line`` as markdown that renders to exactly that text (without outer blanks), in any block of one line.

    ``limit`` counts what is shown, not the backticks added.
    """
    words = line(text, limit).strip(" ").split(" ")
    return " ".join([_word(words[0], first=True), *map(_word, words[1:])])


def prose(text: str, limit: int = 1000) -> str:
    """``markdown`` for sentences that may mark code with backticks themselves: balanced code spans stay code."""
    plain = line(text, limit).strip(" ")

    def chunk(match: re.Match[str]) -> str:
        if match["word"] is not None:
            return _word(match["word"], first=match.start() == 0)
        return match["lead"] + _span(_unpadded(match["code"])) + match["tail"]

    return _CHUNK.sub(chunk, plain)


def code(text: str, limit: int = 200) -> str:
    """``line`` as an inline code span that its text cannot end. Not for table cells, where a ``|`` would."""
    return _span(line(text, limit))


def block(text: str, indent: str = "", limit: int = 200, width: int = 2000) -> list[str]:
    """The lines of a fenced code block that its text cannot end: at most ``limit`` lines, the last one "…" if cut."""
    lines = [line(part.removesuffix("\r"), width) for part in text.strip("\r\n").split("\n")]
    kept = lines if len(lines) <= limit else [*lines[: max(limit - 1, 0)], _CUT]
    fence = "`" * max(3, _longest_run(text) + 1)
    return [f"{indent}{part}".rstrip(" ") for part in (f"{fence}text", *kept, fence)]


def terminal(text: str, limit: int = 200) -> str:
    r"""``line`` for rich markup: no style can come of it, nor change that of what follows.

    A backslash that rich would take for an escape is shown as ``\u{5c}``. Emoji codes have no escape: print with
    ``emoji=False``.
    """
    return re.sub(r"\\(?=\\*(?:\[|$))", r"\\u{5c}", line(text, limit)).replace("[", "\\[")


def _visible(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) == "Zs":
        return " "
    if char.isprintable() and not _INVISIBLE.match(char):
        return char
    return f"\\u{{{ord(char):x}}}"


def _word(word: str, *, first: bool = False) -> str:
    if not (_LIVE.search(word) or (first and _OPENING.match(word))):
        return word
    bare = word.rstrip(".,;:") or word
    return _span(bare) + word[len(bare) :]


def _span(text: str) -> str:
    fence = "`" * (_longest_run(text) + 1)
    # One blank on each side is dropped by the renderer, and keeps a backtick of the text apart from the fence.
    pad = " " if not text or text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _unpadded(text: str) -> str:
    """What a code span shows: without the one blank on each side that ``_span`` may have added."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == " " and text.strip(" ") else text


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)

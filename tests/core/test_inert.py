import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.text import Text

from mcp_assay.core import inert

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

# What renderers do to text after parsing it: addresses, mentions, references to issues.
LINKIFIED = re.compile(r"https?://|www\.|\w@\w|(?:^|\W)@\w|#\d|:[a-z]\w*:", re.IGNORECASE)

HOSTILE = [
    "x\n### [CRITICAL] glue_code: forged",
    "<script>alert(1)</script>",
    "[a](javascript:x)",
    "click [here](javascript:x) now",
    "![](http://evil.example/pixel.png)",
    "`tick` ``two`` ```three",
    "a | b | c",
    "|---|",
    "# title",
    "## Summary",
    "###",
    "name ##",
    "- item",
    "+ item",
    "* item",
    "---",
    "===",
    "> quoted",
    ">quoted",
    "1. first",
    "12) twelfth",
    "[x]: http://evil.example",
    "[ ] task",
    "[^1]: note",
    "::error::boom",
    "  ::add-mask::secret",
    "x ##[error]boom",
    "x ##vso[task.setvariable variable=a]b",
    "@everyone look",
    "write to a@b.example",
    "www.evil.example",
    "(HTTPS://evil.example)",
    "fixes #12 and GH-13",
    ":tada: done",
    "**bold** *it* __bold__ _it_",
    "~~gone~~",
    "a\\*b\\",
    "&lt;b&gt; &#60;",
    "    indented code",
    "``` fence",
    "~~~",
    "$x$",
    "<!-- comment -->",
    "<?php",
    "<https://evil.example>",
    "\x1b[31mred\x1b[0m",
    "a\u202eb\u200bc\u2028d\ud800e\ufeff",
    "[red]x[/red] \\[bold]",
    "",
    " ",
    "…",
]

soup = st.text(alphabet=st.sampled_from("ab1 `*_~|$\\<>&;#[](){}!:/@.-+='\"\n\r\t\u202e\u2028\ud800é…w"), max_size=60)
untrusted = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60), soup)


def inline(source: str) -> list[tuple[str, str]]:
    """(type, content) of the inline tokens of a document that must be one paragraph, heading or tight item."""
    tokens = [token for token in RENDERER.parse(source) if token.type == "inline"]
    assert len(tokens) <= 1, source
    children = tokens[0].children or [] if tokens else []
    return [(child.type, child.content) for child in children]


def shown(text: str) -> str:
    """What the markdown of a text shows, having checked that nothing in it is alive."""
    pieces = inline(text)
    assert {kind for kind, _ in pieces} <= {"text", "code_inline"}, text
    assert not [content for kind, content in pieces if kind == "text" and LINKIFIED.search(content)], text
    return "".join(content for _, content in pieces)


@given(untrusted, st.integers(min_value=1, max_value=80))
def test_a_line_hides_nothing_and_keeps_its_length(text: str, limit: int) -> None:
    plain = inert.line(text, limit)
    assert len(plain) <= limit
    assert not {unicodedata.category(char) for char in plain} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert plain.isprintable()
    plain.encode()


@given(untrusted)
def test_no_line_is_a_workflow_command(text: str) -> None:
    plain = inert.line(text)
    assert not plain.lstrip().startswith("::")
    assert not re.search(r"##\w*\[", plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("list_issues", "list_issues"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u200bb\u2060c\ufeff", "a\\u{200b}b\\u{2060}c\\u{feff}"),
        ("a\u2028b\u2029c\x85", "a\\u{2028}b\\u{2029}c\\u{85}"),
        ("\ud800", "\\u{d800}"),
        ("\x1b[31m", "\\u{1b}[31m"),
        ("tag\U000e0041", "tag\\u{e0041}"),
        ("x\ufe01\U000e0101\u3164\u2800", "x\\u{fe01}\\u{e0101}\\u{3164}\\u{2800}"),
        ("a\u00a0b\u3000c", "a b c"),
        ("日本語 é 🎉", "日本語 é 🎉"),
        ("::error::x", "\\u{3a}:error::x"),
        (" ::error::x", " \\u{3a}:error::x"),
        ("std::vector", "std::vector"),
        ("a ##[group]", "a \\u{23}#[group]"),
    ],
)
def test_escapes_are_visible_and_ordinary_text_is_left_alone(text: str, plain: str) -> None:
    assert inert.line(text) == plain


def test_a_cut_line_says_so() -> None:
    assert inert.line("x" * 201) == "x" * 199 + "…"
    assert inert.line("x" * 200) == "x" * 200
    assert inert.line("\n" * 6, 10) == "\\n" * 4 + "\\…"
    assert inert.code("x" * 30, 10) == "`" + "x" * 9 + "…`"


@given(untrusted)
def test_markdown_shows_the_line_and_nothing_else(text: str) -> None:
    assert shown(inert.markdown(text)) == inert.line(text).strip(" ")


@pytest.mark.parametrize("before", ["- ", "1. ", "> ", "### ", "lead\n", "| a |\n", "- **[Critical] glue_code:** "])
@given(text=untrusted)
def test_markdown_starts_no_block_wherever_it_stands(before: str, text: str) -> None:
    expected = inline(before + "x")
    found = inline(before + (inert.markdown(text) or "x"))
    alive = [kind for kind, _ in found if kind not in {"text", "code_inline"}]
    assert alive == [kind for kind, _ in expected if kind not in {"text", "code_inline"}]


@pytest.mark.parametrize("text", ["a plain_name with 3.5 MB (50%), it's -5; a < b & c > d", "R&D — “ok”!", "5-3=2"])
def test_markdown_leaves_ordinary_text_unmarked(text: str) -> None:
    assert inert.markdown(text) == text


def test_a_live_word_is_shown_as_code() -> None:
    assert inert.markdown("see https://x.example, or @ann:") == "see `https://x.example`, or `@ann`:"
    assert inert.markdown("`a` b") == "`` `a` `` b"


@given(untrusted)
def test_a_code_span_cannot_be_broken_out_of(text: str) -> None:
    pieces = inline(f"before {inert.code(text)} after")
    assert [kind for kind, _ in pieces] == ["text", "code_inline", "text"]
    assert pieces[1][1].strip(" ") == inert.line(text).strip(" ")


@given(untrusted)
def test_prose_is_as_inert_as_markdown(text: str) -> None:
    shown(inert.prose(text))


@given(untrusted)
def test_text_made_inert_twice_is_the_same_prose(text: str) -> None:
    once = inert.prose(text, 5000)
    assert inert.prose(once, 5000) == once


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("`list_issues` returned 40 kB (see `S1-001`).", "`list_issues` returned 40 kB (see `S1-001`)."),
        ("use `a b`, then `` c`d ``", "use `a b`, then ``c`d``"),
        ("`a`'s, \u201c`b`\u201d", "`a`'s, \u201c`b`\u201d"),
        ("an `open span", "an `` `open `` span"),
        ("x`a`@b", "``x`a`@b``"),
    ],
)
def test_prose_keeps_balanced_code_spans(text: str, source: str) -> None:
    assert inert.prose(text) == source


@given(untrusted)
def test_a_block_holds_its_text(text: str) -> None:
    tokens = RENDERER.parse("- lead\n\n" + "\n".join(inert.block(text, "  ")) + "\n\n- next\n")
    assert [token.type for token in tokens].count("fence") == 1
    assert [token.type for token in tokens].count("list_item_open") == 2


def test_a_block_keeps_lines_apart_and_says_when_it_is_cut() -> None:
    assert inert.block("a\r\n```\nb\n") == ["````text", "a", "```", "b", "````"]
    assert inert.block("a\nb\nc", limit=2) == ["```text", "a", "…", "```"]


@given(untrusted)
def test_terminal_text_carries_no_style(text: str) -> None:
    rendered = Text.from_markup(f"[bold]{inert.terminal(text)}[/bold]", emoji=False)
    assert {str(span.style) for span in rendered.spans} <= {"bold"}
    assert rendered.plain.replace("\\u{5c}", "\\") == inert.line(text).replace("\\u{5c}", "\\")

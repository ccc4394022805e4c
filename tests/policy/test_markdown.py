import contextlib
import time

import pytest

from mcp_assay.policy import markdown
from mcp_assay.policy.markdown import Heading, Link


@pytest.mark.parametrize(
    ("text", "fences"),
    [
        ("```json\n{}\n```", [("json", "{}\n")]),
        ("~~~ json x\n1\n~~~", [(" json x", "1\n")]),
        ("```\na\n```\n\n```js\nb\n```", [("", "a\n"), ("js", "b\n")]),
        ("```json\nto the end", [("json", "to the end")]),
        ("> ```json\n> 1\n> ```", [("json", "1\n")]),
        ("- x\n  ```json\n  1\n  ```", [("json", "1\n")]),
        ("    ```json\n    1\n    ```", []),
        ("````\n```json\n1\n```\n````", [("", "```json\n1\n```\n")]),
        ("<!--\n```json\n1\n```\n-->", []),
        ("`` ```json `` x", []),
    ],
)
def test_fences_are_what_commonmark_says(text, fences):
    assert [(info, content) for info, content in markdown.fences(text)] == fences


def test_headings_at_the_top_level_have_level_text_and_line():
    text = "# A *b* `c`\n\nSet\next\n---\n\n> ## quoted\n\n- # listed\n\n### Z ##\n\n# <!-- c -->\n\n## <b>S</b>\n"
    assert markdown.outline(text).headings == [
        Heading(1, "A b \ufffc", 1),
        Heading(2, "Set ext", 3),
        Heading(3, "Z", 11),
        Heading(1, "", 13),
        Heading(2, "S", 15),
    ]


@pytest.mark.parametrize(
    "first", ["# A", "\ufeff# A", "\n\n# A", "<!-- c -->\n# A", "---\nk: v\n---\n# A", "A\n=", "## A"]
)
def test_only_what_nobody_sees_may_come_before_the_first_heading(first):
    assert markdown.outline(first).begins_with_heading


@pytest.mark.parametrize("first", ["", "a\n\n# A", "<p>\n\n# A", "<!-- c --> a\n\n# A", "---\n# A", "- a\n\n# A", "#A"])
def test_anything_else_comes_before_it(first):
    assert not markdown.outline(first).begins_with_heading


def test_front_matter_leaves_the_lines_their_numbers():
    assert markdown.outline("---\na: 1\nb: 2\n---\n# T\n").headings == [Heading(1, "T", 5)]


def test_targets_are_as_they_are_written_and_every_kind_of_link_is_seen():
    text = (
        "[a](https://e.example/x_(y)) [b](https://e.example/z\\)) <https://e.example/é>\n"
        '[c][r] [r] [gone][q] ![i](https://e.example/i.png) [j](javascript:x)\n\n[r]: HTTP://E.example/R "t"\n'
    )
    assert markdown.outline(text).links == [
        Link("https://e.example/x_(y)", 1),
        Link("https://e.example/z)", 1),
        Link("https://e.example/é", 1),
        Link("HTTP://E.example/R", 2),
        Link("HTTP://E.example/R", 2),
        Link("javascript:x", 2),
    ]


def test_prose_is_outside_links_and_words_are_all_that_is_read():
    (line,) = markdown.outline("one [two](u) `three` ![four](v) *fi*ve &amp; \\[six]").lines
    assert line.words == "one two \ufffc four five & [six]"
    assert line.prose == "one \ufffc \ufffc \ufffc five & [six]"


def test_comments_are_words_and_markup_is_prose():
    lines = markdown.outline("<!-- a\nb -->\n\n<p title='c'>\n\nd <b>e</b><!-- f -->").lines
    assert [(line.number, line.words) for line in lines if line.words] == [
        (1, "<!-- a"),
        (2, "b -->"),
        (4, "<p title='c'>"),
        (6, "d <b>e</b><!-- f -->"),
    ]
    assert [line.prose for line in lines if line.prose] == ["<p title='c'>", "d <b>e</b>"]


@pytest.mark.parametrize(
    "spanning",
    [
        "`a\nb`",
        "[a\nb](u)",
        "[a](\nu)",
        '[a](u "t\nt")',
        "[`a\nb` c\nd](\nu)",
        "<b\nc=d>",
        "![a\nb](u)",
        "a\\\nb",
        "a  \nb",
        "*a\nb*",
    ],
)
def test_lines_are_counted_over_whatever_spans_them(spanning):
    text = f"before {spanning} here\nand there"
    numbers = {line.words.split()[-1]: line.number for line in markdown.outline(text).lines if line.words}
    breaks = spanning.count("\n")
    assert (numbers["here"], numbers["there"]) == (breaks + 1, breaks + 2)


@pytest.mark.parametrize(
    "text", ["> " * 150 + "x", "- " * 150 + "x", "\n".join(" " * 2 * n + "- x" for n in range(150))]
)
def test_what_nests_too_deeply_is_refused_and_never_left_out(text):
    with pytest.raises(markdown.TooDeep):
        markdown.outline(text)


@pytest.mark.parametrize("unit", ["[", "![[](", "*a ", "<", "[a](", "`", "> ", "&", "_a__", "<!--", "\\"])
def test_long_repetitions_are_parsed_in_little_time(unit):
    start = time.perf_counter()
    with contextlib.suppress(markdown.TooDeep):
        markdown.outline(unit * (20_000 // len(unit)))
    assert time.perf_counter() - start < 5

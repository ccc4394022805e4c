"""What is blanked where engines agree, and what has no one meaning."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_assay.core.languages.masked import mask


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("select 'a;b' from t", "select '   ' from t"),
        ("select 'it''s'", "select '  '' '"),
        ('select "a b"', 'select "   "'),
        ("select `a.b-c`", "select `     `"),
        ("select [a b]", "select ]   ]"),
        ("select a[1]", "select a] ]"),
        ("a -- x\nb", "a     \nb"),
        ("a /* x */ b", "a         b"),
        ("a\r\nb", "a \nb"),
        ("a - b / c #>> d $1", "a - b / c #>> d $1"),
        ("größe", "größe"),
    ],
)
def test_what_is_quoted_or_a_comment_is_blanked_and_the_length_kept(text, masked):
    assert mask(text) == masked
    assert len(masked) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "'open", '"open', "`open", "[open", "/* open", "'a\\'", "'a\\\\'", '"a\\"', "a\\b", "$$ x $$", "$t$ x $t$",
        "$(x)",
        "# x", "a #> b\nc", "--x", "/*! x */", "/*M! x */", "/*+ x */", "/* /* x */ */", "-- it's\n", "/* ; */",
        "q'[x]'", "NQ'x'", "'''x'''", '"""x"""', "`a'b`", "`a--b`", "[a'b]", "[[1]]", "['a]']", "['a'\n]", "a\x00b",
        "a\rb", "a\u00a0b", "a\u200bb", "a\u2028b",
    ],
)  # fmt: skip
def test_what_engines_cut_up_differently_is_not(text):
    assert mask(text) is None


# --- as engines do it ------------------------------------------------------------------------------------------------

MYSQL = {"`": "`(?:[^`]|``)*`", "#": r"#[^\n]*", "-": r"--(?=\s|\Z)[^\n]*", "/": r"/\*(?!M?!)(?:(?!\*/).)*\*/"}
ENGINES = {
    "mysql": MYSQL | {"'": r"'(?:[^'\\]|\\.|'')*'", '"': r'"(?:[^"\\]|\\.|"")*"'},
    "mysql without backslashes": MYSQL | {"'": "'(?:[^']|'')*'", '"': '"(?:[^"]|"")*"'},
    "sqlite": {
        "'": "'(?:[^']|'')*'", '"': '"(?:[^"]|"")*"', "`": "`(?:[^`]|``)*`", "[": r"\[[^\]]*\]", "-": r"--[^\n]*",
        "/": r"/\*(?:(?!\*/).)*(?:\*/|\Z)",
    },
    "sql server": {
        "'": "'(?:[^']|'')*'", '"': '"(?:[^"]|"")*"', "[": r"\[(?:[^\]]|\]\])*\]", "-": r"--[^\n]*", "/": "nested",
    },
    "postgresql": {
        "'": "'(?:[^']|'')*'", '"': '"(?:[^"]|"")*"', "$": r"\$(\w*)\$.*?\$\1\$", "-": r"--[^\n\r]*", "/": "nested",
    },
    "postgresql's e''": {"'": r"'(?:[^'\\]|\\.|'')*'", '"': '"(?:[^"]|"")*"', "-": r"--[^\n\r]*", "/": "nested"},
    "bigquery": {
        "'": r"'''(?:[^\\]|\\.)*?'''|'(?:[^'\\\n]|\\.)*'", '"': r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"',
        "`": r"`(?:[^`\\]|\\.)*`", "#": r"#[^\n]*", "-": r"--[^\n]*", "/": r"/\*(?:(?!\*/).)*\*/",
    },
    "oracle": {
        "q": r"q'\[.*?\]'|q'\(.*?\)'|q'!.*?!'", "'": "'(?:[^']|'')*'", '"': '"[^"]*"', "-": r"--[^\n]*",
        "/": r"/\*(?:(?!\*/).)*\*/",
    },
}  # fmt: skip


# Where these are no quotes they are errors or indices: a bare word in them begins no statement.
HARMLESS = {"[": r"\[(?:[\w .,:@+*]|-(?!-)|'[^'\[\]\\\n]*')*\]", "`": r"`(?:[\w .:@]|-(?!-))*`"}


def code(text, engine):
    """What is left of a text without its strings, names in quotes and comments, as an engine cuts it up."""
    found, at = [], 0
    while at < len(text):
        pattern = (HARMLESS | ENGINES[engine]).get(text[at].lower())
        if pattern == "nested":
            end = nested(text, at)
        else:
            match = pattern and re.compile(pattern, re.DOTALL | re.IGNORECASE).match(text, at)
            end = match.end() if match else at
        if end == at and text[at] in "'\"`" and pattern:
            break  # without an end: what comes is never looked at
        found.append(" " if end > at else text[at])
        at = max(end, at + 1)
    return "".join(found)


def nested(text, start):
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, start):
        if not depth and mark.start() > start:
            return start
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return start


PIECES = [
    *"'\"`[]#$-\\/*;\n!q ",
    "''",
    "--",
    "-- ",
    "/*",
    "*/",
    "$$",
    "$a$",
    "'''",
    '"""',
    "\\'",
    "q'[",
    "]'",
    "/*!",
    "x",
    "#>",
]


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.integers(0, 14), st.sampled_from(sorted(ENGINES)))
def test_what_is_hidden_here_is_hidden_from_every_engine(pieces, at, engine):
    """No engine sees a statement where the masked text shows none."""
    text = "".join(["a ", *pieces[:at], " DROP ", *pieces[at:], " a"])
    masked = mask(text)
    if masked is not None and "DROP" not in masked:
        assert "DROP" not in code(text, engine), masked


def test_the_engines_of_this_test_do_see_what_hides_elsewhere():
    hidden = {
        "mysql": "a #> '\n DROP '",
        "mysql without backslashes": "'\\' DROP '",
        "sqlite": "/* /* */ DROP /* */ */",
        "sql server": "['] DROP [']",
        "postgresql": "$$'$$ DROP $$'$$",
        "postgresql's e''": "'\\'' DROP '",
        "bigquery": "'''a',b,''' DROP '",
        "oracle": "q'['] DROP ']'",
    }
    for engine, text in hidden.items():
        seen = {other: "DROP" in code(text, other) for other in ENGINES}
        assert mask(text) is None or "DROP" in mask(text), engine
        assert len(set(seen.values())) == 2, (engine, seen)

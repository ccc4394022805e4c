import pytest

from mcp_assay.policy import patterns


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("b", "abc", True),
        ("^a$", "a", True),
        ("^a$", "a\n", False),
        (r"^a\$$", "a$", True),
        ("^[$.]$", ".", True),
        ("^[$.]$", "x", False),
        ("^.$", "\r", False),
        ("^.$", "\u2028", False),
        ("^.$", "é", True),
        (r"^\d$", "7", True),
        (r"^\d$", "٣", False),
        (r"^\w$", "é", False),
        (r"^\.$", "x", False),
        ("^(?:a|b)+$", "abba", True),
        ("^a(?=b)", "ac", False),
        (r"^[\]$]$", "$", True),
        (r"a+b", "aab", True),
        (r"\++", "++", True),
        (r"^\s$", "\u00a0", True),
        (r"^\s$", "\ufeff", True),
        (r"^\s$", "\x1c", False),
        (r"^\S$", "\u2003", False),
        (r"^[\s,]$", "\u00a0", True),
        (r"^[^\s]$", "\u3000", False),
        (r"^[\s\S]$", "\n", True),
        ("[]a]", "a", False),
        ("^[^]a]$", "xa]", True),
        (r"^[^a\]]$", "b", True),
        ("a{2,3}", "aa", True),
    ],
)
def test_patterns_mean_what_ecma_says(pattern, text, matches):
    assert patterns.fault(pattern) is None
    assert (patterns.compiled(pattern).search(text) is not None) is matches


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "[", "*", r"a\Z", r"\Aa", "(?P<n>a)", "(?i)a", "(?#c)", "(?>a)", "(a)(?(1)b|c)", "a++", "a{2}+"),
        *("a{,2}", r"\a", r"[\a]", r"\N{DASH}", r"\U0001F600", r"\p{L}"),
    ],
)
def test_what_is_no_pattern_or_only_pythons_is_refused(pattern):
    assert "not a regular expression that is supported" in patterns.fault(pattern)


def test_many_patterns_do_not_collect():
    for number in range(2_500):
        patterns.compiled(f"a{number}")
    assert len(patterns._cache) <= 1_001

"""The same words everywhere."""

from mcp_assay.core.phrases import counted, listed


def test_one_is_singular_and_all_else_is_not():
    assert [counted(number, "call") for number in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


def test_a_long_list_says_how_many_it_leaves_out():
    assert listed(["a", "b"]) == "a, b"
    assert listed(list("abcdefg"), 5) == "a, b, c, d, e and 2 more"

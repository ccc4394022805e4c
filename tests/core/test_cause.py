import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.cause import is_told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "Error",
        "Error: undefined",
        "An unknown error occurred.",
        "Something went wrong, please try again later",
        "Error executing tool get_issue",
        "getIssue failed",
        "Internal server error",
        '{"error": "failed", "success": false}',
    ],
)
def test_words_that_only_say_that_something_failed_name_no_cause(text: str) -> None:
    assert not is_told(text, "get_issue")


@pytest.mark.parametrize(
    "text",
    [
        "Error: no such project",
        "Branch main is protected",
        "Error executing tool get_issue: number",
        "Error 4711",
        "database is locked",
        "connection refused",
        "Es ist ein Fehler aufgetreten",
        "\u5931\u6557",
    ],
)
def test_any_other_word_or_number_counts_as_a_cause(text: str) -> None:
    assert is_told(text, "get_issue")


def test_a_tools_name_is_known_in_any_letters() -> None:
    assert not is_told("getissue failed, GETISSUE failed", "getIssue")


def test_another_tools_name_says_something() -> None:
    assert is_told("Error executing tool get_issue", "list_labels")


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert not is_told("oops " * 800 + "disk full", "")


@given(st.text(), st.text())
def test_any_text_is_judged(text: str, tool: str) -> None:
    assert is_told(text, tool) in (True, False)

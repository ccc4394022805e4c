"""Tools ranked by the words of a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifests import tool
from mcp_assay.drivers.lexical import rank

TOOLS = [
    ("tracker", tool("search_issues", "query", description="Finds issues by their text.")),
    ("tracker", tool("list_labels", description="Lists the labels of a project.")),
    ("time", tool("get_current_time", "timezone", description="Tells the time in a time zone.")),
    ("git", tool("git_log", "repo_path", description="Shows the commit logs.")),
    ("files", tool("readTextFile", "path", description="Reads a file.")),
]


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("Find all open issues and summarize them", "search_issues"),
        ("What time is it in Berlin?", "get_current_time"),
        ("Show the last commits of the repository", "git_log"),
        ("read the text file notes.txt", "readTextFile"),
        ("which label is used most", "list_labels"),
    ],
)
def test_the_best_match_comes_first(text, best):
    assert rank(text, TOOLS)[0][1].name == best


@pytest.mark.parametrize(
    "text", ["", "Bake a chocolate cake", "of the and", "!!! ??? +-*:~^", "\ud800 \x00", "Größe 漢字"]
)
def test_nothing_matches_what_no_tool_is_about(text):
    assert rank(text, TOOLS) == []


def test_a_verb_that_every_server_has_decides_only_where_no_noun_does():
    assert [found.name for _, found in rank("search the issues", TOOLS)] == ["search_issues"]
    assert rank("search", TOOLS)[0][1].name == "search_issues"


def test_without_tools_nothing_is_found():
    assert rank("issues", []) == []


def test_syntax_in_a_text_is_only_text():
    assert rank("issues~1 +labels* name:time^9", TOOLS)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=20), st.text(max_size=40)), max_size=4))
def test_total(text, named):
    tools = [("x", tool(name, description=about)) for name, about in named]
    assert all(found in tools for found in rank(text, tools))

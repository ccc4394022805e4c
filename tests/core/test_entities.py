"""Names read as verbs, entities and identifiers."""

import pytest

from manifests import tool
from mcp_assay.core.entities import Subject, head_noun, lists, looks, nouns, searches, seeks, singular, subject, verb
from mcp_assay.core.model import Rules


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("issues", "issue"), ("repositories", "repo"), ("boxes", "box"), ("status", "status"), ("keys", "key"),
        ("class", "class"), ("ids", "id"), ("directories", "dir"), ("branches", "branch"), ("as", "as"),
    ],
)  # fmt: skip
def test_singular(word, one):
    assert singular(word) == one


@pytest.mark.parametrize(
    ("name", "server", "spec", "extended"),
    [
        ("search_issues", "x", True, True),
        ("list_users", "x", True, True),
        ("query_logs", "x", True, True),
        ("listIssues", "x", False, True),
        ("github_search_code", "github", False, True),
        ("web_search_exa", "exa", False, True),
        ("issue-search", "x", False, True),
        ("find_notes", "x", False, True),
        ("get_issue", "x", False, False),
        ("create_list", "x", False, False),
        ("listless", "x", False, False),
    ],
)
def test_what_looks_like_search_or_list(name, server, spec, extended):
    assert seeks(tool(name), server, Rules.SPEC) is spec
    assert seeks(tool(name), server, Rules.EXTENDED) is extended


@pytest.mark.parametrize(
    ("name", "many", "place"),
    [
        ("list_issues", True, True), ("get_messages", True, False), ("get_message", False, False),
        ("get_issues_for_repo", True, False), ("get_issue_by_keys", False, False), ("delete_issues", False, False),
        ("searchFiles", True, True),
    ],
)  # fmt: skip
def test_what_lists_and_what_looks_somewhere(name, many, place):
    assert (lists(tool(name), "x"), looks(tool(name), "x")) == (many, place)


def test_nouns_are_entities_only():
    assert nouns(tool("github_list_open_issues"), "github") == {"open", "issue"}
    assert nouns(tool("get_pull_request_info"), "x") == {"pull"}
    assert nouns(tool("list_repositories_by_owner"), "x") == {"repo"}
    assert nouns(tool("list"), "x") == frozenset()
    assert nouns(tool("list_notes"), "notes") == {"note"}
    assert head_noun(tool("list_model_versions"), "x") == "version"


def test_verbs():
    assert verb(tool("create_issue"), "x") == "create"
    assert verb(tool("user-get"), "x") == "get"
    assert verb(tool("git_log"), "git") == ""
    assert searches(tool("search_x"), "y")
    assert not searches(tool("list_x"), "y")


@pytest.mark.parametrize(
    ("name", "speaks_of"),
    [
        ("issue_number", Subject(("issue",), "number")),
        ("issueIds", Subject(("issue",), "id")),
        ("id", Subject((), "id")),
        ("url", Subject((), "url")),
        ("owner", Subject(("owner",), "")),
        ("repository_full_name", Subject(("repo", "full"), "name")),
        ("", Subject((), "")),
    ],
)
def test_subjects(name, speaks_of):
    assert subject(name) == speaks_of

"""Which tools can be driven, and what has to be called before them."""

import pytest

from manifests import tool
from mcp_assay.core.supply import Supply

PROJECTS = tool("list_projects")
ISSUES = tool("list_issues", "project_id*")
ISSUE = tool("get_issue", "issue_id*")
COMMENTS = tool("list_comments", "issue_id*")
COMMENT = tool("get_comment", "id*")


def names(chain):
    return [tool.name for tool in chain.before]


@pytest.mark.parametrize(
    ("wanted", "before"),
    [
        (PROJECTS, []),
        (ISSUES, ["list_projects"]),
        (ISSUE, ["list_projects", "list_issues"]),
        (COMMENT, ["list_projects", "list_issues", "list_comments"]),
        (tool("search_issues", "query*", "project_id*"), ["list_projects"]),
    ],
)
def test_lists_come_before_what_they_feed(wanted, before):
    supply = Supply("x", [COMMENT, COMMENTS, ISSUE, ISSUES, PROJECTS])
    chain = supply.chain(wanted)
    assert (names(chain), chain.missing) == (before, None)


def test_a_parameter_that_nothing_supplies_is_named():
    chain = Supply("x", [ISSUES]).chain(ISSUE)
    assert chain.missing == "issue_id"
    assert chain.why == "nothing here supplies `issue_id`"


def test_what_is_given_needs_no_supplier():
    assert Supply("x", []).chain(ISSUE, {"issue_id": "7"}).missing is None


def test_lists_that_need_each_other_supply_nothing():
    one, other = tool("list_issues", "project_id*"), tool("list_projects", "issue_id*")
    assert Supply("x", [one, other]).chain(one).missing == "project_id"


def test_a_test_resource_supplies():
    assert names(Supply("x", [PROJECTS, ISSUES], ["project: play"]).chain(ISSUES)) == []


def test_an_example_of_an_identifier_is_only_the_second_choice():
    shown = tool("get_project", "project_id*", project_id={"type": "string", "examples": ["P1"]})
    assert names(Supply("x", [PROJECTS]).chain(shown)) == ["list_projects"]
    assert Supply("x", []).chain(shown).missing is None


def test_whoever_lists_repositories_says_whose_they_are():
    assert names(Supply("x", [tool("search_repositories", "query*")]).chain(tool("list_tags", "owner*"))) == [
        "search_repositories"
    ]

"""Which parameter takes a plain query."""

import pytest

from manifests import tool
from mcp_assay.core.parameters import Parameter
from mcp_assay.core.query import query


@pytest.mark.parametrize(
    ("seeking", "name"),
    [
        (tool("search_issues", "sort", "query*"), "query"),
        (tool("search_issues", "q"), "q"),
        (tool("search_issues", "searchTerm"), "searchTerm"),
        (tool("search_issues", "query_text"), "query_text"),
        (tool("search_places", "location*"), "location"),
        (tool("search_files", "path*", "pattern*"), "pattern"),
        (tool("list_issues", "filter"), "filter"),
        (tool("list_clusters", "name"), "name"),
        (tool("list_issues", "issue_title"), "issue_title"),
    ],
)
def test_free_text(seeking, name):
    found = query(seeking, "x")
    assert isinstance(found, Parameter)
    assert found.name == name


@pytest.mark.parametrize(
    ("seeking", "why"),
    [
        (tool("list_issues"), "no free text"),
        (tool("list_issues", "name*"), "no free text"),
        (tool("list_tables", "region_name"), "no free text"),
        (tool("list_issues", "query:object"), "no free text"),
        (tool("search_issues", "id*"), "no free text"),
        (tool("list_issues", "state", filter={"type": "string", "enum": ["open"]}), "no free text"),
        (tool("query_data", query={"type": "string", "description": "A SQL query"}), "language"),
        (tool("search", query={"type": "string", "description": "in JQL"}), "language"),
        (tool("search", "graphql_query"), "language"),
    ],
)
def test_why_there_is_none(seeking, why):
    assert why in query(seeking, "x")

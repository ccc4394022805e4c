"""What the user's own words say about a parameter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifests import tool
from mcp_assay.core.spoken import spoken


@pytest.mark.parametrize(
    ("text", "consumer", "args"),
    [
        ('Find issues mentioning "time out"', tool("search_issues", "query"), {"query": "time out"}),
        ("Find issues about export and read one", tool("search_issues", "query"), {"query": "export"}),
        ("What time is it in Europe/Berlin?", tool("get_time", "timezone"), {"timezone": "Europe/Berlin"}),
        ("Show issue 12, please", tool("get_issue", "issue_number:integer"), {"issue_number": 12}),
        ("Show #12", tool("get_issue", "number:integer"), {"number": 12}),
        (
            "List all open issues",
            tool("list_issues", state={"type": "string", "enum": ["closed", "open"]}),
            {"state": "open"},
        ),
        ("Fetch https://example.org/a?b=1.", tool("fetch", "url"), {"url": "https://example.org/a?b=1"}),
        ("Read docs/a.md and stop", tool("read_file", "path"), {"path": "docs/a.md"}),
        ("Search /srv/notes for it", tool("search_files", "path"), {"path": "/srv/notes"}),
        ("Search for a.md", tool("search_files", "path"), {}),
        ("Read the project acme-web", tool("get_project", "project_id"), {"project_id": "acme-web"}),
        ("Read the project that matters", tool("get_project", "project_id"), {}),
        ("It's Ann's and Bob's", tool("search", "query"), {}),
        ("Do something", tool("get_issue", "id", "query", "limit:integer"), {}),
    ],
)
def test_what_stands_plainly_in_the_text(text, consumer, args):
    assert spoken(text, consumer, "x") == args


@given(st.text())
def test_total(text):
    spoken(text, tool("search_files", "path", "query", "issue_number:integer", "url", "tz", "id"), "x")

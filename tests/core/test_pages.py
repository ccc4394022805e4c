"""Paging parameters by role, and the arguments that walk past the first page."""

import jsonpath
import pytest

from manifests import tool
from mcp_assay.core.pages import NEXT_PAGE, limits, pages
from mcp_assay.core.parameters import parameters


@pytest.mark.parametrize(
    ("written", "first", "second"),
    [
        (["limit:integer", "cursor"], {"limit": 2}, {"limit": 2, "cursor": "${next_page}"}),
        (["pageSize:integer", "pageToken"], {"pageSize": 2}, {"pageSize": 2, "pageToken": "${next_page}"}),
        (["first:integer", "after"], {"first": 2}, {"first": 2, "after": "${next_page}"}),
        (["per_page:number", "page:number"], {"per_page": 2, "page": 1}, {"per_page": 2, "page": 2}),
        (["limit:integer", "offset:integer"], {"limit": 2}, {"limit": 2, "offset": 2}),
        (["startAt:integer"], {}, {"startAt": 1}),
        (["cursor"], {}, {"cursor": "${next_page}"}),
        (["maxResults:integer"], {"maxResults": 2}, {"maxResults": 10}),
        (["results_per_page:integer"], {"results_per_page": 2}, {"results_per_page": 10}),
    ],
)
def test_both_calls(written, first, second):
    found = pages(tool("list_x", *written))
    assert found.first() == first
    assert found.second() == second


@pytest.mark.parametrize(
    "parameter",
    ["page", "page_id", "count:boolean", "rate_limit:integer", "time_limit:integer", "query", "token", "start:string"],
)
def test_what_is_no_paging_parameter(parameter):
    assert pages(tool("list_x", parameter)) is None


def test_a_date_is_no_cursor():
    assert pages(tool("list_x", after={"type": "string", "description": "ISO 8601 timestamp"})) is None
    assert pages(tool("list_x", after={"type": "string", "format": "date-time"})) is None


def test_numbers_keep_to_their_bounds():
    found = pages(
        tool("list_x", limit={"type": "integer", "minimum": 10, "maximum": 20}, page={"type": "integer", "default": 0})
    )
    assert found.first() == {"limit": 10, "page": 0}
    assert found.second() == {"limit": 10, "page": 1}


def test_the_surest_way_is_taken_and_ranked():
    assert pages(tool("list_x", "offset:integer", "page:integer", "cursor")).rank == 0
    assert pages(tool("list_x", "limit:integer")).rank == 3


@pytest.mark.parametrize(
    "result",
    [
        {"nextCursor": "abc"}, {"next_cursor": "abc", "items": []}, {"meta": {"NextToken": "abc"}},
        {"pageInfo": {"endCursor": "abc"}}, {"cursor": "abc"}, {"items": [], "pagination": {"next": "abc"}},
    ],
)  # fmt: skip
def test_the_next_page_is_found_under_any_name_in_use(result):
    path = pages(tool("list_x", "cursor")).save()[NEXT_PAGE]
    assert jsonpath.findall(path, result) == ["abc"]


def test_an_odd_name_does_not_get_into_a_path():
    assert "'x'" not in pages(tool("list_x", "cursor", **{"page'token": {"type": "string"}})).save()[NEXT_PAGE]


def test_how_is_told_in_words():
    assert pages(tool("x", "limit:integer", "cursor")).how() == "2 at a time, then on with cursor"
    assert pages(tool("x", "page:integer")).how() == "on with page"
    assert pages(tool("x", "top:integer")).how() == "2, then more with a larger top"


def test_limits():
    (parameter,) = parameters(tool("x", "maxItems:integer"))
    assert limits(parameter)

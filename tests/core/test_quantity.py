from typing import Any

import pytest

from mcp_assay.core.declared import Declared
from mcp_assay.core.quantity import at_limit, is_paging, item_count, more, total


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([1, 2, 3], 3),
        ([], 0),
        ({"result": [1, 2]}, 2),
        ({"issues": [1], "total": 9}, 1),
        ({"items": [1, 2], "facets": [1]}, 2),
        ({"facets": [1], "labels": [2]}, None),
        ({"items": [1], "results": [1, 2]}, None),
        ({"items": [1], "errors": [1, 2]}, 1),
        ({"data": {"items": [1, 2]}}, 2),
        ({"issue": {"labels": [1]}}, None),
        ({"id": 1}, None),
        (None, None),
    ],
)
def test_item_count(data: object, expected: int | None) -> None:
    assert item_count(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"total": 40}, 40),
        ({"total_count": 40}, 40),
        ({"totalResults": 0}, 0),
        ({"meta": {"total": 7}}, 7),
        ({"data": {"total": 7}}, 7),
        ({"count": 40}, None),
        ({"total": "40"}, None),
        ({"total": True}, None),
        ({"total": 40.0}, None),
        ({"total": -1}, None),
        ({"total": 10**9}, None),
        ({"items": [{"total": 4}]}, None),
        ([], None),
    ],
)
def test_total(data: object, expected: int | None) -> None:
    assert total(data) == expected


@pytest.mark.parametrize(
    ("items", "args", "schema", "expected"),
    [
        (10, {"limit": 10}, {}, True),
        (9, {"limit": 10}, {}, False),
        (11, {"limit": 10}, {}, False),
        (10, {"perPage": 10}, {}, True),
        (10, {"page_size": 10}, {}, True),
        (30, {}, {"properties": {"per_page": {"default": 30}}}, True),
        (30, {"per_page": 10}, {"properties": {"per_page": {"default": 30}}}, False),
        (30, {}, {"properties": {"per_page": {}}}, None),
        (30, {"page": 30}, {}, None),
        (1, {"limit": True}, {}, None),
        (10, {"limit": "10"}, {}, None),
        (0, {"limit": 0}, {}, None),
        (None, {"limit": 10}, {}, None),
    ],
)
def test_at_limit(items: int | None, args: dict[str, Any], schema: dict[str, Any], expected: bool | None) -> None:
    assert at_limit(items, args, Declared.of(schema)) is expected


@pytest.mark.parametrize(
    ("result", "data", "expected"),
    [
        ({"nextCursor": "abc"}, None, True),
        ({"nextCursor": " "}, None, None),
        ({}, {"next_cursor": "abc"}, True),
        ({}, {"nextPageToken": "abc"}, True),
        ({}, {"next": "https://example.test/?page=2"}, True),
        ({}, {"next_page": 2}, True),
        ({}, {"next_offset": 0}, True),
        ({}, {"next": {"page": 2}}, True),
        ({}, {"has_more": True}, True),
        ({}, {"links": {"next": "x"}}, True),
        ({}, {"pageInfo": {"hasNextPage": True, "endCursor": "x"}}, True),
        ({}, {"cursor": "x", "items": []}, True),
        ({}, {"pageInfo": {"hasNextPage": False, "endCursor": "x"}}, False),
        ({}, {"has_more": False}, False),
        ({}, {"next_cursor": None}, False),
        ({}, {"next_cursor": ""}, False),
        ({}, {"next": {}}, False),
        ({}, {"next_page": False}, False),
        ({}, {"items": []}, False),
        ({}, [1], False),
        ({}, {"id": 1}, None),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_more(result: dict[str, Any] | None, data: object, expected: bool | None) -> None:
    assert more(result, data, item_count(data)) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("limit", True), ("perPage", True), ("page-size", True), ("OFFSET", True), ("page", True), ("pages", False),
     ("limits_to", False), ("id", False), ("", False)],
)  # fmt: skip
def test_is_paging(name: str, expected: bool) -> None:
    assert is_paging(name) is expected

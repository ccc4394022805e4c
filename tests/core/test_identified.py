from typing import Any

import pytest

from mcp_assay.core.content import read
from mcp_assay.core.identified import echoes, identifies


def data(value: object) -> dict[str, Any]:
    return {"content": [], "structuredContent": value}


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


@pytest.mark.parametrize(
    "result",
    [
        data({"id": 12}),
        data({"issue": {"issueKey": "ATLAS-1", "title": "x"}}),
        data({"items": [{"title": "x", "html_url": "https://x.test/1"}]}),
        text('{"created": {"sku": "a", "uuid": "b"}}'),
        text("Created issue #12."),
        text("Wrote notes/today.md"),
        text("Created eval-playground"),
    ],
)
def test_a_result_that_says_how_to_ask_again(result: dict[str, Any]) -> None:
    assert identifies(read(result)) is True


@pytest.mark.parametrize(
    "result",
    [
        data({"ok": True}),
        data({"title": "x", "state": "open"}),
        data({"id": None, "url": ""}),
        data({"ids": True}),
        text('{"success": true}'),
        text("Created the issue."),
        {},
    ],
)
def test_a_result_that_does_not(result: dict[str, Any]) -> None:
    assert identifies(read(result)) is False


def test_an_image_may_show_anything() -> None:
    assert identifies(read({"content": [{"type": "image", "data": ""}]})) is None


def test_a_record_that_names_itself_echoes_what_was_asked_for() -> None:
    asked = {"path": "notes/today.md", "limit": 10}
    assert echoes(read(text('{"path": "notes/today.md", "excerpt": "x"}')), asked) is True
    assert echoes(read(data({"items": [{"id": "a-1"}]})), {"ids": ["a-1", "a-2"]}) is True
    assert echoes(read(text('{"name": "package", "version": "1.0"}')), asked) is False
    assert echoes(read(data({"limit": 10})), asked) is False  # too common to say anything
    assert echoes(read(text("notes/today.md")), asked) is None

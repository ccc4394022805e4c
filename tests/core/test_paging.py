from typing import Any

import pytest

from mcp_assay.core import paging
from mcp_assay.core.model import Manifest
from mcp_assay.core.paging import Pages


def tools(*names: str, **more: Any) -> dict[str, Any]:
    return {"tools": [{"name": name} for name in names], **more}


def walk(*served: dict[str, Any], size: int = 0) -> tuple[Manifest, list[str | None]]:
    """Serve these pages in order (the last one for ever): the manifest, and the cursors asked for."""
    pages, asked = Pages(), list[str | None]()
    while not pages.over:
        asked.append(pages.params.get("cursor"))
        pages.add(served[min(len(asked), len(served)) - 1], size)
    return pages.manifest("s", "2025-11-25", ["first"]), asked


def names(manifest: Manifest) -> list[str]:
    return [tool.name for tool in manifest.tools]


@pytest.mark.parametrize(
    ("served", "found", "asked"),
    [
        ([tools("a", "b")], ["a", "b"], [None]),
        ([tools("a", nextCursor=None)], ["a"], [None]),
        ([tools("a", nextCursor="1"), tools(nextCursor="2"), tools("b")], ["a", "b"], [None, "1", "2"]),
        ([tools("a", nextCursor=""), tools("b")], ["a", "b"], [None, ""]),
        ([tools("a", nextCursor=""), tools("a", nextCursor="")], ["a"], [None, ""]),
        ([tools("a", nextCursor="1"), tools("b", nextCursor="1")], ["a", "b"], [None, "1"]),
        (
            [tools("a", nextCursor="1"), tools("b", nextCursor="2"), tools("c", nextCursor="1")],
            list("abc"),
            [None, *"12"],
        ),
        ([tools("a", nextCursor=5)], ["a"], [None]),
        ([tools()], [], [None]),
    ],
)
def test_which_pages_are_asked_for(served: list[dict[str, Any]], found: list[str], asked: list[str | None]) -> None:
    manifest, cursors = walk(*served)
    assert (names(manifest), cursors) == (found, asked)
    assert manifest.limitation is None


@pytest.mark.parametrize(
    ("served", "note"),
    [
        ([tools("a", nextCursor="1")], "its nextCursor came a second time; the tool list was taken to end there"),
        ([tools("a", nextCursor=5)], "its nextCursor is not a string; the tool list was taken to end there"),
        ([tools("a", "a")], "1 entry of its tool list skipped: the name of an earlier tool"),
        (
            [{"tools": [5, {}, {"name": ""}, {"name": "a"}, {"name": ["a"]}, {"name": "a" * 257}]}],
            "5 entries of its tool list skipped: not an object with a name of at most 256 characters, or nested too",
        ),
    ],
)
def test_what_is_odd_becomes_a_note(served: list[dict[str, Any]], note: str) -> None:
    manifest, _ = walk(*served)
    assert manifest.notes[0] == "first"
    assert any(said.startswith(note) for said in manifest.notes)
    assert names(manifest) == ["a"]


def test_of_two_tools_of_one_name_the_first_is_kept() -> None:
    manifest, _ = walk({"tools": [{"name": "a", "description": "one"}, {"name": "a", "description": "two"}]})
    assert [tool.description for tool in manifest.tools] == ["one"]


def test_a_tool_that_nests_too_deeply_to_be_digested_is_skipped() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"properties": deep}
    manifest, _ = walk({"tools": [{"name": "a", "inputSchema": deep}, {"name": "b"}]})
    assert names(manifest) == ["b"]
    assert len(manifest.notes) == 2


@pytest.mark.parametrize("page", [{}, {"tools": None}, {"tools": {"name": "a"}}])
def test_a_page_without_a_list_is_a_limitation(page: dict[str, Any]) -> None:
    manifest, _ = walk(tools("a", nextCursor="1"), page)
    assert names(manifest) == ["a"]
    assert manifest.limitation == "page 2 of its tools holds no list of tools"


def test_a_list_that_never_ends_is_cut_off() -> None:
    pages = Pages()
    while not pages.over:
        pages.add(tools(nextCursor=f"{pages.cursor}x"[-1500:]))
    assert pages.manifest("s", None).limitation == "its tool list has more than 1,000 pages; the rest was not read"


def test_more_tools_than_the_limit_are_left_out() -> None:
    manifest, asked = walk(tools(*map(str, range(paging.MAX_TOOLS + 5)), nextCursor="1"))
    assert len(manifest.tools) == paging.MAX_TOOLS
    assert manifest.limitation == "it offers more than 10,000 tools; the rest was left out"
    assert asked == [None]


def test_pages_that_are_too_large_together_are_cut_off() -> None:
    manifest, asked = walk(tools("a", nextCursor="1"), tools("b", nextCursor="2"), tools("c"), size=40 << 20)
    assert manifest.limitation == "its tool list is larger than 64 MiB; the rest was not read"
    assert asked == [None, "1"]


def test_a_walk_can_be_stopped_and_keeps_what_it_has() -> None:
    pages = Pages()
    pages.add(tools("a", nextCursor="1"))
    pages.stop("timed out")
    assert pages.over
    assert pages.manifest("s", "p").limitation == "timed out"
    assert names(pages.manifest("s", "p")) == ["a"]

import json
from typing import Any

import pytest

from mcp_assay.core.content import parsed, read


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (" \n[1]", [1]),
        ("12", None),
        ('"word"', None),
        ("", None),
        ('{"a": NaN}', None),
        ("[Infinity]", None),
        ("{torn", None),
        ("[" * 200_000, None),
        ("[" + "9" * 5_000 + "]", None),
        ("[" + " " * (4 * 1024 * 1024) + "]", None),
    ],
)
def test_only_strict_json_objects_and_lists_of_sane_size_are_json(written: str, value: object) -> None:
    assert parsed(written) == value


@pytest.mark.parametrize(
    ("result", "data", "structured", "from_text"),
    [
        ({"structuredContent": {"a": 1}, "content": [text('{"a": 1}')]}, {"a": 1}, True, False),
        ({"structuredContent": [1], "content": []}, [1], True, False),
        ({"structuredContent": "word", "content": [text("[2]")]}, [2], False, True),
        ({"content": [text("[2]"), {"type": "image", "data": "x"}]}, [2], False, True),
        ({"content": [text("[2]"), text("[3]")]}, None, False, False),
        ({"structuredContent": {"result": "[2]"}, "content": [text("[2]")]}, [2], True, True),
        ({"structuredContent": {"result": "[3]"}, "content": [text("[2]")]}, {"result": "[3]"}, True, False),
        ({"structuredContent": {"result": "hello"}, "content": [text("hello")]}, None, True, False),
        ({"structuredContent": {"content": "[2]"}, "content": [text("[2]")]}, {"content": "[2]"}, True, False),
        ({}, None, False, False),
        (None, None, False, False),
        ([], None, False, False),
    ],
)
def test_the_data_is_the_structured_content_or_the_json_of_the_only_text(
    result: object, data: object, structured: bool, from_text: bool
) -> None:
    body = read(result)
    assert (body.data, body.structured, body.from_text) == (data, structured, from_text)


@pytest.mark.parametrize(
    ("result", "kinds"),
    [
        ({"content": [text("a"), {"type": "image"}, {"type": "x-secret"}]}, ("text", "image", "other")),
        ({"content": [{"type": ["text"]}, {"type": None}, 3, None, {}]}, ("other",) * 5),
        ({"content": [{"type": "resource", "resource": {"text": "t"}}]}, ("resource",)),
        ({"content": "no list"}, ()),
        ({"contents": [{"uri": "file:///a", "text": "t"}]}, ("resource",)),
        (
            {"messages": [{"role": "user", "content": text("t")}, {"content": [text("u")]}, 7]},
            ("text", "text", "other"),
        ),
    ],
)
def test_kinds_come_from_a_fixed_list(result: object, kinds: tuple[str, ...]) -> None:
    assert read(result).kinds == kinds


def test_texts_and_links_of_embedded_resources_are_read() -> None:
    body = read(
        {
            "content": [
                {"type": "resource", "resource": {"uri": "file:///a", "text": "inner"}},
                {"type": "resource_link", "uri": "file:///b"},
                {"type": "text", "text": 5},
            ]
        }
    )
    assert body.texts == ("inner", "", "")
    assert body.links == ("file:///a", "file:///b")


def test_other_members_are_counted() -> None:
    assert read({"completion": {}, "_meta": {}, "isError": False}).extra == 1


def test_blocks_beyond_ten_thousand_are_only_counted() -> None:
    body = read({"content": [text(json.dumps(number)) for number in range(10_002)]})
    assert (body.blocks, len(body.texts)) == (10_002, 10_000)


@pytest.mark.parametrize(
    ("structured", "texts", "wraps"),
    [
        ({"result": "a b"}, ["a b"], True),
        ({"content": "a b"}, ["a b"], True),
        ({"content": "a c"}, ["a b"], False),
        ({"content": "a b", "size": 3}, ["a b"], False),
        ({"content": ["a b"]}, ["a b"], False),
        ({"content": "a b"}, ["a b", "c"], False),
        ({}, ["a b"], False),
        (["a b"], ["a b"], False),
    ],
)
def test_structured_content_wraps_the_text_if_it_is_that_text_and_nothing_else(
    structured: object, texts: list[str], wraps: bool
) -> None:
    assert read({"structuredContent": structured, "content": list(map(text, texts))}).wraps is wraps

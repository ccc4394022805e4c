"""The arguments of a call, and the defaults of those that are not given."""

from mcp_assay.core.languages.given import given
from mcp_assay.core.model import Tool

PROPERTIES = {
    "path": {"type": "string", "description": "Where To look"},
    "method": {"type": "string", "default": "POST"},
    "nested": {"type": "object", "properties": {"deep": {"type": "array", "items": {"type": "string"}}}},
}
TOOL = Tool.from_raw(
    {"name": "get_it", "description": "Gets It.", "inputSchema": {"type": "object", "properties": PROPERTIES}}
)


def test_every_argument_at_any_depth_comes_without_padding_and_in_plain_letters():
    found = list(given(TOOL, "srv", {"path": " \uff30\uff2f ", "nested": {"deep": ["x", 5]}, "odd": {"k": None}}))
    assert [(each.leaf.path, each.leaf.name, each.text, each.is_default) for each in found] == [
        ("path", "path", "PO", False),
        ("nested.deep[]", "deep", "x", False),
        ("nested.deep[]", "deep", "", False),
        ("map[1].map[1]", "k", "", False),
        ("method", "method", "POST", True),
    ]


def test_a_default_counts_only_where_nothing_is_given():
    assert [each.text for each in given(TOOL, "srv", {"method": "GET"})] == ["GET"]
    assert [each.text for each in given(TOOL, "srv", {"method": None})] == ["", "POST"]


def test_what_the_tool_says_of_an_argument():
    (first, *_) = given(TOOL, "Srv", {"path": "x"})
    assert first.about.split("\n") == ["srv", "get_it", "gets it.", "where to look"]

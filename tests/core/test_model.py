"""The nouns: digests that mean what they should, and manifests read without trust."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.model import Manifest, ServerConfig, Severity, Tool, canonical, sha256

BASE = {"name": "a", "source": "f", "command": "c", "args": ("x",), "env": {"K": "v"}, "headers": {"H": "v"}}


@pytest.mark.parametrize(
    "change",
    [
        {"command": "d"},
        {"args": ("y",)},
        {"cwd": "/"},
        {"url": "http://x"},
        {"headers": {"H": "w"}},
        {"env": {"L": "v"}},
        {"headers_helper": "h"},
    ],
)
def test_consent_is_bound_to_all_that_decides_what_runs(change):
    assert ServerConfig(**BASE).digest != ServerConfig(**(BASE | change)).digest


@pytest.mark.parametrize("change", [{"source": "g"}, {"env": {"K": "other"}}, {"name": "b"}, {"line": 3}])
def test_consent_is_not_bound_to_where_it_stands_nor_to_a_variables_value(change):
    assert ServerConfig(**BASE).digest == ServerConfig(**(BASE | change)).digest


def test_a_tool_is_read_without_trust_in_its_types():
    tool = Tool.from_raw({"name": "t", "description": 3, "inputSchema": [], "outputSchema": "x", "annotations": None})
    assert (tool.description, tool.input_schema, tool.output_schema, tool.annotations) == ("", {}, None, {})
    for nameless in ({}, {"name": ""}, {"name": 3}):
        with pytest.raises(ValueError, match="without a name"):
            Tool.from_raw(nameless)


def test_a_tools_digest_covers_all_that_its_server_says_of_it():
    one, two = ({"name": "t", "_meta": {"x": n}} for n in (1, 2))
    assert Tool.from_raw(one).digest != Tool.from_raw(two).digest
    assert Manifest("a", (Tool.from_raw(one),)).digest != Manifest("a", (Tool.from_raw(two),)).digest


scalars = st.none() | st.booleans() | st.integers() | st.text()
json_values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(json_values)
def test_the_canonical_text_is_ascii_on_one_line_and_equal_values_have_equal_digests(value):
    text = canonical(value)
    assert text.isascii()
    assert "\n" not in text
    assert sha256(value) == sha256(value)


def test_severities_stand_in_the_headlines_order():
    assert [str(severity) for severity in Severity] == ["Critical", "Major", "Minor", "Suggestion"]

"""The headers of a stateless request, held against the official SDK's reading of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import decode_header_value

from far_stage import STATELESS, call, request
from mcp_assay.host.mirrored import Parameters, encoded, mirrored

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "integer", "x-mcp-header": "N"},
        "deep": {"type": "object", "properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
        "plain": {"type": "string"},
    },
}


def known(schema):
    parameters = Parameters()
    parameters.listed({"tools": [{"name": "t", "inputSchema": schema}, {"name": 5}, "no tool"]})
    return parameters


def test_a_request_says_in_headers_what_it_says_in_its_body():
    found = mirrored(call(1, "t", stateless=True, region="eu west", n=3, deep={"on": True}, plain="x"), known(SCHEMA))
    assert found == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "t",
        "mcp-param-region": "eu west",
        "mcp-param-n": "3",
        "mcp-param-on": "true",
    }


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("resources/read", {"uri": "a:\u00e9"}, "=?base64?YTrDqQ==?="),
        ("prompts/get", {"name": "p"}, "p"),
        ("tools/list", {"name": "no"}, None),
        ("tools/call", {"name": 5}, None),
    ],
)
def test_only_some_requests_have_a_name(method, params, name):
    assert mirrored(request(1, method, **params, _meta=STATELESS), Parameters()).get("mcp-name") == name


@pytest.mark.parametrize("meta", [None, {}, {"other": 1}, "x"])
def test_an_earlier_era_has_none(meta):
    assert (
        mirrored(request(1, "tools/call", name="t", **({"_meta": meta} if meta is not None else {})), known({})) is None
    )


@pytest.mark.parametrize("args", [{}, {"region": None, "n": [1], "deep": "x"}, {"region": "\ud800"}])
def test_what_is_not_there_or_cannot_be_said_has_no_header(args):
    assert not [name for name in mirrored(call(1, "t", stateless=True, **args), known(SCHEMA)) if "param" in name]


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"properties": []},
        {"properties": {"a": {"type": "number", "x-mcp-header": "A"}}},
        {"properties": {"a": {"type": ["string"], "x-mcp-header": "A"}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": "A\r\nHost: x"}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": ""}}},
        {"properties": {"a": {"type": "string", "x-mcp-header": 5}}},
        {"properties": {name: {"type": "string", "x-mcp-header": name} for name in ("a", "A")}},
        {"properties": {f"p{n}": {"type": "string", "x-mcp-header": f"p{n}"} for n in range(101)}},
    ],
)
def test_annotations_that_may_not_be_used_are_not(schema):
    args = {"a": "1", "A": "2", **{f"p{n}": "x" for n in range(101)}}
    assert not [name for name in mirrored(call(1, "t", stateless=True, **args), known(schema)) if "param" in name]


def test_a_tool_that_is_listed_anew_is_as_it_was_listed_last():
    parameters = known(SCHEMA)
    parameters.listed({"tools": [{"name": "t", "inputSchema": {}}]})
    parameters.listed(None)
    assert "mcp-param-n" not in mirrored(call(1, "t", stateless=True, n=1), parameters)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_and_is_a_header_that_http_allows(text):
    value = encoded(text)
    assert value.isascii()
    assert value == value.strip()
    assert not set(value) & set(map(chr, [*range(32), 127]))
    assert decode_header_value(value) == text

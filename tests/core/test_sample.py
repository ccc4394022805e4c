"""Values from schemas: what is fixed, shown or known everywhere; never an identifier that nobody gave."""

import pytest
from hypothesis import given

from core_schemas import JSON
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import member, parameters
from mcp_assay.core.sample import fits, identifies, samples, within

NOTHING = object()


def sample(name, schema, root=None):
    return next(samples(member(name, schema, root or {})), NOTHING)


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        ("x", {"const": 7}, 7),
        ("x", {"enum": ["b", "a"]}, "b"),
        ("x", {"type": "string", "examples": ["shown"]}, "shown"),
        ("x", {"type": "string", "default": "usual"}, "usual"),
        ("id", {"type": "string", "examples": ["A-1"]}, "A-1"),
        ("x", {"type": "string", "format": "date"}, "2025-01-01"),
        ("x", {"type": "string", "format": "email"}, "user@example.com"),
        ("x", {"type": "string", "format": "uri"}, "https://example.com/"),
        ("url", {"type": "string"}, "https://example.com/"),
        ("timezone", {"type": "string"}, "UTC"),
        ("query", {"type": "string"}, "test"),
        ("query", {"type": "string", "minLength": 6}, "testtest"),
        ("limit", {"type": "integer"}, 2),
        ("limit", {"type": "integer", "minimum": 5}, 5),
        ("amount", {"type": "number", "exclusiveMinimum": 3}, 4),
        ("width", {"type": "integer"}, 1),
        ("latitude", {"type": "number"}, 51.5),
        ("force", {"type": "boolean"}, False),
        ("tz", {"type": "string", "description": "IANA name (e.g., 'Asia/Tokyo')"}, "Asia/Tokyo"),
        ("sort", {"type": "string", "description": "Sorting. Valid values include: recent, oldest"}, "recent"),
        ("words", {"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 2}, ["a", "a"]),
        ("point", {"type": "object", "properties": {"x": {"type": "integer"}, "y": {}}, "required": ["x"]}, {"x": 1}),
        ("n", {"anyOf": [{"type": "null"}, {"type": "boolean"}]}, False),
    ],
)
def test_what_a_schema_supplies(name, schema, value):
    assert sample(name, schema) == value


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("issue_id", {"type": "string"}),
        ("issue_number", {"type": "integer"}),
        ("path", {"type": "string", "description": "e.g. '/path/to/file'"}),
        ("owner", {"type": "string"}),
        ("uuid", {"type": "string", "format": "uuid"}),
        ("anything", {"type": "string"}),
        ("query", {"type": "string", "pattern": "^[a-z]{9}$"}),
        ("ids", {"type": "array", "items": {"type": "string"}}),
        ("point", {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
        ("filler", {"type": "integer", "enum": []}),
    ],
)
def test_what_nobody_can_make_up_is_not_made_up(name, schema):
    assert sample(name, schema) is NOTHING


def test_a_value_that_breaks_its_own_schema_is_passed_over():
    assert sample("x", {"type": "integer", "default": "ten", "examples": [None, 3]}) == 3


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("id", True), ("repo", True), ("page_id", True), ("url", False), ("limit", False), ("query", False), ("", False)],
)
def test_identifies(name, is_one):
    assert identifies(member(name, {}, {})) is is_one


def test_within():
    assert within(2, {"minimum": 3, "maximum": 9}) == 3
    assert within(20, {"exclusiveMaximum": 9}) == 8
    assert within(2, {"minimum": True, "maximum": 10**400}) == 2


@given(JSON)
def test_total_on_any_schema_and_every_sample_fits(schema):
    for parameter in parameters(Tool("x", input_schema={"properties": {"query": schema, "n": schema}})):
        assert all(fits(value, parameter) for value in samples(parameter))

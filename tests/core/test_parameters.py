"""Parameters: one plain way to satisfy a schema, whatever is written there."""

import pytest
from hypothesis import given

from core_schemas import JSON
from manifests import tool
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import flat, parameters


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": ["null", "number"]}, "number"),
        ({"anyOf": [{"type": "null"}, {"type": "array"}]}, "array"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "string"),
        ({"$ref": "#/$defs/Level"}, "boolean"),
        ({"allOf": [{"$ref": "#/$defs/Level"}], "description": "x"}, "boolean"),
        ({"$ref": "https://elsewhere.example/schema"}, ""),
        ({"$ref": "#/nowhere"}, ""),
        ({"type": "unheard-of"}, ""),
        (True, ""),
    ],
)
def test_the_type_is_that_of_the_first_way_that_is_not_null(schema, kind):
    found = parameters(Tool("x", input_schema={"properties": {"p": schema}, "$defs": {"Level": {"type": "boolean"}}}))
    assert found[0].type == kind


def test_required_parameters_come_first_and_undeclared_ones_are_known():
    found = parameters(tool("x", "a", "b*", required=["c"]))
    assert [(one.name, one.required) for one in found] == [("b", True), ("c", True), ("a", False)]


def test_properties_and_required_names_of_all_parts_add_up():
    schema = {"allOf": [{"properties": {"a": {}}, "required": ["a"]}], "properties": {"b": {}}, "required": ["b"]}
    assert {one.name for one in parameters(Tool("x", input_schema=schema)) if one.required} == {"a", "b"}


def test_a_reference_to_itself_ends():
    schema = {"$ref": "#/a", "a": {"$ref": "#/a", "type": "string"}}
    assert flat(schema, schema)["type"] == "string"


@given(JSON)
def test_any_schema_has_parameters(schema):
    for parameter in parameters(Tool("x", input_schema=schema)):
        assert isinstance(parameter.name, str)
        assert isinstance(parameter.type, str)

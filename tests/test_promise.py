"""Whether a result keeps its output schema, and that no schema can stop us from saying so."""

import pytest

from mcp_assay.core.model import Tool
from mcp_assay.promise import Promises

OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

DRAFT = "https://json-schema.org/draft/2020-12/schema"
CATASTROPHIC = {"type": "string", "pattern": "(a+)+$"}


def kept(schema, result, size=100):
    return Promises().kept("a", Tool("t", output_schema=schema), result, size)


@pytest.mark.parametrize(
    ("schema", "result", "expected"),
    [
        (None, {"structuredContent": {}}, None),
        (OBJECT, {"structuredContent": {"n": 1}}, True),
        (OBJECT, {"structuredContent": {"n": "1"}}, False),
        (OBJECT, {"content": []}, False),
        ({"type": "no such type"}, {"structuredContent": {}}, None),
        ({"type": "no such type"}, {"content": []}, None),
        ({"$ref": "https://example.com/schema.json"}, {"structuredContent": {}}, None),
        (CATASTROPHIC, {"structuredContent": "a" * 60 + "b"}, True),
        (
            CATASTROPHIC | {"$schema": "https://json-schema.org/draft/2020-12/schema"},
            {"structuredContent": "a" * 60 + "b"},
            True,
        ),
    ],
)
def test_a_promise_is_kept_broken_or_cannot_be_judged(schema, result, expected):
    assert kept(schema, result) is expected


WORD = {"a" * 40 + "!": 1}
LEFT = {"patternProperties": {"^(a|aa)+$": {}}, "propertyNames": {"pattern": "^(a*)*$"}}


@pytest.mark.parametrize("rest", [{"additionalProperties": False}, {"unevaluatedProperties": False}])
def test_no_pattern_is_tried_to_tell_what_is_left_over(rest):
    assert kept(LEFT | rest, {"structuredContent": WORD}) is True
    assert kept({"allOf": [LEFT], **rest}, {"structuredContent": WORD}) is (
        rest.get("additionalProperties") is not False
    )


def test_what_is_left_over_is_judged_where_there_are_no_patterns():
    assert kept({"properties": {"a": {}}, "additionalProperties": False}, {"structuredContent": {"b": 1}}) is False


@pytest.mark.parametrize(
    "schema",
    [
        {"$dynamicRef": "#"},
        {"$ref": "#/items/0", "items": False},
        {"$ref": "http://["},
        {"$id": "http://[", "$ref": "x"},
        {"items": {"anyOf": [{"type": "string"}] * 20_000}},
        {"properties": {f"p{n}": {"type": "string"} for n in range(20_000)}},
        {"allOf": [{"items": {"enum": list(range(5_000))}}]},
    ],
)
def test_a_schema_that_is_odd_or_too_much_work_is_not_judged(schema):
    assert kept(schema, {"structuredContent": [-1] * 5_000 + [2]}) in (None, False)


@pytest.mark.parametrize("word", ["properties", "items", "not", "allOf"])
def test_a_schema_that_nests_too_deeply_for_the_library_is_not_judged(word):
    schema: dict[str, object] = {"type": "integer"}
    for _ in range(99):
        schema = {word: {"properties": {"a": schema}, "allOf": [schema]}.get(word, schema)}
    assert kept(schema, {"structuredContent": 1}) is None


def test_quoting_a_large_value_in_many_errors_counts_as_work():
    large = {f"k{n}": n for n in range(50_000)}
    assert kept({"anyOf": [{"type": "string"}] * 500}, {"structuredContent": large}) is None


def test_a_huge_result_is_not_judged():
    assert kept(OBJECT, {"structuredContent": {"n": 1}}, size=2**21) is None


def test_a_schema_that_asks_for_endless_work_is_given_up_on():
    layers = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(40)}
    assert kept({"$defs": layers | {"l40": {}}, "$ref": "#/$defs/l0"}, {"structuredContent": 1}) is None


def test_a_schema_that_refers_to_itself_is_no_endless_loop():
    assert kept({"$ref": "#"}, {"structuredContent": 1}) is None

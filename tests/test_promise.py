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


def test_a_huge_result_is_not_judged():
    assert kept(OBJECT, {"structuredContent": {"n": 1}}, size=2**21) is None


def test_a_schema_that_asks_for_endless_work_is_given_up_on():
    layers = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(40)}
    assert kept({"$defs": layers | {"l40": {}}, "$ref": "#/$defs/l0"}, {"structuredContent": 1}) is None


def test_a_schema_that_refers_to_itself_is_no_endless_loop():
    assert kept({"$ref": "#"}, {"structuredContent": 1}) is None

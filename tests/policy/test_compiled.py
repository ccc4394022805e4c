"""The quick test and the one that explains agree on every schema and value."""

import pytest
from hypothesis import given

from mcp_assay.policy import schema
from mcp_assay.policy.compiled import compiled
from mcp_assay.policy.tools import TOOLS
from policy_schemas import SCHEMAS, VALUES


@given(SCHEMAS, VALUES)
def test_both_come_to_the_same_verdict(asked, value):
    assert bool(compiled(asked)(value)) is (schema.problems(asked, value) == [])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("value", [None, [], "x", {}, {"budget": 1}, {"urls": [1]}, {"contract": {}, "response": 3}])
def test_the_tools_own_schemas_too(tool, value):
    assert bool(compiled(tool.input_schema)(value)) is (schema.problems(tool.input_schema, value) == [])

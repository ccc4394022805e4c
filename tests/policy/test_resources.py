import json

from mcp_assay.policy import resources
from mcp_assay.policy.tools import TOOLS


def text(uri, scorecard=None):
    found = resources.read(uri, lambda: scorecard)
    assert found is not None
    kind, content = found
    assert kind == next(resource.mime_type for resource in resources.RESOURCES if resource.uri == uri)
    return content


def test_the_contracts_are_the_full_schemas_of_all_tools():
    listed = json.loads(text("agent-eval://contracts/tools"))["tools"]
    assert [entry["inputSchema"] for entry in listed] == [tool.input_schema for tool in TOOLS]
    assert [entry["outputSchema"] for entry in listed] == [tool.output_schema for tool in TOOLS]


def test_the_fixtures_are_the_cases():
    assert json.loads(text("agent-eval://fixtures/cases"))["version"] == 2


def test_the_scorecard_is_empty_until_there_is_one():
    assert text("agent-eval://scorecard/latest") == ""
    assert text("agent-eval://scorecard/latest", "# Scorecard\n") == "# Scorecard\n"


def test_an_unknown_uri_is_none():
    assert resources.read("agent-eval://contracts/tools/", lambda: "x") is None

"""Arguments: what is given stays, the rest comes from where it is surest."""

from hypothesis import given

from core_schemas import JSON
from manifests import tool
from mcp_assay.core.fill import fill
from mcp_assay.core.harvest import Harvest
from mcp_assay.core.model import Tool


def harvested(data):
    harvest = Harvest("x")
    harvest.take(tool("list_issues"), {"structuredContent": data})
    return harvest


def test_only_what_is_required_is_filled_in():
    filled = fill("x", tool("search", "query*", "limit:integer"), {})
    assert (filled.args, filled.missing) == ({"query": "test"}, ())


def test_what_is_given_stays():
    assert fill("x", tool("search", "query*"), {"query": "mine", "other": 1}).args == {"query": "mine", "other": 1}


def test_what_nothing_supplies_is_named():
    assert fill("x", tool("get_issue", "id*", "wibble*"), {}).missing == ("id", "wibble")


def test_an_identifier_comes_from_a_result_before_the_schemas_example():
    consumer = tool("get_issue", "id*", id={"type": "string", "examples": ["A-1"]})
    assert fill("x", consumer, {}, harvest=harvested({"project": {"id": "P-3"}})).args == {"id": "A-1"}
    seen = harvested({"issues": [{"id": "B-2"}]})
    assert fill("x", consumer, {}, harvest=seen).args == {"id": "B-2"}


def test_other_values_come_from_the_schema_before_a_result():
    consumer = tool("search", "query*", query={"type": "string", "default": "usual"})
    assert fill("x", consumer, {}, harvest=harvested({"query": "seen"})).args == {"query": "usual"}


def test_a_search_looks_for_something_that_is_there():
    seen = harvested({"issues": [{"id": 1, "title": "Time out"}]})
    assert fill("x", tool("search", "query*"), {}, harvest=seen).args == {"query": "Time out"}
    assert fill("x", tool("search", "query*"), {}, harvest=Harvest("x")).args == {"query": "test"}


def test_a_choice_is_never_taken_from_a_result():
    consumer = tool("get_issue", "issue_id*", issue_id={"type": "string", "enum": ["a", "b"]})
    assert fill("x", consumer, {}, harvest=harvested({"issues": [{"id": "b"}]})).args == {"issue_id": "a"}


def test_test_resources_come_first_even_where_the_parameter_is_optional():
    consumer = tool("list_issues", "project", "query")
    assert fill("x", consumer, {}, resources=["project: play"]).args == {"project": "play"}


@given(JSON, JSON)
def test_total(schema, data):
    filled = fill("x", Tool("get_issue", input_schema={"properties": {"id": schema}, "required": ["id", "b"]}), {},
                  resources=["id: x"], harvest=harvested(data))  # fmt: skip
    assert set(filled.missing) | set(filled.args) == {"id", "b"}

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.accepts import accepts


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "actions"),
    [
        (of(operation={"enum": ["get", "create", "drop_table"]}), ["create", "drop_table"]),
        (of(action={"anyOf": [{"const": "list"}, {"const": "issue.delete"}]}), ["issue.delete"]),
        (of(params={"type": "object", "properties": {"method": {"enum": ["GET", "POST"]}}}), ["POST"]),
        (of(steps={"type": "array", "items": of(command={"enum": ["click", "remove"]})}), ["remove"]),
        (of(method={"enum": ["get_workflow_run", "list_updates"]}), []),
        (of(mode={"enum": ["read-only", "workspace-write", "overwrite"]}), ["overwrite"]),
        (of(status={"enum": ["create", "delete"]}), []),
        (of(operation={"type": "string"}), []),
        (of(method={"type": "string"}, url={}, body={}), ["method"]),
        (of(httpMethod={"type": "string"}, request_payload={}), ["httpMethod"]),
        (of(method={"enum": ["GET", "HEAD"]}, body={}), []),
        (of(method={"type": "string"}, message={}), []),
        (of(method={"type": "string"}, url={}), []),
    ],
)
def test_mutating_actions_that_a_schema_offers(schema: dict[str, Any], actions: list[str]) -> None:
    assert accepts(schema).actions == actions


@pytest.mark.parametrize("name", ["sql", "code", "source_code", "shellCommand", "script", "cypher", "raw_sql"])
def test_parameters_that_take_a_program(name: str) -> None:
    assert accepts(of(**{name: {"type": "string"}})).programs == [name]


@pytest.mark.parametrize("name", ["regionCode", "status_code", "query", "id", "encode"])
def test_parameters_that_take_none(name: str) -> None:
    assert accepts(of(**{name: {"type": "string"}})).programs == []


@pytest.mark.parametrize("name", ["outputPath", "save_to", "output_dir", "downloadFolder", "outfile"])
def test_parameters_that_say_where_a_file_is_written(name: str) -> None:
    schema = of(**{name: {"type": "string"}})
    assert (accepts(schema).saves, accepts(schema).always_saves) == ([name], [])
    assert accepts({**schema, "required": [name]}).always_saves == [name]


@pytest.mark.parametrize("name", ["path", "file", "fileName", "to", "output", "folder_id", "source_path"])
def test_a_path_to_read_from_is_not_one(name: str) -> None:
    assert accepts(of(**{name: {"type": "string"}})).saves == []


def test_what_is_stored_or_sent() -> None:
    assert accepts(of(body={}, messageText={}, content={}, id={})).stores == ["body", "content"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["properties", "items", "anyOf", "enum", "const", "required", "$defs", "action", "sql", "to"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["properties", "required", "anyOf", "x"]), json_values, max_size=4))
def test_no_schema_is_too_odd(schema: dict[str, Any]) -> None:
    assert accepts(schema) == accepts(schema)


def test_a_schema_that_holds_itself_ends() -> None:
    schema: dict[str, Any] = of(action={"enum": ["delete"]})
    schema["properties"]["again"] = schema
    assert "delete" in accepts(schema).actions

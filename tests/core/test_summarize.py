import json
import math
import string
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.errclass import CLASSES
from mcp_assay.core.model import Outcome, Reply, Tool, canonical
from mcp_assay.core.summarize import _spelled, args_summary, digest, result_facts, result_shape

ISSUE = {"type": "object", "properties": {key: {} for key in ("id", "state", "title")}}
SEARCH = {
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "labels": {"type": "array", "items": {"type": "string"}},
        "opts": {"properties": {"deep": {"type": "boolean"}, "mode": {"enum": ["canary"]}}},
    }
}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def ok(result: Mapping[str, Any] | None, **facts: Any) -> Reply:
    return Reply(Outcome.OK, result, **facts)


def nested(depth: int) -> Any:
    value: Any = "leaf"
    for _ in range(depth):
        value = [value]
    return value


# arguments


@pytest.mark.parametrize(
    ("args", "schema", "expected"),
    [
        ({}, SEARCH, "{}"),
        ({"query": "how are you"}, SEARCH, "{query: string[11]}"),
        (
            {"query": "x" * 12, "limit": 5, "labels": ["a", "b", "c"], "token": "s3cret", "pin": 1},
            SEARCH,
            "{query: string[12], limit: int, labels: array[3] of string, +2 undeclared}",
        ),
        ({"opts": {"deep": True, "mode": "canary", "x": 1}}, SEARCH, "{opts: object{deep,mode,+1}}"),
        ({"limit": None}, SEARCH, "{limit: null}"),
        ({"a": 1, "b": 2}, {}, "{+2 undeclared}"),
        ({"a b": 1}, {"properties": {"a b": {}}}, "{key?: int}"),
        ({"query": "\ud800"}, SEARCH, "{query: string[1]}"),
        ({"limit": math.nan}, SEARCH, "{limit: number}"),
        ({"query": nested(20_000)}, SEARCH, "{query: array[1] of array}"),
    ],
)
def test_arguments_are_summed_up_by_declared_name_and_shape(
    args: dict[str, Any], schema: dict[str, Any], expected: str
) -> None:
    assert args_summary(args, schema) == expected


def test_a_long_summary_says_how_many_arguments_it_leaves_out() -> None:
    keys = [f"parameter_number_{number}" for number in range(100)]
    summary = args_summary({**dict.fromkeys(keys, 1), "other": 2}, {"properties": dict.fromkeys(keys, True)})
    shown = summary.count(": int")
    assert 5 < shown < 100
    assert summary.endswith(f", +{100 - shown} more, +1 undeclared}}")
    assert len(summary) <= 300


# results


@pytest.mark.parametrize(
    ("result", "schema", "expected"),
    [
        ({"structuredContent": {"id": 1, "title": "x"}}, ISSUE, "object{id,title}"),
        ({"structuredContent": {"id": 1, "title": "x"}}, None, "map[2]"),
        (
            {"structuredContent": [{"id": 1, "state": "", "title": ""}] * 47},
            {"items": ISSUE},
            "array[47] of {id,state,title}",
        ),
        (
            {"structuredContent": {"result": [{"id": 1}]}, "content": [text('[{"id": 1}]')]},
            {"properties": {"result": {"items": ISSUE}}},
            "object{result: array[1] of {id}}",
        ),
        ({"content": [text("x" * 1234)]}, None, "text[1234]"),
        ({"content": [text('[{"a": 1, "b": 2, "c": 3}]')]}, None, "text:json array[1] of map[3]"),
        ({"content": [text('{"id": 1}')]}, ISSUE, "text:json object{id}"),
        ({"content": [text('{"v": NaN}')]}, None, "text[10]"),
        ({"content": [text("[" * 200_000)]}, None, "text[200000]"),
        (
            {"structuredContent": {"result": '{"id": 1}'}, "content": [text('{"id": 1}')]},
            {"properties": {"result": {}}},
            "text:json map[1]",
        ),
        ({"content": [text("x" * 10), {"type": "image"}, {"type": "resource"}]}, None,
         "content[3]: text[10], image, resource"),
        ({"content": [text("")] * 9}, None, f"content[9]: {', '.join(['text[0]'] * 6)}, +3"),
        ({"structuredContent": {"result": "hello"}, "content": [text("hello")]}, None, "text[5]"),
        ({"content": [{"type": "audio"}]}, None, "audio"),
        ({"content": [{"type": "canary"}]}, None, "other"),
        ({"content": []}, None, "empty"),
        ({}, None, "empty"),
        (None, None, "empty"),
        ({"completion": {"values": ["canary"]}}, None, "map[1]"),
    ],
)  # fmt: skip
def test_results_by_shape(result: dict[str, Any] | None, schema: dict[str, Any] | None, expected: str) -> None:
    assert result_shape(ok(result), schema) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(Outcome.ERROR, error_text="HTTP 403 for url"), "error:403"),
        (Reply(Outcome.ERROR, error_code=-32602), "error:validation"),
        (Reply(Outcome.ERROR, error_code=-1, error_text="boom"), "error:unspecified"),
        (Reply(Outcome.TIMEOUT), "error:timeout"),
        (Reply(Outcome.LOST), "error:lost"),
        (Reply(Outcome.CANCELLED), "error:cancelled"),
    ],
)
def test_failures_by_status_or_class(reply: Reply, expected: str) -> None:
    assert result_shape(reply, None) == expected


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR])
def test_an_error_mark_outranks_structured_content_and_no_message_gets_out(outcome: Outcome) -> None:
    result = {
        "isError": True,
        "structuredContent": {"total": 41},
        "content": [text("ECONNREFUSED while using password hunter2")],
    }
    reply = Reply(outcome, result, size=90)
    assert result_shape(reply, {"properties": {"total": {}}}) == "error:network"
    facts = result_facts(reply, {}, None)
    assert (facts["error_class"], facts["error_in_success"], facts["total"]) == ("network", False, None)


def test_long_declared_names_are_counted_rather_than_cut() -> None:
    names = [letter * 40 for letter in string.ascii_letters]
    schema = {"properties": dict.fromkeys(names, True)}
    shape = result_shape(ok({"structuredContent": dict.fromkeys(names, 1)}), schema)
    assert shape == f"object{{{names[0]},{names[1]},{names[2]},+49}}"


def test_facts_of_a_page_of_records() -> None:
    page = {"items": [{"id": number} for number in range(12)], "total": 40, "next_cursor": "canary"}
    reply = ok({"content": [text(json.dumps(page)), {"type": "image"}]}, size=1_234, schema_valid=True)
    tool = Tool("list", input_schema={"properties": {"limit": {"default": 12}}})
    assert result_facts(reply, {}, tool) == {
        "bytes": 1_234,
        "est_tokens": 309,
        "content": ["image", "text"],
        "structured": False,
        "schema_valid": True,
        "text_is_json": True,
        "wraps": False,
        "items": 12,
        "total": 40,
        "at_limit": True,
        "next_cursor": True,
        "identified": True,
        "echoes": False,
        "error_in_success": False,
        "error_class": None,
        "cause": None,
        "about": None,
    }


@pytest.mark.parametrize(
    ("content", "structured", "wraps", "is_json"),
    [
        ("[2]", {"content": "[2]"}, True, True),
        ("[2]", {"result": "[2]"}, True, True),
        ("plain", {"content": "plain"}, True, False),
        ("[2]", {"content": "[3]"}, False, True),
        ("[2]", {"content": "[2]", "more": 1}, False, True),
        ("[2]", None, False, True),
    ],
)
def test_facts_of_structured_content_that_is_the_text_again(
    content: str, structured: object, wraps: bool, is_json: bool
) -> None:
    facts = result_facts(ok({"content": [text(content)], "structuredContent": structured}), {}, None)
    assert (facts["wraps"], facts["text_is_json"]) == (wraps, is_json)


@pytest.mark.parametrize(
    ("result", "cause"),
    [
        ({"content": [text("Error executing tool get_issue")], "isError": True}, False),
        ({"content": [text("Something went wrong")], "structuredContent": {"result": "Something went wrong"}}, False),
        ({"content": [], "isError": True}, False),
        ({"content": [text("The branch is protected")], "isError": True}, True),
        ({"content": [text("Error"), {"type": "image"}], "isError": True}, True),
        ({"content": [text("Error")], "structuredContent": {"reason": 7}, "isError": True}, True),
        (None, None),
    ],
)
def test_facts_of_an_error_say_whether_it_names_a_cause(result: dict[str, Any] | None, cause: bool | None) -> None:
    reply = Reply(Outcome.ERROR, result, error_code=None if result else -32603, error_text="Internal error")
    assert result_facts(reply, {}, Tool("get_issue"))["cause"] is cause


def test_facts_of_an_error_that_calls_itself_a_success() -> None:
    facts = result_facts(ok({"content": [text("Error: no such project")]}), {}, None)
    assert (facts["error_in_success"], facts["error_class"], facts["next_cursor"]) == (True, "not_found", None)


def test_facts_of_a_call_that_returned_nothing() -> None:
    facts = result_facts(Reply(Outcome.TIMEOUT), {"limit": 3}, None)
    assert facts["error_class"] == "timeout"
    assert (facts["bytes"], facts["est_tokens"], facts["content"], facts["items"]) == (0, 0, [], None)


def test_a_result_of_a_million_leaves_is_described() -> None:
    reply = ok({"structuredContent": {"rows": [[1, 2, 3, 4]] * 250_000}})
    assert result_shape(reply, None) == "map[1]"
    assert result_facts(reply, {}, None)["items"] == 250_000


# no value gets out

CANARY = "canary"
secrets = st.builds(lambda before, after: f"{before}{CANARY}{after}", st.text(max_size=3), st.text(max_size=3))
keys = st.one_of(secrets, st.sampled_from(["id", "next_cursor", "error", "errors", "status", "total", "items", "type"]))
scalars = st.one_of(secrets, st.none(), st.booleans(), st.integers(), st.floats())
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
objects = st.dictionaries(keys, values, max_size=5)
schemas = st.recursive(
    st.fixed_dictionaries({"enum": st.lists(secrets), "const": secrets, "default": values, "description": secrets}),
    lambda inner: st.fixed_dictionaries(
        {
            "properties": st.dictionaries(st.sampled_from(["id", "items", "opts", "a b", "caf\u00e9"]), inner),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "$ref": secrets,
        }
    ),
    max_leaves=5,
)
FRAMES = ["{}Error: x", "Error: {}", "HTTP 404 {}", "{} not found", "Traceback {}", '{"error": "{}"}', "{}"]
errors = st.builds(lambda frame, secret: frame.replace("{}", secret), st.sampled_from(FRAMES), secrets)
texts = st.one_of(secrets, errors, values.map(json.dumps), objects.map(json.dumps))
blocks = st.one_of(
    texts.map(text),
    st.fixed_dictionaries({"type": st.one_of(secrets, st.none()), "mimeType": secrets, "data": secrets}),
    st.fixed_dictionaries(
        {"type": st.just("resource"), "resource": st.fixed_dictionaries({"uri": secrets, "text": texts})}
    ),
    values,
)
results = st.one_of(
    st.none(),
    objects,
    st.fixed_dictionaries(
        {},
        optional={
            "content": st.lists(blocks, max_size=4),
            "structuredContent": values,
            "isError": st.one_of(st.booleans(), secrets),
            "nextCursor": secrets,
            "_meta": objects,
        },
    ),
)
replies = st.builds(
    Reply,
    st.sampled_from(Outcome),
    results,
    st.one_of(st.none(), st.integers()),
    errors,
    st.integers(min_value=0, max_value=10**9),
    schema_valid=st.sampled_from([None, True, False]),
)


@given(objects, schemas)
def test_no_argument_value_or_undeclared_key_gets_into_a_summary(args: dict[str, Any], schema: dict[str, Any]) -> None:
    summary = args_summary(args, schema)
    assert CANARY not in summary
    assert summary.isascii()
    assert len(summary) <= 300


@given(replies, st.one_of(st.none(), schemas))
def test_nothing_of_a_reply_gets_into_its_shape(reply: Reply, schema: dict[str, Any] | None) -> None:
    shape = result_shape(reply, schema)
    assert CANARY not in shape.lower()
    assert shape.isascii()
    assert len(shape) <= 160
    if shape.startswith("error:"):
        word = shape.removeprefix("error:")
        assert word in CLASSES or f"http:{word}" in CLASSES


@given(replies, objects, schemas)
def test_nothing_of_a_reply_gets_into_its_facts(reply: Reply, args: dict[str, Any], schema: dict[str, Any]) -> None:
    facts = result_facts(reply, args, Tool("t", input_schema=schema))
    written = json.dumps(facts, allow_nan=False)
    assert CANARY not in written
    assert len(written) < 400
    assert facts["error_class"] is None or facts["error_class"] in CLASSES
    assert set(facts["content"]) <= {"audio", "image", "other", "resource", "resource_link", "text"}


def masked(value: Any) -> Any:
    """Another value of the same shape: every string, number and undeclared key is a different one."""
    if isinstance(value, str):
        return "z" * len(value)
    if isinstance(value, dict):
        return {
            key if key in SEARCH["properties"] else f"masked {index}": masked(item)
            for index, (key, item) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [masked(item) for item in value]
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) else value


@given(st.dictionaries(st.one_of(st.sampled_from([*SEARCH["properties"]]), secrets), values))
def test_a_summary_depends_on_nothing_but_the_shape(args: dict[str, Any]) -> None:
    schema: dict[str, Any] = {"properties": {key: {} for key in SEARCH["properties"]}}
    assert args_summary(args, schema) == args_summary(masked(args), schema)


# digests


def test_equal_values_have_equal_digests_and_the_key_matters() -> None:
    assert digest(b"k", {"a": 1, "b": [2]}) == digest(b"k", {"b": [2], "a": 1})
    assert digest(b"k", "a") != digest(b"other", "a")
    assert digest(b"k", True) != digest(b"k", 1)
    assert digest(b"k", "1") != digest(b"k", 1)
    assert len(digest(b"k", None)) == 16


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, "\ud800", {"\udc00": "\ud800"}, 10**5_000, {1: "a", "b": 2}, b"bytes", nested(20_000)],
    ids=["nan", "inf", "surrogate", "surrogate key", "huge", "mixed keys", "bytes", "deep"],
)
def test_a_digest_is_total(value: object) -> None:
    assert digest(b"k", value) == digest(b"k", value)
    assert digest(b"k", value) != digest(b"k", [value])


@given(values)
def test_a_digest_does_not_depend_on_how_it_was_spelled(value: Any) -> None:
    # A value that is nested too deeply for the fast way is spelled in the slow one.
    assert "".join(_spelled(value)) == canonical(value)


def test_the_declared_parameters_that_an_error_names() -> None:
    schema: dict[str, Any] = {"properties": {name: {} for name in ("state", "issue_id", "limit", "due", "odd name")}}
    tool = Tool("list", input_schema=schema)

    def about(words: str) -> object:
        return result_facts(ok({"content": [text(words)], "isError": True}, size=10), {}, tool)["about"]

    assert about("state: 'x' is no code; see also odd name") == ["state"]
    assert about("restate the issue_ids") == []
    assert about("due, limit, issue_id, state") == ["state", "issue_id", "limit"]
    assert result_facts(ok({"content": [text("state")]}, size=10), {}, tool)["about"] is None

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.content import read
from mcp_assay.core.errclass import CLASSES, classify, failure, hidden_failure
from mcp_assay.core.model import Outcome, Reply


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


@pytest.mark.parametrize(
    ("code", "said", "expected"),
    [
        (-32700, "", "parse_error"),
        (-32600, "", "invalid_request"),
        (-32601, "", "method_not_found"),
        (-32602, "Unknown tool: x", "validation"),
        (-32002, "", "not_found"),
        (-32603, "", "internal"),
        (-32603, "upstream said 404 Not Found", "http:404"),
        (-32603, "permission denied", "forbidden"),
        (-32000, "", "unspecified"),
        (-32000, "rate limit exceeded", "rate_limited"),
        (429, "", "http:429"),
        (600, "", "unspecified"),
        (None, "", "unspecified"),
    ],
)
def test_json_rpc_codes_by_name_and_vague_ones_by_their_text(code: int | None, said: str, expected: str) -> None:
    assert classify(code, said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "HTTP 404",
        "HTTP/1.1 404 whatever",
        "HTTP error 404: gone fishing",
        "HTTP status code: 404",
        "Request failed with status code 404",
        '{"message": "x", "status": 404}',
        '{"statusCode":404}',
        "returned a status of 404",
        "Client error '404 Missing' for url",
        "404 Client Error: x",
        "Error 404: no page",
        "error code: 404",
        "Error (404)",
        "API said 404 Not Found",
    ],
)
def test_a_status_is_read_where_the_words_around_it_say_so(said: str) -> None:
    assert classify(None, said) == "http:404"


@pytest.mark.parametrize(
    "said",
    [
        "there are 404 rows",
        "HTTP 4041",
        "HTTP 404.5",
        "issue #404 not found",
        "order 1404 not found",
        "status: 200",
        "status: 302",
        "$500 conflict",
        "port 443",
        "waited 500 ms",
    ],
)
def test_three_digits_alone_are_no_status(said: str) -> None:
    assert not classify(None, said).startswith("http:")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Input validation error: 'x' is not of type 'integer'", "validation"),
        ("1 validation error for getArguments: field not found", "validation"),
        ("'title' is required", "validation"),
        ("Invalid arguments", "validation"),
        ("You are sending too many requests", "rate_limited"),
        ("the operation timed out", "timeout"),
        ("request timeout", "timeout"),
        ("Bad credentials", "unauthorized"),
        ("expired access token", "unauthorized"),
        ("You are not allowed to do this", "forbidden"),
        ("EACCES: permission denied, open", "forbidden"),
        ("Branch already exists", "conflict"),
        ("response too large", "too_large"),
        ("Project not found", "not_found"),
        ("ENOENT: no such file", "not_found"),
        ("This is not supported on your plan", "unsupported"),
        ("connection refused token=abc123", "network"),
        ("service temporarily unavailable", "unavailable"),
        ("Internal error", "internal"),
        ("computer says no", "unspecified"),
    ],
)
def test_wordings(said: str, expected: str) -> None:
    assert classify(None, said) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(Outcome.OK, text("Error: not found")), None),
        (Reply(Outcome.OK, None), None),
        (Reply(Outcome.OK, {"isError": False, **text("not found")}), None),
        (Reply(Outcome.OK, {"isError": True, **text("not found")}), "not_found"),
        (Reply(Outcome.ERROR, {"isError": True, "structuredContent": {"status": 403}}), "http:403"),
        (Reply(Outcome.ERROR, {"isError": True}), "unspecified"),
        (Reply(Outcome.ERROR, error_code=-32602, error_text="x"), "validation"),
        (Reply(Outcome.TIMEOUT, error_text="not found"), "timeout"),
        (Reply(Outcome.LOST), "lost"),
        (Reply(Outcome.CANCELLED), "cancelled"),
        (Reply(Outcome.BLOCKED), "blocked"),
        (Reply(Outcome.UNKNOWN), "unspecified"),
    ],
)
def test_how_the_call_ended_outranks_what_the_text_says(reply: Reply, expected: str | None) -> None:
    assert failure(reply) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"structuredContent": {"error": "not found"}}, "not_found"),
        ({"structuredContent": {"error": {"code": 7, "status": 404}}}, "http:404"),
        ({"structuredContent": {"errors": ["computer says no"]}}, "unspecified"),
        ({"structuredContent": {"error_message": "forbidden"}}, "forbidden"),
        ({"structuredContent": {"error": True}}, "unspecified"),
        ({"structuredContent": {"ok": False}}, "unspecified"),
        ({"structuredContent": {"success": False}}, "unspecified"),
        ({"structuredContent": {"status": "Error"}}, "unspecified"),
        ({"structuredContent": {"status": "failed"}}, "unspecified"),
        (text('{"success": false, "message": "rate limit"}'), "rate_limited"),
        (text("Error: not found\nmore"), "not_found"),
        (text("\n  error executing tool x: forbidden"), "forbidden"),
        (text("Exception: boom"), "unspecified"),
        (text("ValueError: invalid input"), "validation"),
        (text("\u274c Error: boom"), "unspecified"),
        (text("Traceback (most recent call last):\n"), "internal"),
        (text("Failed to fetch: connection refused"), "network"),
        ({"structuredContent": {"result": "Error: not found"}, **text("Error: not found")}, "not_found"),
        # near misses
        ({"structuredContent": {"error": None, "errors": [], "ok": True, "status": "ok"}}, None),
        ({"structuredContent": {"errors": 3}}, None),
        ({"structuredContent": {"error": "", "ok": None, "success": 0}}, None),
        ({"structuredContent": {"items": [{"error": "x"}]}}, None),
        ({"structuredContent": [{"error": "x"}]}, None),
        (text("No errors found. Error: none of them"), None),
        (text("Terror: a history"), None),
        (text("Errors are listed below"), None),
        (text("A failed to do list"), None),
        ({}, None),
    ],
)
def test_errors_that_a_success_reports(result: dict[str, Any], expected: str | None) -> None:
    assert hidden_failure(read(result)) == expected


@given(st.one_of(st.none(), st.integers()), st.text())
def test_whatever_is_said_the_class_is_one_of_ours(code: int | None, said: str) -> None:
    assert classify(code, said) in CLASSES
    assert classify(code, f"Error {said} HTTP {said} status: {said}") in CLASSES


@pytest.mark.parametrize("unit", ["http ", " ", "status", "error (", "A", "invalid x ", "4", "\n", "::"])
def test_long_hostile_text_is_read_in_bounded_time(unit: str) -> None:
    started = time.perf_counter()
    classify(None, unit * 1_000_000)
    hidden_failure(read(text(unit * 100_000)))
    assert time.perf_counter() - started < 1

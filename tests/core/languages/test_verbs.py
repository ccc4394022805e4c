"""Words that say what a call does."""

import pytest

from mcp_assay.core.languages.given import given
from mcp_assay.core.languages.roles import role
from mcp_assay.core.languages.verbs import why_not
from mcp_assay.core.model import Tool


def judged(name, value, *, description="", schema=None, more=None):
    declared = {"type": "string", **(schema or {})}
    raw = {"name": "get_it", "description": description, "inputSchema": {"properties": {name: declared}}}
    (argument, *_) = given(Tool.from_raw(raw), "srv", {} if value is None else {name: value, **(more or {})})
    return why_not(role(name), argument)


@pytest.mark.parametrize("name", ["http_method", "verb", "requestMethod"])
@pytest.mark.parametrize(
    ("value", "reads"),
    [("GET", True), (" get ", True), ("HEAD", True), ("options", True), ("POST", False), ("delete", False),
     ("PATCH", False), ("\uff30\uff35\uff34", False), ("MKCOL", False), ("GET, POST", False), ("TRACE", False)],
)  # fmt: skip
def test_of_http_only_get_head_and_options_read(name, value, reads):
    assert (judged(name, value) is None) == reads


@pytest.mark.parametrize(
    ("value", "more", "reads"),
    [("get_diff", {}, True), ("get_workflow_run", {}, True), ("labels", {}, True), ("POST", {}, False),
     ("delete", {}, False), ("GET", {"url": "x"}, True), ("labels", {"url": "x"}, False)],
)  # fmt: skip
def test_a_method_is_https_next_to_a_url_and_an_action_elsewhere(value, more, reads):
    assert (judged("method", value, more=more) is None) == reads


@pytest.mark.parametrize("name", ["action", "operation", "op", "mode", "operations"])
@pytest.mark.parametrize(
    ("value", "reads"),
    [
        *[
            (value, True)
            for value in ("list", "get", "get_workflow_run", "download_workflow_run_artifact", "similar", "versions")
        ],
        *[(value, True) for value in ("list_closed", "GetUpdate", "search", "frobnicate", "walking", "SELECT")],
        *[(value, False) for value in ("delete", "DELETE", " Delete ", "deleteItem", "bulk_delete", "item.delete")],
        *[(value, False) for value in ("get_or_create", "list-and-clear", "items:remove", "\uff44elete", "purge all")],
    ],
)
def test_a_verb_that_mutates_counts_where_verbs_stand(name, value, reads):
    assert (judged(name, value) is None) == reads


@pytest.mark.parametrize(
    ("value", "schema", "reads"),
    [
        ("list", {}, True),
        ("LIST", {}, True),
        ("reboot", {}, False),
        ("ls -l", {}, False),
        ("view", {"enum": ["view", "delete"]}, True),
        ("delete", {"enum": ["view", "delete"]}, False),
        (None, {"default": "view"}, True),
        (None, {"default": "delete"}, False),
    ],
)
def test_a_command_reads_only_if_the_tool_offers_it(value, schema, reads):
    assert (judged("command", value, schema=schema) is None) == reads


@pytest.mark.parametrize("name", ["script", "javascript", "python_code", "shell", "source_code", "initScript", "code"])
def test_code_is_never_a_read(name):
    assert judged(name, "print(1)")
    assert judged(name, "reboot")


@pytest.mark.parametrize("value", ["USD", "404", "E11000", "DE-BE"])
def test_a_short_code_is_no_program(value):
    assert judged("code", value) is None
    assert judged("script", value)


@pytest.mark.parametrize(
    ("description", "reads"),
    [("Evaluates an expression.", False), ("Runs JavaScript in the page.", False), ("Searches by expression.", True)],
)
def test_an_expression_is_code_where_it_is_evaluated(description, reads):
    assert (judged("expression", "1 + 1", description=description) is None) == reads


@pytest.mark.parametrize(
    ("name", "value", "says", "reads"),
    [
        ("outputPath", "x", "", False),
        ("saveTo", "/tmp/x", "", False),
        ("output_file", "-", "", True),
        ("filePath", "x.png", "The path to save the screenshot to.", False),
        ("file", "x", "Where the log will be written.", False),
        ("file", "x", "Path to the saved log, or where it is stored.", True),
        ("filePath", "x.png", "The path of the file to parse.", True),
        ("filename", "x.docx", "", True),
        ("output", "json", "", True),
        ("output", "out.json", "", False),
        ("output", "/tmp/x", "", False),
        ("output", "s3://bucket/x", "", False),
        ("destination", "Berlin", "", True),
        ("destination", "8.8.8.8", "", True),
        ("destination", "https://example.com", "", True),
        ("destination", "./x", "", False),
        ("dest", "C:\\x", "", False),
    ],
)
def test_a_file_to_save_to_is_no_read(name, value, says, reads):
    assert (judged(name, value, schema={"description": says}) is None) == reads


@pytest.mark.parametrize(
    ("name", "default"), [("outputPath", "/tmp/x"), ("script", "x"), ("code", "x"), ("output", "/x")]
)
def test_what_is_saved_or_run_counts_only_when_it_is_given(name, default):
    assert judged(name, None, schema={"default": default}) is None

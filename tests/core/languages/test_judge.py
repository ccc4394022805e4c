"""Arguments decide where the name cannot: what they make of a read."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.languages.judge import by_arguments
from mcp_assay.core.model import Tool, Verdict
from sql_texts import READS, WRITES


def tool(description="", name="query", **properties):
    return Tool.from_raw({"name": name, "description": description, "inputSchema": {"properties": properties}})


def rule(args, description="", server="srv", **properties):
    found = by_arguments(tool(description, **properties), server, args)
    assert found is None or found.verdict is Verdict.MUTATING
    return found and found.rule


TEXT = {"type": "string"}


@pytest.mark.parametrize("text", [text for text in WRITES if text.strip()])
@pytest.mark.parametrize("wrap", [lambda text: {"sql": text}, lambda text: {"batch": [{"rawSql": f"  {text} "}]}])
def test_sql_that_writes_is_found_at_any_depth(text, wrap):
    assert rule(wrap(text)) == "sql-argument"


@pytest.mark.parametrize("text", READS[:20])
def test_sql_that_reads_leaves_a_read_a_read(text):
    assert rule({"sql": text}) is None
    assert rule({"query": text}, "Runs SQL.") is None
    assert rule({"input": text}) is None


@pytest.mark.parametrize(
    ("description", "server", "value", "expected"),
    [
        ("Searches pages.", "srv", "vacuum cleaners", None),
        ("Searches pages.", "srv", "DELETE FROM users", "sql-argument"),
        ("Runs a SQL query.", "srv", "VACUUM", "sql-argument"),
        ("Runs a query.", "my-postgres", "VACUUM", "sql-argument"),
        ("A NoSQL store.", "srv", "vacuum cleaners", None),
        ("Runs a GraphQL query.", "srv", "{ users { id } }", None),
        ("Runs a GraphQL query.", "srv", "mutation { a }", "graphql-argument"),
        ("Runs a GraphQL query.", "srv", "plums", "graphql-argument"),
        ("Runs a query.", "neo4j", "MATCH (n) RETURN n", None),
        ("Runs a query.", "neo4j", "MATCH (n) SET n.x = 1", "cypher-argument"),
        ("Runs a query.", "srv", "MATCH (n:Person) SET n.x = 1", "cypher-argument"),
        ("Runs SPARQL.", "srv", "ASK { ?s ?p ?o }", None),
        ("Runs SPARQL.", "srv", "CLEAR ALL", "sparql-argument"),
        ("GraphQL over SQL.", "srv", "{ users { id } }", None),
        ("GraphQL over SQL.", "srv", "SELECT 1", None),
        ("GraphQL over SQL.", "srv", "SELECT 1 SHUTDOWN", "graphql-argument"),
    ],
)
def test_a_query_is_in_the_languages_that_its_tool_speaks(description, server, value, expected):
    assert rule({"query": value}, description, server, query=TEXT) == expected


def test_the_parameters_own_description_may_say_it():
    described = {"type": "string", "description": "a SELECT statement for SQLite"}
    assert rule({"query": "VACUUM"}, query=described) == "sql-argument"
    assert rule({"statement": "VACUUM"}, "Runs SQL.", statement=TEXT) == "sql-argument"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"http_method": "POST"}, "http-method-argument"),
        ({"options": {"action": "delete"}}, "action-argument"),
        ({"command": "rm x"}, "command-argument"),
        ({"code": "rm x"}, "code-argument"),
        ({"steps": [{"script": "x"}]}, "code-argument"),
        ({"outputPath": "x"}, "save-path-argument"),
        ({"output": "./x"}, "save-path-argument"),
        ({"markAsRead": True}, "switch-argument"),
        ({"markAsRead": False}, None),
        ({"pipeline": [{"$out": "x"}]}, "pipeline-argument"),
        ({"pipeline": [{"$match": {"a": 1}}]}, None),
        ({"path": "/x", "limit": 5, "tags": ["delete"], "name": None}, None),
        ({}, None),
        ({"deep": json.loads("[" * 200 + "1" + "]" * 200)}, "arguments-argument"),
        ({f"q{n}": f"SELECT {n} FROM t" for n in range(8)}, None),
        ({f"q{n}": f"SELECT {n} FROM t" for n in range(9)}, "arguments-argument"),
    ],
)
def test_every_kind_has_its_rule(args, expected):
    assert rule(args) == expected


def test_a_default_decides_as_if_it_were_given():
    method = {"type": "string", "default": "POST"}
    assert rule({}, http_method=method) == "http-method-argument"
    assert rule({"http_method": "GET"}, http_method=method) is None


def test_the_words_name_the_argument_and_hold_no_value():
    found = by_arguments(tool(sql=TEXT), "srv", {"sql": "DELETE FROM canary WHERE secret = 'canary'"})
    assert found.words == ("sql: it holds delete",)
    found = by_arguments(tool(sql=TEXT), "srv", {"sql": "SELECT canary('canary')"})
    assert found.words == ("sql: a function that is not known to change nothing",)
    found = by_arguments(tool(), "srv", {"canary; DROP TABLE canary": {"sql": "VACUUM"}})
    assert "canary" not in str(found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(READS + WRITES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["sql", "query", "method", "action", "command", "code", "output", "path", "x"])


@given(st.dictionaries(NAMES, VALUES, max_size=3))
def test_it_is_total_and_says_the_same_twice(args):
    searching = tool("Searches with SQL or GraphQL.", query=TEXT)
    assert by_arguments(searching, "srv", args) == by_arguments(searching, "srv", args)


def test_the_parsers_are_loaded_only_for_a_text_to_parse():
    code = """
import sys
import mcp_assay.cli.main, mcp_assay.cli.evaluate
from mcp_assay.core.languages.judge import by_arguments
from mcp_assay.core.model import Tool
tool = Tool.from_raw({"name": "search", "description": "Searches."})
by_arguments(tool, "srv", {"query": "plums", "path": "/a", "mode": "x", "sql": "DELETE FROM t"})
loaded = [name for name in ("sqlglot", "graphql") if name in sys.modules]
by_arguments(tool, "srv", {"sql": "SELECT 1", "graphql": "{ a }"})
print(loaded, [name for name in ("sqlglot", "graphql") if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout.strip(), ran.stderr) == ("[] ['sqlglot', 'graphql']", "")

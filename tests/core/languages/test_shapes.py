"""What texts look like, whatever their argument is called."""

import time

import pytest

from mcp_assay.core.languages import shapes
from mcp_assay.core.languages.roles import Role


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("DELETE FROM users", Role.SQL),
        ("  -- x\n/* y */ (delete/**/from users", Role.SQL),
        ("/*!50000 DROP TABLE users */", Role.SQL),
        ("x'; DROP TABLE users; --", Role.SQL),
        ("1;update users set a = 1", Role.SQL),
        ("INSERT OR REPLACE INTO users VALUES (1)", Role.SQL),
        ("create or replace view v as select 1", Role.SQL),
        ("\uff24\uff32\uff2f\uff30 TABLE users", Role.SQL),
        ("exec xp_cmdshell 'x'", Role.SQL),
        ("grant all, select on users to x", Role.SQL),
        ("mutation { a }", Role.GRAPHQL),
        ("query A { a } mutation B($x: Int) { b }", Role.GRAPHQL),
        ("# x\nsubscription { a }", Role.GRAPHQL),
        ("MERGE (n:Person)", Role.CYPHER),
        ("PREFIX a: <b> INSERT DATA { <a> <b> <c> }", Role.SPARQL),
    ],
)
def test_statements_that_write_look_like_it(text, language):
    assert shapes.writes(text) == language


@pytest.mark.parametrize(
    "text",
    ["plums", "", "how to delete from a list", "update", "Create a table of contents", "mutation", "gene mutation {x",
     "drop", "SELECT 1", "a; b; c", "call me", "The set; inserted", "delete", "merge (a)"],
)  # fmt: skip
def test_words_do_not(text):
    assert shapes.writes(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("SELECT a FROM b", Role.SQL),
        ("(select a\nfrom b)", Role.SQL),
        ("with x as (select 1) select 2", Role.SQL),
        ("MATCH (n:Person) RETURN n", Role.CYPHER),
        ("select the best", None),
        ("match", None),
        ("a SELECT b FROM c", None),
    ],
)
def test_queries_look_like_it(text, language):
    assert shapes.queries(text) == language


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"$match": {}}, {"$out": "copy"}], True),
        ([{"$lookup": {"pipeline": [{"$merge": {"into": "copy"}}]}}], True),
        ({"$where": "sleep(1)"}, True),
        ('[{"$out": "copy"}]', True),
        ("[{$out: 'copy'}]", True),
        ([{"$match": {"a": "$out"}}], False),
        ({"a": {"$gt": 5}}, False),
        ("$out", False),
        (5, False),
        ([{1, 2}], True),
    ],
)
def test_stages_that_write_are_seen_at_any_depth(value, expected):
    assert shapes.stage_writes(value) == expected


def test_what_is_too_deep_to_be_written_down_may_write():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shapes.stage_writes(deep)


@pytest.mark.parametrize(
    "text",
    [";" * 300_000, "; -- x\n" * 40_000, ";/*" * 100_000, "; " * 150_000, "} mutation " * 30_000, "} # x\n" * 50_000,
     "grant " + " " * 300_000, "update " + "x" * 300_000, "select " + "from" * 80_000, "{" + " " * 300_000,
     "prefix " + ":" * 300_000, "; grant a" * 30_000],
)  # fmt: skip
def test_no_text_takes_long(text):
    began = time.process_time()
    shapes.writes(text)
    shapes.queries(text)
    shapes.stage_writes(text + "$")
    assert time.process_time() - began < 2

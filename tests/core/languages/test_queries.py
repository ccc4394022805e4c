"""Query languages without a parser: a conservative rule over their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.languages.queries import CYPHER, OTHER, SPARQL, why_not


@pytest.mark.parametrize(
    ("text", "grammar"),
    [
        ("MATCH (n:Person) RETURN n.name LIMIT 5", CYPHER),
        ("MATCH (a)-[:KNOWS]->(b) WHERE a.name = 'Delete me' RETURN b", CYPHER),
        ("OPTIONAL MATCH (n) WITH n, count(*) AS c RETURN c ORDER BY c", CYPHER),
        ("UNWIND [1, 2] AS x RETURN x", CYPHER),
        ("MATCH (n) WHERE n.born < date('2000-01-01') RETURN duration.between(n.born, n.at)", CYPHER),
        ("EXPLAIN MATCH (n) RETURN n", CYPHER),
        ("SELECT ?s WHERE { ?s ?p ?o } LIMIT 5", SPARQL),
        ("PREFIX ex: <http://example.org/ns#> SELECT ?s WHERE { ?s a ex:Delete_ }", SPARQL),
        ("ASK { <http://example.org/#insert> ?p ?o }", SPARQL),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", SPARQL),
        ("FOR u IN users FILTER u.age > 5 RETURN u", OTHER),
        ('text ~ "create a page" AND type = page ORDER BY created', OTHER),
        ("SELECT * FROM person WHERE name = 'x'", OTHER),
    ],
)
def test_an_honest_read_is_one(text, grammar):
    assert why_not(text, grammar) is None


@pytest.mark.parametrize(
    ("text", "grammar"),
    [
        ("CREATE (n:Person)", CYPHER),
        ("MATCH (n) DETACH DELETE n", CYPHER),
        ("MATCH (n) sEt n.x = 1", CYPHER),
        ("MATCH (n) REMOVE n.x", CYPHER),
        ("MERGE (n:Person)", CYPHER),
        ("MATCH (n) FOREACH (x IN [1] | CREATE ())", CYPHER),
        ("CALL apoc.periodic.iterate('x', 'y', {})", CYPHER),
        ("MATCH (n) CALL { WITH n DELETE n } RETURN 1", CYPHER),
        ("LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l", CYPHER),
        ("RETURN apoc.cypher.runFirstColumn('x', {})", CYPHER),
        ("MATCH (n) /* ' */ SET n.x = 1 /* ' */ RETURN n", CYPHER),
        ("MATCH (n) // '\nSET n.x = 1 // '", CYPHER),
        ("MATCH (n) WHERE n.x = 'a\\' SET n.x = 1 //' RETURN n", CYPHER),
        ("MATCH (n) WHERE n.x = '\\u0027 SET n.y = 1 //' RETURN n", CYPHER),
        ("MATCH (n) S\\u0045T n.x = 1", CYPHER),
        ("MATCH (n) \uff33\uff25\uff34 n.x = 1", CYPHER),
        ("DROP INDEX x", CYPHER),
        ("TERMINATE TRANSACTION 'x'", CYPHER),
        ("INSERT DATA { <a> <b> <c> }", SPARQL),
        ("DELETE WHERE { ?s ?p ?o }", SPARQL),
        ("PREFIX a: <b> DELETE WHERE { ?s ?p ?o }", SPARQL),
        ("SELECT ?s WHERE { SERVICE <http://x> { ?s ?p ?o } }", SPARQL),
        ("SELECT ?s WHERE { ?s ?p '''a'b''' }; DROP ALL; SELECT ?s WHERE { ?s ?p '''c'd''' }", SPARQL),
        ("SELECT ?s # '\n{} ; CLEAR ALL # '", SPARQL),
        ("LOAD <http://x>", SPARQL),
        ("FOR u IN users REMOVE u IN users", OTHER),
        ("FOR u IN users UPDATE u WITH {a: 1} IN users", OTHER),
        ("RETURN my::function(1)", OTHER),
        ("SELECT * FROM a; DELETE b", OTHER),
        ("", CYPHER),
        ("''", OTHER),
        ("MATCH (n) RETURN n" + " " * 30_000, CYPHER),
    ],
)
def test_what_writes_or_cannot_be_told_is_no_read(text, grammar):
    assert why_not(text, grammar)


@given(st.text(), st.sampled_from([CYPHER, SPARQL, OTHER]))
def test_it_is_total_and_no_word_that_writes_passes_outside_a_string(text, grammar):
    assert why_not(text, grammar) == why_not(text, grammar)
    assert why_not(f"MATCH (n) DELETE n {text}", grammar)

"""A GraphQL document reads if all its operations are queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.languages.graphql import why_not

READS = [
    "{ users { id } }",
    "query { users { id name } }",
    "query One($id: ID!) { user(id: $id) { ...Names } } fragment Names on User { name }",
    'query { search(text: "mutation { deleteUser }") { id } }',
    "# mutation\nquery { users { mutation } }",
    "query A { a } query B { b }",
    '{ users(filter: {name: "x", tags: [1, 2]}) @include(if: true) { id } }',
    "\ufeff{ a }",
    "fragment F on User { name } query { users { ...F } }",
    "{ __schema { types { name } } }",
]
WRITES = [
    "mutation { deleteUser(id: 1) { id } }",
    "mutation M($id: ID!) { deleteUser(id: $id) { id } }",
    "subscription { changed { id } }",
    "query A { a } mutation B { b }",
    "query A { a } subscription B { b }",
    "{ a } mutation { b }",
    "# query\nmutation { b }",
    ",,, mutation { b }",
    "MUTATION { b }",
    "query { a",
    "query { a } }",
    "query { a } type T { a: Int }",
    "extend schema { query: Q } query { a }",
    "fragment F on User { name }",
    "",
    "plums",
    "SELECT 1",
    '{ a(b: "open) }',
    "{ a } \x00 mutation { b }",
    "{" * 2_000 + "}" * 2_000,
    "{ a" + " b" * 20_000 + "}",
    "{ a(b: " + "[" * 500 + "]" * 500 + ") }",
]  # fmt: skip


@pytest.mark.parametrize("text", READS)
def test_queries_and_their_fragments_read(text):
    assert why_not(text) is None


@pytest.mark.parametrize("text", WRITES)
def test_everything_else_does_not(text):
    assert why_not(text)


@given(
    st.text()
    | st.lists(st.sampled_from(["{", "}", "query", "mutation", "a", "(", ")", ":", '"', "#", "\n"])).map(" ".join)
)
def test_it_is_total_and_no_operation_but_a_query_reads(text):
    assert why_not(text) == why_not(text)
    assert why_not("mutation { a } " + text)
    assert why_not(text + "\n} mutation { a }") or '"' in text

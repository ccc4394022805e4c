"""What an argument is, by its name."""

import pytest

from mcp_assay.core.languages.roles import Role, role, switches


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("sql SQL rawSql raw_sql sql_query sqlQuery sqlText query.sql sqlStatement sql-script", Role.SQL),
        ("graphql graphql_query gql mutation graphqlDocument", Role.GRAPHQL),
        ("cypher cypher_query cypherStatement", Role.CYPHER),
        ("sparql sparqlQuery", Role.SPARQL),
        ("aql surrealql cql_query", Role.OTHER),
        ("query queries statement statements stmt user_query query_text queryBody", Role.QUERY),
        ("verb http_verb http_method httpMethod request_method", Role.VERB),
        ("method", Role.METHOD),
        ("action actions operation op mode api_operation matchMode", Role.ACTION),
        ("command cmd commands run_command", Role.COMMAND),
        (
            "script initScript javascript python python_code js_code shell bash_script source_code eval lua gremlin",
            Role.CODE,
        ),
        ("code", Role.SHORT_CODE),
        ("expression expr function filter_expression", Role.EXPRESSION),
        (
            "outputPath output_path output_file saveTo save_to save_dir export_path downloadDir outfile output_file",
            Role.SAVING,
        ),
        ("path file filename filePath output dest destination", Role.PLACE),
    ],
)
def test_a_name_says_what_its_argument_is(names, expected):
    assert {name: role(name) for name in names.split()} == dict.fromkeys(names.split(), expected)


def test_other_names_say_nothing():
    names = """sql_mode query_id queryType query_string_length statement_count action_names operation_id operationName
        country_code status_code currencyCode merge_method connection_method script_id scriptName python_version target
        function_name name title limit url location save_id output_format x"""
    said = {name: role(name) for name in names.split()}
    assert said | {"sql_mode": None} == dict.fromkeys(names.split())
    assert role("") is None
    assert role("路径") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("markAsRead", True),
        ("delete_after", True),
        ("save", True),
        ("save_to_file", True),
        ("overwrite", True),
        ("remove_duplicates", False),
        ("enableWebSearch", False),
        ("include_deleted", False),
        ("", False),
    ],
)
def test_some_switches_are_orders(name, expected):
    assert switches(name) == expected

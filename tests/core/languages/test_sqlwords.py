"""The word lists hold together, and know every type that the parser knows."""

import pytest
import sqlglot

from mcp_assay.core.languages.sql import _DIALECTS
from mcp_assay.core.languages.sqlwords import FUNCTIONS, KEYWORDS, PRAGMAS, PRAGMAS_OF, TYPES, WRITING


def test_no_word_that_writes_is_allowed_elsewhere():
    assert not WRITING & (FUNCTIONS | KEYWORDS | TYPES)
    assert not PRAGMAS & PRAGMAS_OF - {"table_list"}


def test_no_function_is_one_that_acts():
    acting = """benchmark crosstab dblink dblink_exec edit executable file get_lock java_method last_insert_id
        lo_export lo_import load_extension load_file nextval openrowset pg_advisory_lock pg_ls_dir pg_read_file pg_sleep
        query_to_xml read_csv readfile reflect remote set_config setval sleep ts_stat txid_current url writefile
        xp_cmdshell"""
    assert not FUNCTIONS & set(acting.split())


@pytest.mark.parametrize("dialect", _DIALECTS)
def test_what_a_parser_takes_for_a_type_is_listed_as_one(dialect):
    """Else nesting it would cost more than is counted."""
    known = sqlglot.Dialect.get_or_raise(dialect)
    types = known.parser_class.TYPE_TOKENS
    words = {word.lower() for word, token in known.tokenizer_class.KEYWORDS.items() if token in types}
    assert words & (FUNCTIONS | KEYWORDS) == set()

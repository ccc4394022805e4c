import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.report.quotation import quote


@pytest.mark.parametrize(
    ("summary", "quoted"),
    [
        ("", ""),
        ("One.", "One."),
        ("No mark at the end", "No mark at the end"),
        ("One. Two! Three?", "One. Two!"),
        ("One.\nTwo is\nlong. Three.", "One. Two is long."),
        ("A heading\n\nThen one. Then two.", "A heading Then one."),
        ("It took 3.5 s, e.g. Monday, i.e. long. Fine. Not.", "It took 3.5 s, e.g. Monday, i.e. long. Fine."),
        ("Use S1-001. `list` fails. No.", "Use S1-001. `list` fails."),
        ("He said “no.” Then “yes.” Then.", "He said “no.” Then “yes.”"),
        ("ends. lower case goes on. Two. Three.", "ends. lower case goes on. Two."),
        ("一つ。二つ。三つ。", "一つ。 二つ。"),
        ("### Overview\nOne. Two. Three.", "One. Two."),
        ("- One\n- Two\n- Three", "One Two"),
        ("1. One\n2. Two", "One Two"),
        ("**One** is **bold**. Two.", "One is bold. Two."),
        ("Manifest unreadable: x — died. Twice.\n- Rules not judged: a (no manifests).\nOne.", "One."),
        ("2 transcript lines not judged: no id.\nOne.", "One."),
    ],
)
def test_the_first_two_sentences_are_quoted(summary: str, quoted: str) -> None:
    assert quote(summary) == quoted


@given(st.text())
def test_a_quotation_is_one_line_of_the_summarys_own_words(summary: str) -> None:
    quoted = quote(summary)
    assert "\n" not in quoted
    assert set(quoted) <= set(summary) | {" "}

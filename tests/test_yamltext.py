from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.errors import InputError
from mcp_assay.yamltext import MAX_BYTES, Unquoted, dumps, loads


def load(text: str) -> Any:
    return loads(text.encode(), "f.yaml")[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no", "no"),
        ("[yes, on, off, n, y]", ["yes", "on", "off", "n", "y"]),
        ("[true, False, TRUE, tRUE]", [True, False, True, "tRUE"]),
        ("[null, ~, '', \"\", NULL]", [None, None, "", "", None]),
        ("[1, -2, +3, 0o14, 0x1F, 007]", [1, -2, 3, 12, 31, 7]),
        ("[1.5, -.5, 1e3, 1., 5e-1]", [1.5, -0.5, 1000.0, 1.0, 0.5]),
        ("[1_000, 0b1, 0x_, 1.2.3, '42', \"1.5\"]", ["1_000", "0b1", "0x_", "1.2.3", "42", "1.5"]),
        ("!!str 42", "42"),
        ("a: |\n  two\n  lines\n", {"a": "two\nlines\n"}),
        ("a:\nb: {c: [1, {d: x}]}", {"a": None, "b": {"c": [1, {"d": "x"}]}}),
        ("no: 1\n'1': 2", {"no": 1, "1": 2}),
        ("<<: {a: 1}\nb: =", {"<<": {"a": 1}, "b": "="}),
        ("%YAML 1.1\n---\na: no", {"a": "no"}),
        ("", None),
        ("# nothing but a comment\n", None),
        ("\ufeffa: b", {"a": "b"}),
        ("a: b\r\nc: d\r\n", {"a": "b", "c": "d"}),
    ],
)
def test_values_are_those_of_yaml_1_2(text: str, expected: Any) -> None:
    value = load(text)
    assert value == expected
    assert repr(value) == repr(expected)


@pytest.mark.parametrize(
    "text",
    ["2024-05-01", "2024-5-1", "2024-05-01T10:00:00Z", "2024-05-01 10:00", "1:30", "10:20:30", ".inf", "-.INF", ".nan"],
)
def test_what_readers_disagree_about_is_neither_a_string_nor_a_number(text: str) -> None:
    assert load(f"- {text}") == [Unquoted(text)]
    assert str(load(text)) == text
    assert load(f"'{text}'") == text


@pytest.mark.parametrize("text", ["10:99", "a:1", "1:30pm", "2024-05", "2024-05-01x"])
def test_what_no_reader_takes_for_a_time_is_a_string(text: str) -> None:
    assert load(text) == text


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a: 1\nb: 2\na: 3", 3, "duplicate key"),
        ("- x: {b: 1,\n     b: 2}", 2, "duplicate key"),
        ("a: 1\n\tb: 2", 2, "spaces"),
        ("\t- a", 1, "spaces"),
        ("a: &x 1\nb: *x", 2, "aliases"),
        ("a: 1\nb: !thing x", 2, "tags"),
        ("!!python/object:os.system x", 1, "tags"),
        ("- !!int '4'", 1, "tags"),
        ("- !!set {a}", 1, "tags"),
        ("a: 1\n---\nb: 2", 2, "second document"),
        ("a: 1\n2: x", 2, "key must be a string"),
        ("true: x", 1, "key must be a string"),
        ("2024-05-01: x", 1, "key must be a string"),
        ("? [a]\n: x", 1, "key must be a string"),
        ("a: 1\nb: c: d", 2, "mapping values"),
        ("a: 1\nb: \x07", 2, "not allowed"),
        ("a: 1\nb: [", 2, "not valid YAML"),
        ("a: " + "9" * 5_000, 1, "too large"),
        ("a: 1e999", 1, "too large"),
        ("\n" + "[" * 100, 2, "nested"),
        ("a: '\u2028'\nb: *x", 2, "aliases"),
    ],
)
def test_what_is_refused_names_the_line(text: str, line: int, word: str) -> None:
    with pytest.raises(InputError) as caught:
        load(text)
    assert (caught.value.source, caught.value.line) == ("f.yaml", line)
    assert word in caught.value.message


def test_an_alias_bomb_is_refused_at_its_first_alias() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{key}: &{key} [*{last}, *{last}]\n" for last, key in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(InputError, match=r"^f\.yaml:2: aliases"):
        load(bomb)


def test_a_huge_file_and_a_foreign_encoding_are_refused() -> None:
    with pytest.raises(InputError, match="larger"):
        loads(b"#" * (MAX_BYTES + 1), "f.yaml")
    with pytest.raises(InputError, match=r"f\.yaml:2: not UTF-8"):
        loads(b"a: 1\nb: \xff", "f.yaml")


def test_every_place_knows_its_line() -> None:
    _, line_of = loads(b"# top\nlist:\n  - name: x\n\n    more: [1,\n      2]\n  - y\n", "f.yaml")
    assert line_of(("list",)) == 2
    assert line_of(("list", 0)) == 3
    assert line_of(("list", 0, "more")) == 5
    assert line_of(("list", 0, "more", 1)) == 6
    assert line_of(("list", 1)) == 7
    assert line_of(("list", 1, "none", 5)) == 7
    assert line_of(("none",)) == 2


@given(st.text(st.characters(codec="utf-8"), max_size=60) | st.text("-:{}[]&*!|>'\"%@`#,? \n\tab1", max_size=60))
def test_no_text_ends_in_anything_but_a_value_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        loads(text.encode(), "f.yaml")


def test_what_is_written_is_read_as_the_same_values() -> None:
    value = {
        "a": [
            "no",
            "1:30",
            "2024-05-01",
            "null",
            "",
            " x ",
            "a: b",
            "- c",
            "#d",
            "é\u2028",
            "x" * 300,
            "'",
            '"',
            "1_0",
        ],
        "b c": {"n": 1, "f": 1.5, "t": True, "z": None, "e": [], "m": {}},
        "simple": "words and/or paths.txt",
    }
    text = dumps(value)
    assert loads(text.encode(), "x.yaml")[0] == value
    assert "simple: words and/or paths.txt" in text

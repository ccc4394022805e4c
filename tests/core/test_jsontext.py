import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.jsontext import decode, line_of, lines_of, loads
from mcp_assay.errors import InputError

BOM = b"\xef\xbb\xbf"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
TABLES = st.dictionaries(st.text(max_size=4), JSON | st.dictionaries(st.text(max_size=4), JSON, max_size=3))


def complaint(data: bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        loads(data, "f.json")
    assert caught.value.source == "f.json"
    return caught.value


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans(), st.booleans())
def test_whatever_json_can_hold_is_read_as_it_is(
    value: object, indent: int | str | None, ascii_only: bool, marked: bool
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8")
    assert loads(BOM * marked + data, "f.json") == value


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"", 1, "not valid JSON"),
        (b'{"a":\n1,}', 2, "not valid JSON"),
        (b'{"a": 1}\n{}', 2, "not valid JSON"),
        (BOM + BOM + b"{}", 1, "not valid JSON"),
        (b"{'a': 1}", 1, "not valid JSON"),
        (b"// c\n{}", 1, "not valid JSON"),
        (b'{"a": "x\ny"}', 1, "not valid JSON"),
        (b'{"s": "NaN",\n"x": NaN}', 2, "NaN is not JSON"),
        (b"[1,\n\n-Infinity]", 3, "-Infinity is not JSON"),
        (b'["Infinity",\nInfinity]', 2, "Infinity is not JSON"),
        (b'["1e999",\n1e999]', 2, "out of range"),
        (b"[\n-1e999]", 2, "out of range"),
        (b"[\n" + b"9" * 5000 + b"]", 2, "too many digits"),
        (b"[" * 100_000, None, "nested too deeply"),
        (b'{"a":' * 100_000, None, "nested too deeply"),
    ],
)
def test_a_complaint_says_what_and_on_which_line(data: bytes, line: int | None, words: str) -> None:
    error = complaint(data)
    assert error.line == line
    assert words in error.message


@pytest.mark.parametrize(
    ("data", "line", "key"),
    [
        (b'{"a": 1, "a": 1}', 1, "a"),
        (b'{"a": 1,\n"b": 2,\n"a": 3}', 3, "a"),
        (b'{"x": {"k": 1},\n"y": {"k": 1},\n"z": {"k": 1,\n"k": 2}}', 4, "k"),
        (b'{"k": [{"k": 1}, {"k": 2}],\n"k": 3}', 2, "k"),
        (b'[{"a": "\\"a\\": 1",\n"a" : 2}]', 2, "a"),
        (b'{"a": 1,\n"\\u0061": 2}', 2, "a"),
        (b'{"": 1,\n"": 2}', 2, ""),
        (b'{"}": 1,\n"{": {},\n"}": 2}', 3, "}"),
        (b'{"a": 1,\n"a": 2} trailing', 2, "a"),
    ],
)
def test_a_duplicate_key_is_named_with_the_line_of_its_second_appearance(
    data: bytes, line: int | None, key: str
) -> None:
    error = complaint(data)
    assert (error.line, error.key) == (line, key)
    assert error.message.startswith("duplicate key")


@given(TABLES.filter(bool), st.data())
def test_any_repeated_key_is_found(table: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(list(table)))
    text = json.dumps(table, indent=1)[:-2] + f",\n {json.dumps(key)}: 0\n}}"
    error = complaint(text.encode())
    assert (error.key, error.line) == (key, text.count("\n"))


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff", 1),
        (b"a\n\xff", 2),
        (BOM + b"a\n\xff", 2),
        (BOM + b"\n\n\xff\n", 3),
        ("{}".encode("utf-16"), 1),
    ],
)
def test_bytes_that_are_no_utf8_are_refused_with_their_line(data: bytes, line: int | None) -> None:
    with pytest.raises(InputError, match="not UTF-8") as caught:
        decode(data, "f.json")
    assert caught.value.line == line


def test_one_byte_order_mark_is_dropped() -> None:
    assert decode(BOM + b"x", "f") == "x"
    assert decode(BOM + BOM + b"x", "f") == "\ufeffx"
    assert decode(b"", "f") == ""


DOCUMENT = b"""{
  "a": {"x": 1,
        "y": [{"z": 1}],
        "z": {
          "deep": "\\"no\\": key"}},

  "b": 2, "\\u00e9": {"k": null}
}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 2),
        (("a", "x"), 2),
        (("a", "y"), 3),
        (("a", "z"), 4),
        (("a", "z", "deep"), 5),
        (("b",), 7),
        (("é",), 7),
        (("é", "k"), 7),
        ((), None),
        (("c",), None),
        (("x",), None),
        (("a", "no"), None),
        (("a", "y", "z"), None),
        (("b", "x"), None),
        (("a", "z", "deep", "no"), None),
    ],
)
@pytest.mark.parametrize("data", [DOCUMENT, BOM + DOCUMENT, DOCUMENT.replace(b"\n", b"\r\n")])
def test_line_of_finds_the_line_of_a_key(data: bytes, path: tuple[str, ...], line: int | None) -> None:
    assert line_of(data, path) == line


@given(TABLES)
def test_line_of_agrees_with_what_an_indented_document_shows(table: dict[str, Any]) -> None:
    text = json.dumps(table, indent=1)
    shown = text.split("\n")
    for key, value in table.items():
        line = line_of(text.encode(), (key,))
        assert line is not None
        assert shown[line - 1].startswith(f" {json.dumps(key)}: ")
        for inner in value if isinstance(value, dict) else ():
            line = line_of(text.encode(), (key, inner))
            assert line is not None
            assert shown[line - 1].startswith(f"  {json.dumps(inner)}: ")


@given(TABLES)
def test_lines_of_knows_every_key_in_order(table: dict[str, Any]) -> None:
    lines = lines_of(json.dumps(table, indent=1).encode(), ())
    assert list(lines) == list(table)
    assert list(lines.values()) == sorted(lines.values())


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"a"', b'{"a": tru', b'{"a": 1, "b', b"[1]", b"\xff", b'{"a": ' * 100_000]
)
def test_lines_in_what_is_no_json_are_unknown(data: bytes) -> None:
    assert line_of(data, ("b",)) is None


@given(st.binary() | st.text(alphabet='{}[]",:a1 \\n').map(str.encode), st.lists(st.text(), max_size=2).map(tuple))
def test_no_bytes_make_it_stumble(data: bytes, path: tuple[str, ...]) -> None:
    assert (line_of(data, path) or 1) >= 1
    with contextlib.suppress(InputError):
        loads(data, "f")

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.policy import wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def refused(frame: bytes) -> wire.Refusal:
    with pytest.raises(wire.Refusal) as caught:
        wire.parse(frame)
    return caught.value


@given(JSON)
def test_whatever_can_be_said_comes_back_as_it_was_and_goes_out_as_one_line_of_ascii(value):
    line = wire.dump(value)
    assert line.isascii()
    assert b"\n" not in line
    assert wire.parse(line) == value
    assert wire.parse(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_parse_error(frame):
    try:
        value = wire.parse(frame)
    except wire.Refusal as bad:
        value, frame = bad.code, str(wire.PARSE_ERROR).encode()
    assert value == json.loads(frame)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json_is_refused_coming_in_and_going_out(constant):
    assert constant in refused(f'{{"a": [{constant}]}}'.encode()).message
    with pytest.raises(ValueError, match="JSON"):
        wire.dump({"a": [float(constant)]})


def test_a_pair_of_surrogates_is_a_character_and_half_a_pair_is_not():
    assert wire.parse(b'"\\ud83d\\ude00"') == "\U0001f600"
    assert wire.parse(b'"\\\\ud800"') == "\\ud800"
    for half in (b'"\\ud83d"', b'"\\ude00\\ud83d"', b'{"\\uD83D": 1}', b'["a", {"b": "\\uDE00"}]'):
        assert "surrogate" in refused(half).message


def test_a_key_that_stands_twice_is_refused_at_any_depth_and_the_same_key_in_two_objects_is_not():
    assert wire.parse(b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}')["b"][1] == {"a": 2}
    for text in (b'{"a": 1, "a": 1}', b'[{"b": {"a": 1, "\\u0061": 2}}]'):
        assert "twice" in refused(text).message


def test_the_message_of_a_parse_error_repeats_nothing_of_the_frame():
    assert "secret" not in refused(b'{"a": "secret", nonsense-secret}').message


def test_numbers_keep_their_kind():
    assert [type(wire.parse(text)) for text in (b"1", b"1.0", b"1e0", b"-0")] == [int, float, float, int]
    assert math.isinf(wire.parse(b"1e309"))


def test_a_reply_has_data_only_if_there_is_some():
    assert json.loads(wire.Refusal(1, "m").reply()) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": 1, "message": "m"},
    }
    assert json.loads(wire.Refusal(1, "m", data=[2], id="x").reply())["error"]["data"] == [2]


@pytest.mark.parametrize("number", [0, -3, 10**30, "", "x", "1.0"])
def test_a_string_or_an_integer_is_an_id(number):
    found = wire.request({"jsonrpc": "2.0", "id": number, "method": "m"})
    assert found == wire.Request(number, "m", {})


def test_a_message_without_an_id_is_a_notification_whatever_its_method():
    assert wire.request({"jsonrpc": "2.0", "method": "notifications/x"}) is None
    assert wire.request({"jsonrpc": "2.0", "method": "tools/call", "params": [1]}) is None

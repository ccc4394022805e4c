import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.frames import MAX_FRAME, Kind, Oversized, Splitter, broken_reply, classify, encode, is_id, lines

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
STREAMS = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b"{}", b"\xff", b"\x00", b"\xe2\x80\xa8"])).map(
    b"".join
)


def split(pieces: Sequence[bytes], limit: int = MAX_FRAME) -> list[bytes | Oversized]:
    splitter = Splitter(limit)
    found = [line for piece in pieces for line in splitter.feed(piece)]
    return found + splitter.finish()


def test_a_line_keeps_its_line_end_and_only_lf_ends_one() -> None:
    assert split([b"a\r\nb\rc\n\n\xe2\x80\xa8d\n"]) == [b"a\r\n", b"b\rc\n", b"\n", b"\xe2\x80\xa8d\n"]


def test_the_last_line_needs_no_line_end() -> None:
    assert split([b"a\nb"]) == [b"a\n", b"b"]
    assert split([b"a\n"]) == [b"a\n"]


def test_a_line_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert split([b"1234\n12345\n1\n"], limit=4) == [b"1234\n", Oversized(4), b"1\n"]


def test_the_stream_goes_on_after_an_oversized_line() -> None:
    splitter = Splitter(4)
    assert splitter.feed(b"ok\n123") == [b"ok\n"]
    assert splitter.feed(b"45") == [Oversized(4)]
    assert splitter.feed(b"6" * 100) == []
    assert splitter.feed(b"78\n9\n") == [b"9\n"]
    assert splitter.oversized == 1


def test_a_line_that_never_ends_is_reported_once_and_not_kept() -> None:
    splitter = Splitter(1000)
    reports = [report for _ in range(100) for report in splitter.feed(b"x" * 999)]
    assert reports == [Oversized(1000)]
    assert len(splitter._held) == 0
    assert splitter.finish() == []


@given(STREAMS, st.lists(st.integers(0, 60)), st.integers(1, 6))
def test_any_chunking_of_the_same_bytes_gives_the_same_lines(stream: bytes, cuts: list[int], limit: int) -> None:
    edges = [0, *sorted(cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(edges)]
    assert split(pieces, limit) == split([stream], limit)


@given(STREAMS)
def test_the_lines_together_are_the_stream(stream: bytes) -> None:
    assert b"".join(line for line in split([stream]) if isinstance(line, bytes)) == stream


def test_a_reader_is_read_to_its_end_past_its_own_line_limit() -> None:
    async def collect() -> list[bytes | Oversized]:
        reader = asyncio.StreamReader(limit=16)
        reader.feed_data(b"x" * 300_000 + b"\n" + b"y" * 100 + b"\nend")
        reader.feed_eof()
        return [line async for line in lines(reader, limit=300_000)]

    assert asyncio.run(collect()) == [b"x" * 300_000 + b"\n", b"y" * 100 + b"\n", b"end"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"m"}', Kind.REQUEST),
        ('{"jsonrpc":"2.0","id":"p","method":"m","params":{}}', Kind.REQUEST),
        ('{"jsonrpc":"2.0","id":1,"method":"m","result":{}}', Kind.REQUEST),
        ('{"jsonrpc":"2.0","id":null,"method":"m"}', Kind.REQUEST),
        ('{"jsonrpc":"2.0","id":1.5,"method":"m"}', Kind.REQUEST),
        ('{"jsonrpc":"2.0","method":"m"}', Kind.NOTIFICATION),
        ('{"jsonrpc":"2.0","id":1,"result":{}}', Kind.RESPONSE),
        ('{"jsonrpc":"2.0","id":1,"result":null}', Kind.RESPONSE),
        ('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}', Kind.RESPONSE),
        ('\ufeff{"jsonrpc":"2.0","id":1,"result":{}}\r\n', Kind.RESPONSE),
        ('{"jsonrpc":"2.0","id":1,"method":5,"result":{}}', Kind.NOISE),
        ('{"jsonrpc":"2.0","id":1}', Kind.NOISE),
        ('{"jsonrpc":"1.0","id":1,"result":{}}', Kind.NOISE),
        ('{"id":1,"result":{}}', Kind.NOISE),
        ('{"level":"info","method":"GET"}', Kind.NOISE),
        ('[{"jsonrpc":"2.0","id":1,"result":{}}]', Kind.NOISE),
        ('{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}', Kind.NOISE),
        ('{"jsonrpc":"2.0","id":1,"result":{}} trailing', Kind.NOISE),
        ("[12:00] starting", Kind.NOISE),
        ('"hi"', Kind.NOISE),
        ("5", Kind.NOISE),
        ("", Kind.NOISE),
        (" \r\n", Kind.NOISE),
        ("[" * 200_000, Kind.NOISE),
        ('{"jsonrpc":"2.0","id":1,"result":' + '{"a":' * 200_000, Kind.NOISE),
        ('{"jsonrpc":"2.0","id":' + "9" * 5000 + ',"result":{}}', Kind.NOISE),
    ],
)
def test_what_a_line_is(text: str, kind: Kind) -> None:
    frame = classify(text.encode())
    assert frame.kind is kind
    assert bool(frame.message) is (kind is not Kind.NOISE)


@pytest.mark.parametrize(
    "line", [b'{"jsonrpc":"2.0","method":"\xff"}', '{"jsonrpc":"2.0","method":"m"}'.encode("utf-16")]
)
def test_what_is_not_utf_8_is_noise(line: bytes) -> None:
    assert classify(line).kind is Kind.NOISE


BROKEN = b'{"jsonrpc":"2.0","id":7,"result":'


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (BROKEN + b'"\xff"}\n', 7),
        (BROKEN + b"NaN}", 7),
        (BROKEN + b"[" * 200_000, 7),
        (BROKEN + b'{"a":' * 200_000 + b"1" + b"}" * 200_001, 7),
        (b' {"result": "' + b"\xfe" * 5_000 + b'", "jsonrpc": "2.0", "id" : 12 }\r\n', 12),
        (BROKEN + b"{}}", None),  # a reply
        (b'{"id":7,"result":NaN}', None),
        (b'{"jsonrpc":"2.0","id":"7","result":NaN}', None),
        (b"[" + BROKEN + b"NaN}]", None),
        (b"sent " + BROKEN + b"NaN}", None),
        (b'{"level":"info","msg":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":7}"}', None),
        (b"", None),
    ],
)
def test_a_reply_that_was_meant_and_cannot_be_read_is_told_from_a_banner(line: bytes, number: int | None) -> None:
    assert broken_reply(line) == number


@given(st.binary())
def test_classification_is_total(line: bytes) -> None:
    assert classify(line).kind in Kind


@pytest.mark.parametrize(
    ("value", "fits"),
    [(0, True), (-3, True), ("", True), ("x", True), (None, False), (True, False), (1.0, False), ([1], False)],
)
def test_ids_are_strings_and_integers(value: object, fits: bool) -> None:
    assert is_id(value) is fits


@given(st.dictionaries(st.text(), JSON_VALUES))
def test_an_encoded_message_is_one_line_that_says_the_same(message: dict[str, object]) -> None:
    line = encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == message


def test_lone_surrogates_stay_escaped() -> None:
    assert encode({"x": "\ud800"}) == b'{"x":"\\ud800"}\n'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_say_is_refused(value: float) -> None:
    with pytest.raises(ValueError):
        encode({"x": value})

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.policy.protocol import Server
from mcp_assay.policy.stdio import Lines, serve
from mcp_assay.policy.wire import MOST_BYTES
from policy_frames import NOTE, PING, request


def answered(data):
    out = io.BytesIO()
    serve(Server(lambda: None), io.BytesIO(data), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def cut(chunks, most=10):
    lines = Lines(most)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    return found + list(lines.close())


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_lines_are_the_same_however_the_stream_was_cut(chunks):
    whole = b"".join(chunks)
    assert cut(chunks) == cut([whole]) == cut([whole[at : at + 1] for at in range(len(whole))])


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n \r\n\t\n", []),
        (b"a\nb", [b"a", b"b"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"0123456789\n", [b"0123456789"]),
        (b"0123456789x\na\n", [None, b"a"]),
        (b"a\n" + b"x" * 99, [b"a", None]),
    ],
)
def test_a_line_that_is_too_long_is_told_once_and_the_stream_goes_on(data, lines):
    assert cut([data]) == lines


def test_what_is_too_long_is_not_kept():
    lines = Lines(10)
    for _ in range(1000):
        assert list(lines.feed(b"x" * 1000)) == []
        assert len(lines._begun) <= 10
    assert list(lines.feed(b"\n")) == [None]


def test_every_request_before_the_end_is_answered_in_the_order_of_arrival_even_without_a_last_newline():
    frames = [request("ping", number=number) for number in range(500)]
    assert [reply["id"] for reply in answered(b"\n".join(frames))] == list(range(500))


def test_blank_lines_and_notifications_have_no_answer():
    assert [reply["id"] for reply in answered(b"\n\r\n" + NOTE + b"\r\n  \n" + PING + b"\r\n\n")] == ["next"]


def test_a_frame_of_the_largest_size_is_read_and_a_larger_one_refused():
    fits = request("ping", {"pad": ""}, 1)
    fits = fits.replace(b'"pad": "', b'"pad": "' + b"x" * (MOST_BYTES - len(fits)))
    assert len(fits) == MOST_BYTES
    replies = answered(fits + b"\n" + fits.replace(b"xx", b"xxx", 1) + b"\n" + PING)
    assert [reply.get("error", {}).get("code") for reply in replies] == [None, -32600, None]


def test_replies_are_flushed_when_what_arrived_together_is_answered():
    class Out(io.BytesIO):
        flushed = 0

        def flush(self):
            self.flushed += 1

    out = Out()
    serve(Server(lambda: None), io.BytesIO(b"\n".join([PING] * 20)), out)
    assert out.getvalue().count(b"\n") == 20
    assert out.flushed <= 2

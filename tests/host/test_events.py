"""Event streams: what is an event, whatever its lines end with and however it is cut, and that none grows for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.host.events import Event, Events, TooLarge, as_frame

STREAM = (
    b'\xef\xbb\xbf: a comment\nevent: endpoint\ndata: /here\n\nid: 7\nretry: 50\ndata:{"a":\ndata:  1}\n\n'
    b"event: none\n\nid: 8\ndata\n\nunknown: x\ndata: \xc3\xa9\n\nretry: 9\n\ndata: torn"
)
FOUND = [
    Event(b"endpoint", b"/here"),
    Event(b"message", b'{"a":\n 1}', b"7", 50),
    Event(b"message", b"", b"8"),
    Event(b"message", "\u00e9".encode(), b"8"),
    Event(b"message", b"", b"8", 9),
]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@given(cuts=st.lists(st.integers(0, len(STREAM) * 2), max_size=8))
def test_events_are_the_same_however_their_lines_end_and_wherever_they_are_cut(end, cuts):
    stream, events, found, at = STREAM.replace(b"\n", end), Events(), [], 0
    for cut in [*sorted(cuts), len(stream)]:
        found += events.feed(stream[at:cut])
        at = max(at, cut)
    assert found == FOUND


def test_an_event_is_given_as_soon_as_its_last_line_is_there():
    for end in (b"\n", b"\r", b"\r\n"):
        assert Events().feed(b"data: x" + end * 2) == [Event(b"message", b"x")]


def test_ids_that_cannot_be_sent_back_are_not_kept():
    events = Events()
    assert events.feed(b"id: 1\nid: a\0b\nid: \xff\nid: b \nid: " + b"9" * 2000 + b"\ndata: x\n\n") == [
        Event(b"message", b"x", b"1")
    ]
    assert events.feed(b"id\nretry: soon\ndata: y\n\n") == [Event(b"message", b"y")]


@pytest.mark.parametrize("line", [b"data: x\n", b"data: x", b"x"])
def test_what_is_too_long_is_not_held(line):
    events = Events(limit=1000)
    with pytest.raises(TooLarge):
        list(map(events.feed, [line] * 10_000))


def test_a_stream_of_small_events_and_comments_may_be_endless():
    events = Events(limit=1000)
    for _ in range(10_000):
        assert len(events.feed(b": still here\ndata: x\n\n")) == 1
    assert Events(limit=10).feed(b"data: " + b"x" * 10 + b"\n\n") == [Event(b"message", b"x" * 10)]


def test_json_over_several_lines_becomes_one_and_nothing_else_of_it_changes():
    assert as_frame(b'{\r\n "a" :\n1.50}') == b'{   "a" : 1.50}\n'
    assert as_frame(b'{"a":"\\n\\u00e9"}') == b'{"a":"\\n\\u00e9"}\n'

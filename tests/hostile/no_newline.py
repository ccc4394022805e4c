"""Answers a call with bytes without end and without a line end."""

from peer import Message, raw, serve


def call(_: Message) -> None:
    while True:
        raw(b"x" * (1 << 20))


serve(call)

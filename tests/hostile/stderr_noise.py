"""Writes 256 KiB to stderr before it starts, and as much before each answer."""

import sys

from peer import Message, serve, text


def call(asked: Message) -> None:
    sys.stderr.write("E" * (256 << 10))
    text(asked)


sys.stderr.write("chatter\n" * (32 << 10))
serve(call)

"""Answers a call with nothing but brackets, as many as one frame may hold."""

from peer import Message, raw, serve

LISTS = b"[" + b"[[]]," * ((16 << 20) // 5 - 100) + b"{}]"


def call(asked: Message) -> None:
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"rows":%b}}}\n' % (asked["id"], LISTS))


serve(call)

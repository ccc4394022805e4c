"""Answers a call with a frame whose text is no UTF-8, and then not at all."""

from peer import Message, raw, serve


def call(asked: Message) -> None:
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"\xff\xfe"}]}}\n' % asked["id"])


serve(call)

"""Nests 200,000 levels deep: in a tool, and in what answers a call."""

from peer import Message, raw, serve

DEEP = b"[" * 200_000 + b"]" * 200_000
NAMED = b'{"a":' * 200_000 + b"1" + b"}" * 200_000


def call(asked: Message) -> None:
    frame = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"deep":%b}}}\n'
    raw(frame % (asked["id"], DEEP))


def tools(asked: Message) -> None:
    looks = b'{"name":"get_thing","description":"Shows a thing.","inputSchema":{"type":"object"}}'
    # As deep as fits: what cannot be parsed at all would be no reply.
    odd = b'{"name":"get_depth","inputSchema":%b}' % (b'{"a":' * 500 + b"1" + b"}" * 500)
    raw(b'{"jsonrpc":"2.0","method":"notifications/message","params":%b}\n' % NAMED)
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[%b,%b]}}\n' % (asked["id"], looks, odd))


serve(call, tools)

"""Sends 50,000 notifications before it answers a call, list_changed among them, and never stops afterwards."""

from peer import Message, raw, serve, text

LOG = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'
CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'


def call(asked: Message) -> None:
    for _ in range(50):
        raw(LOG * 999 + CHANGED)
    text(asked)
    while True:
        raw(LOG * 1000)


serve(call)

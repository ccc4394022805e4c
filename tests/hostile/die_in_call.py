"""Dies in the middle of its answer to a call."""

import os

from peer import Message, raw, serve


def call(_: Message) -> None:
    raw(b'{"jsonrpc":"2.0","id":')
    os._exit(7)


serve(call)

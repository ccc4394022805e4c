"""python -m benchmarks.friction.stable SOCKET: keeps a process with the SDK loaded, and forks a server for each caller.

Each server is a process of its own on its caller's stdin, stdout and stderr, as if it had been started there; only the
0.8 seconds in which the SDK is imported are spent once.
"""

import asyncio
import os
import signal
import socket
import sys

from benchmarks.friction.catalog import load
from benchmarks.friction.serve import main

_MOST = 4096


def keep(path: str) -> None:
    """Serve callers until killed."""
    load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the servers
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        while True:
            line, _ = listener.accept()
            data, ends, _, _ = socket.recv_fds(line, _MOST, 3)
            if os.fork() == 0:
                listener.close()
                _serve(data.decode().split("\0"), ends)
            for end in ends:
                os.close(end)
            line.close()


def _serve(words: list[str], ends: list[int]) -> None:
    """Be the server, on the caller's ends, until it ends."""
    for number, end in enumerate(ends):
        os.dup2(end, number)
        os.close(end)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        asyncio.run(main(*words))
    finally:
        os._exit(0)


if __name__ == "__main__":
    keep(sys.argv[1])

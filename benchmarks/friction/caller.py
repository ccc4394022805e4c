"""python -S caller.py SOCKET ARGUMENT...: a laboratory server on our pipes, forked by ``stable`` at that address."""

import os
import socket
import sys


def ask(path: str, words: list[str]) -> None:
    """Have a server run on our pipes, and end when it does."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        socket.send_fds(line, ["\0".join(words).encode()], [0, 1, 2])
        for end in (0, 1):  # the server's now: at the end of one of them nobody else may hold it
            os.close(end)
        line.recv(1)


if __name__ == "__main__":
    ask(sys.argv[1], sys.argv[2:])

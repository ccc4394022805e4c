"""Sends the HTTP request on stdin over and over: post.py PORT CONNECTIONS CALLS. Prints milliseconds a request.

A process of its own, and bare sockets, so that the client costs the same and little for every server.
"""

import re
import selectors
import socket
import sys
from time import perf_counter

HEAD = re.compile(rb"HTTP/1\.1 200 .*?\r\n\r\n", re.DOTALL)
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Connection:
    def __init__(self, port: int, request: bytes, calls: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request, self._left, self._received = request, calls, b""

    def send(self) -> bool:
        """Send the next request; false if there is none left."""
        self._left -= 1
        if self._left >= 0:
            self.socket.sendall(self._request)
        return self._left >= 0

    def receive(self) -> bool:
        """Whether the response is complete."""
        self._received += self.socket.recv(65536)
        head, length = HEAD.match(self._received), LENGTH.search(self._received)
        if head is None or length is None:
            if self._received[9:12] not in (b"200", b""):
                raise RuntimeError(f"not a result: {self._received!r}")
            return False
        if len(self._received) < head.end() + int(length[1]):
            return False
        self._received = b""
        return True


def run(port: int, request: bytes, connections: int, calls: int) -> float:
    selector = selectors.DefaultSelector()
    for _ in range(connections):
        connection = Connection(port, request, calls)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send()
    began = perf_counter()
    while selector.get_map():
        for key, _ in selector.select():
            if key.data.receive() and not key.data.send():
                selector.unregister(key.fileobj)
                key.data.socket.close()
    return (perf_counter() - began) * 1000 / (connections * calls)


if __name__ == "__main__":
    port, connections, calls = map(int, sys.argv[1:])
    request = sys.stdin.buffer.read()
    run(port, request, connections, 3)
    print(run(port, request, connections, calls))

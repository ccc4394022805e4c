"""Whose fault it was, and how the program ends because of it.

    AssayError
    ├── UserError            exit 2   what the user gave us: a file, a flag, an answer
    │   └── InputError                ... and where in it: file, line, key
    ├── ServerError                   what an MCP server did; a run goes on without it
    │   ├── StartError                it never became usable
    │   ├── RequestTimeout            it did not answer in time
    │   ├── ConnectionLost            it died, or its stream cannot be read any more
    │   ├── ProtocolError             it answered with something that is no JSON-RPC reply
    │   └── RpcError                  it answered with a JSON-RPC error
    ├── CriticError          exit 3   what a critic (rules or a model) returned cannot be used
    └── StoreError           exit 2   a folder of ours that cannot be trusted or written

What a server did wrong in the user's eyes is never an exception: it is a finding.
"""

from typing import ClassVar

__all__ = [
    "AssayError",
    "ConnectionLost",
    "CriticError",
    "InputError",
    "ProtocolError",
    "RequestTimeout",
    "RpcError",
    "ServerError",
    "StartError",
    "StoreError",
    "UserError",
]


class AssayError(Exception):
    """The root; never raised itself. ``exit_code`` is what the command line ends with."""

    exit_code: ClassVar[int] = 2


class UserError(AssayError):
    """Something the user gave us cannot be used. The message says what to do."""


class InputError(UserError):
    """A file the user gave us is wrong at a known place.

    ``source`` is the path as the user knows it, ``line`` is 1-based or None, ``key`` names the entry or field.
    """

    def __init__(self, source: str, message: str, *, line: int | None = None, key: str | None = None) -> None:
        self.source, self.line, self.key, self.message = source, line, key, message
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {message}" if key is None else f"{place}: {key}: {message}")


class ServerError(AssayError):
    """An MCP server misbehaved; the run notes it and goes on without it."""


class StartError(ServerError):
    """The server never became usable: no such command, it exited, or it did not finish initialize."""


class RequestTimeout(ServerError):
    """The server did not answer one request in time."""


class ConnectionLost(ServerError):
    """The server died, or its stream can no longer be read."""


class ProtocolError(ServerError):
    """The server answered a request with something that is no JSON-RPC reply, or with too much of it."""


class RpcError(ServerError):
    """The server answered a request with a JSON-RPC error. ``message`` is its own text: never printed raw."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        self.code, self.message, self.data = code, message, data
        super().__init__(f"JSON-RPC error {code}")


class CriticError(AssayError):
    """A critic returned nothing that can be parsed."""

    exit_code: ClassVar[int] = 3


class StoreError(AssayError):
    """An evaluation's folder cannot be trusted, read or written."""

"""A model that says what a script says: the Messages API on loopback, for the real host of an agent.

A script gives each conversation its turns. A conversation is known by words of its system prompt or of what its user
said first, and its next turn by how often its assistant has spoken, so a request that the host repeats gets the same
answer. What no script is for is kept in ``unscripted`` and answered harmlessly.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Self

__all__ = ["Asked", "Call", "Script", "ScriptedModel", "Turn"]

HARMLESS = "There is nothing to do."


@dataclass(frozen=True, slots=True)
class Call:
    """One ``tool_use`` block."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model says in one go. Without calls the host takes its turn for its last."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of the host's, as it came."""

    path: str
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", ()))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model is offered."""
        return [tool.get("name", "") for tool in self.body.get("tools", ())]

    @property
    def system(self) -> str:
        return _text(self.body.get("system", ""))

    @property
    def first(self) -> str:
        """What the user said first; the host's own reminders are among it."""
        return next((_text(item["content"]) for item in self.messages if item["role"] == "user"), "")

    @property
    def spoken(self) -> int:
        """How often the assistant has spoken."""
        return sum(item["role"] == "assistant" for item in self.messages)

    @property
    def results(self) -> list[tuple[str, bool]]:
        """Every tool's result so far: its text, and whether it is an error."""
        blocks = [block for item in self.messages if item["role"] == "user" for block in _blocks(item["content"])]
        found = [block for block in blocks if block.get("type") == "tool_result"]
        return [(_text(block.get("content", "")), bool(block.get("is_error"))) for block in found]


Script = Mapping[str, Sequence[Turn | Callable[[Asked], Turn]]]
"""Words that a conversation is known by → its turns; one that is a function is given what was asked.

The first key whose words stand in the system prompt or in what the user said first is taken. A conversation that
goes on after its turns are used up gets its last one again.
"""


class ScriptedModel:
    """The endpoint; use as a context manager. ``asked`` are the conversations' requests, in their order.

    ``fail`` is the HTTP status that every request is answered with instead, while it is set.
    """

    def __init__(self, script: Script) -> None:
        self.script = dict(script)
        self.asked: list[Asked] = []
        self.unscripted: list[Asked] = []
        self.made: dict[str, str] = {}
        """The calls of the script that were given to the host: id → tool."""
        self.fail: int | None = None
        self.hold: Callable[[], None] = lambda: None
        """Called before each turn is given: a test can wait or kill in it."""
        self._numbers = count(1)
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None: ...

            def do_GET(self) -> None:
                self._answer({})

            def do_HEAD(self) -> None:
                self._answer({})

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    self._answer(json.loads(data or b"{}"))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def _answer(self, body: Any) -> None:
                asked = Asked(self.path, body if isinstance(body, dict) else {})
                status, kind, answer = model.answer(asked)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> tuple[int, str, bytes]:
        """HTTP status, content type and body."""
        path = asked.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            return 200, "application/json", b'{"input_tokens":10}'
        if path != "/v1/messages":
            self.unscripted.append(asked)
            return 404, "application/json", b'{"type":"error","error":{"type":"not_found_error","message":"no"}}'
        if self.fail is not None:
            error = {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
            return self.fail, "application/json", json.dumps(error).encode()
        message = self._message(asked, self._turn(asked))
        if asked.body.get("stream"):
            return 200, "text/event-stream", "".join(_events(message)).encode()
        return 200, "application/json", json.dumps(message).encode()

    def _turn(self, asked: Asked) -> Turn:
        known = f"{asked.system}\n{asked.first}"
        turns = next((turns for words, turns in self.script.items() if words in known), None)
        if turns is None:
            self.unscripted.append(asked)
            return Turn(HARMLESS)
        self.asked.append(asked)
        self.hold()
        turn = turns[min(asked.spoken, len(turns) - 1)]
        return turn if isinstance(turn, Turn) else turn(asked)

    def _message(self, asked: Asked, turn: Turn) -> dict[str, Any]:
        text: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
        calls: list[dict[str, Any]] = [
            {"type": "tool_use", "id": f"toolu_{next(self._numbers):020}", "name": call.tool, "input": dict(call.args)}
            for call in turn.calls
        ]
        self.made |= {call["id"]: call["name"] for call in calls}
        return {
            "id": f"msg_{next(self._numbers):020}",
            "type": "message",
            "role": "assistant",
            "model": asked.body.get("model", "scripted"),
            "content": [*text, *calls],
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in _blocks(content) if block.get("type") == "text")


def _events(message: Mapping[str, Any]) -> Iterator[str]:
    """The message as the API streams it."""
    empty = {**message, "content": [], "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    yield _event("message_start", message=empty)
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage={"output_tokens": 10})
    yield _event("message_stop")


def _block_events(index: int, block: Mapping[str, Any]) -> Iterable[str]:
    start: dict[str, Any]
    if block["type"] == "text":
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield _event("content_block_start", index=index, content_block=start)
    yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

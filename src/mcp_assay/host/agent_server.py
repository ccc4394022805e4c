"""The MCP server ``assay``: the three tools with which an agent takes part in its own evaluation, over stdio.

It is a client of the owner's socket and keeps nothing. Its calls are housekeeping: none leaves a transcript line.
"""

import os
import socket
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from mcp_assay import __version__
from mcp_assay.core.safety import NO_MCP
from mcp_assay.host import wire
from mcp_assay.policy import eras, schema, stdio
from mcp_assay.policy.eras import Era
from mcp_assay.policy.protocol import Reply, Server
from mcp_assay.policy.wire import INVALID_PARAMS, Refusal, Request, dump
from mcp_assay.store import keys

__all__ = ["AgentServer", "Gone", "OwnerLine", "serve"]

SERVER_INFO = {"name": "assay", "title": "The evaluation of the attached MCP servers", "version": __version__}
INSTRUCTIONS = (
    "You are evaluating the attached MCP servers. Call next_scenario, attempt what it says with their tools, call "
    "finish, and so on until next_scenario says that there is none. Before you call a tool that is of no MCP server "
    "(Bash, Read, …), call justify."
)
_CAPABILITIES: dict[str, Any] = {"tools": {}}
_STATELESS = eras.STATELESS._replace(
    more=b',"resultType":"complete","_meta":' + dump({"io.modelcontextprotocol/serverInfo": SERVER_INFO})
)
_ENDED = "the evaluation is over, or its owner has ended: there is nothing left to do"
_CHUNK = 64 * 1024


class Gone(Exception):
    """There is no owner to ask, or it does not answer; the message says so to the agent."""


class OwnerLine:
    """A line to the owner at ``path``: one question at a time. It is opened for the first, and again if it was cut."""

    not_running = "the evaluation is not running; whoever started you has to run: mcp-assay gate NAME"
    afterwards = "Stop here and tell the user."
    """What the agent does when there is no scenario left."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._numbers = count(1)
        self._rest = b""

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """The owner's answer. Raises Gone."""
        known = self._socket is not None
        try:
            return self._asked(do, fields)
        except (OSError, wire.Garbled):
            self._close()
        if not known:
            raise Gone(self.not_running)
        try:
            # The owner may have been started anew; what was asked of the old one was not done by the new one.
            return self._asked(do, fields)
        except (OSError, wire.Garbled):
            self._close()
            raise Gone(_ENDED) from None

    def _asked(self, do: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        if self._socket is None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._numbers, self._rest = count(1), b""
            self._socket.connect(str(self._path))
            self._exchange(self._socket, "hello", {"role": str(wire.Role.AGENT), "version": wire.VERSION})
        return self._exchange(self._socket, do, fields)

    def _exchange(self, line: socket.socket, do: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        line.sendall(wire.encode({"n": number, "do": do, **fields}))
        answer = wire.decode(self._read(line))
        if answer.get("n") != number or answer.get("ok") is False:
            raise wire.Garbled("not the answer")
        return answer

    def _read(self, line: socket.socket) -> bytes:
        while b"\n" not in self._rest:
            data = line.recv(_CHUNK)
            if not data or len(self._rest) > wire.MOST_BYTES:
                raise wire.Garbled("no whole answer")
            self._rest += data
        found, _, self._rest = self._rest.partition(b"\n")
        return found

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None


class _Tool(NamedTuple):
    description: str
    properties: dict[str, Any]
    run: Callable[[OwnerLine, Mapping[str, Any], str | None], str]
    """With the owner, the arguments, and the host's own id of the call."""

    @property
    def input_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": self.properties,
            "required": list(self.properties),
            "additionalProperties": False,
        }


class _No(Exception):
    """The owner said no, and why."""


def _next_scenario(owner: OwnerLine, _: Mapping[str, Any], join: str | None) -> str:
    answer = _require(owner.ask("next", join=join))
    if "canary" in answer:
        return (
            "First call the tool canary of this server, once. Your host has to refuse that call: so it shows that it "
            "holds to what its hooks say. Then call next_scenario again."
        )
    if "scenario" not in answer:
        return f"There is no further scenario: {answer.get('why')}. {owner.afterwards}"
    found = answer["scenario"]
    targets = f"Servers it is about: {', '.join(found['targets_mcps'])}.\n" if found["targets_mcps"] else ""
    return (
        f"Scenario {found['id']}: {found['description']}\n\n{targets}"
        f"You may make {found['calls_left']} more calls, within {found['seconds_left']} seconds. "
        "Attempt it as you would any task of the user's; call finish when its goal is reached or cannot be."
    )


def _canary(owner: OwnerLine, _given: Mapping[str, Any], _join: str | None) -> str:
    return str(_require(owner.ask("canary"))["why"])


def _justify(owner: OwnerLine, given: Mapping[str, Any], _: str | None) -> str:
    _require(owner.ask("justify", tool=given["tool"], text=given["text"]))
    return f"Kept for the next call of {given['tool']}."


def _finish(owner: OwnerLine, given: Mapping[str, Any], _: str | None) -> str:
    left = _require(owner.ask("finish", reached=given["reached"], why=given["why"])).get("left")
    if left:
        return "Noted. Call next_scenario for the next one."
    return f"Noted. That was the last scenario. {owner.afterwards}"


def _require(answer: dict[str, Any]) -> dict[str, Any]:
    if "refused" in answer:
        raise _No(str(answer["refused"]))
    return answer


_TEXT = {"type": "string", "minLength": 1}
_TOOLS: Mapping[str, _Tool] = {
    "next_scenario": _Tool(
        "Gives the scenario to attempt now and what is left of its budgets. Call it first, and again after finish. "
        "While a scenario is running it gives the same one again.",
        {},
        _next_scenario,
    ),
    "canary": _Tool(
        "Does nothing. Call it only if next_scenario says so: your host has to refuse the call.",
        {},
        _canary,
    ),
    "justify": _Tool(
        "Says why you need a tool that is of no MCP server, before you call that tool; one call uses it up. Name the "
        f'MCP tool that you considered and why it does not do, or say "{NO_MCP}" and why.',
        {
            "tool": {**_TEXT, "description": "The tool's name as you call it, such as Bash."},
            "text": {**_TEXT, "description": "One or two sentences."},
        },
        _justify,
    ),
    "finish": _Tool(
        "Ends the running scenario. Call it as soon as its goal is reached, or you know that it cannot be.",
        {
            "reached": {"type": "boolean", "description": "Whether the scenario's goal is reached."},
            "why": {**_TEXT, "description": "What was found, or what stood in the way."},
        },
        _finish,
    ),
}


class AgentServer(Server):
    """The protocol of the policy server, with these tools in place of the policy's."""

    def __init__(self, owner: OwnerLine) -> None:
        super().__init__(lambda: None)
        self._owner = owner
        self._methods = {
            "initialize": _initialize,
            "ping": lambda *_: b"{}",
            "server/discover": _discover,
            "tools/list": _list,
            "tools/call": self._call,
        }

    def _reply(self, request: Request, era: Era) -> Reply:
        return super()._reply(request, _STATELESS if era is eras.STATELESS else era)

    def _call(self, request: Request, _: Era) -> bytes:
        tool = _TOOLS.get(str(request.params.get("name")))
        if tool is None:
            raise Refusal(INVALID_PARAMS, "Unknown tool", data={"known": list(_TOOLS)})
        given = request.params.get("arguments", {})
        problems = schema.problems(tool.input_schema, given, "arguments")
        if problems:
            return _content("Invalid arguments:\n" + "\n".join(problems), is_error=True)
        try:
            return _content(tool.run(self._owner, given, _join(request.params)), is_error=False)
        except (Gone, _No) as no:
            return _content(str(no), is_error=True)


def _join(params: Mapping[str, Any]) -> str | None:
    """The host's own id of a call, as Claude Code gives it."""
    meta = params.get("_meta")
    join = meta.get("claudecode/toolUseId") if isinstance(meta, Mapping) else None
    return join if isinstance(join, str) else None


def _initialize(request: Request, _: Era) -> bytes:
    wanted = request.params.get("protocolVersion")
    agreed = eras.negotiated(wanted if isinstance(wanted, str) else "")
    return dump(
        {
            "protocolVersion": agreed,
            "capabilities": _CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": INSTRUCTIONS,
        }
    )


def _discover(_request: Request, _: Era) -> bytes:
    return dump({"supportedVersions": eras.SUPPORTED, "capabilities": _CAPABILITIES, "instructions": INSTRUCTIONS})


def _list(_request: Request, _: Era) -> bytes:
    tools = [
        {"name": name, "description": tool.description, "inputSchema": tool.input_schema}
        for name, tool in _TOOLS.items()
    ]
    return dump({"tools": tools})


def _content(text: str, *, is_error: bool) -> bytes:
    return dump({"content": [{"type": "text", "text": text}], "isError": is_error})


def serve(folder: Path, environ: Mapping[str, str], home: Path) -> None:
    """Serve the tools for the evaluation in that folder on stdin and stdout until one of them is closed.

    Raises UserError if its owner could have no address.
    """
    path = wire.socket_path(keys.folder(environ, home), os.path.realpath(folder))
    stdio.run(AgentServer(OwnerLine(path)))

"""An owner that listens: a real folder, gate and socket, two scenarios to run, and whoever wants to connect."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Self

from mcp_assay.clock import SystemClock
from mcp_assay.core.model import Disposition, Manifest, Safety, Scenario, Tool
from mcp_assay.core.plan import Plan
from mcp_assay.core.safety import Policy
from mcp_assay.core.session import State, Status
from mcp_assay.drivers.hosted import Hosted
from mcp_assay.errors import UserError
from mcp_assay.executing import Scoped
from mcp_assay.gate import Refusal
from mcp_assay.host.socket import OwnerSocket
from mcp_assay.owner import Owner
from mcp_assay.progress import Silent
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys
from mcp_assay.store.transcript import entries
from playbook import SURFACE

KEYS = Keys(b"s" * 32, b"v" * 32)
NOW = "2026-01-01T00:00:00.000Z"
SCENARIOS = [Scenario("S1", "user", "look", ("a",)), Scenario("S2", "user", "look again")]
TOOLS = [dict(tool.raw) for tool in SURFACE]
PATIENCE = 10
LEFT = {"calls_left": 20, "seconds_left": 900}


def scoped(folder: EvalDir, tools: Sequence[Tool] = SURFACE, limitation: str | None = None, **more: Any) -> Scoped:
    """An evaluation of one server whose only scenario is approved."""
    state = State("one", NOW, NOW, status=Status.SCOPED)
    state.attached_mcps = [{"name": "a", "assay": {"limitation": limitation}}]
    state.scenarios = [{"id": "S1", "assay": {}}]
    pinned = folder.save_manifests({"a": [dict(item.raw) for item in tools]})
    state.assay = {"notes": [], "manifests_sha256": pinned}
    given = {
        "plan": Plan(allow=("Bash",)),
        "safety": {"a": Safety(Disposition.READ_ONLY)},
        "scenarios": SCENARIOS[:1],
    }
    return Scoped(folder, state, KEYS, SystemClock(), Silent(), **(given | more))


@dataclass
class Desk:
    """What a socket's clients want besides calls, told plainly."""

    owner: Owner
    name: str = "one"
    notes: list[str] = field(default_factory=list)
    observed: list[Any] = field(default_factory=list)
    saved: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def launch(self, server: str) -> dict[str, Any]:
        if server not in self.owner.gate.policy.pinned:
            raise UserError("no attached MCP has this name")
        return {"transport": "stdio", "command": "x"}

    def observe(self, server: str, tools: list[Any]) -> None:
        self.observed.append((server, tools))

    def instead(self, join: str | None) -> Mapping[str, Any] | None:
        return None

    def escaped(self) -> Mapping[str, Any]:
        return {"ok": True}

    def scenario(self, scenario: Scenario) -> dict[str, Any]:
        return {
            "id": scenario.id,
            "description": scenario.description,
            "targets_mcps": list(scenario.targets_mcps),
        } | LEFT

    def status(self) -> dict[str, Any]:
        return {"status": "executing"}

    def persist(self) -> None:
        self.saved += 1
        self.owner.persist()

    def note(self, text: str) -> None:
        self.notes.append(text)
        self._news.set()

    async def heard(self, text: str) -> None:
        """Return once that has been said."""
        async with asyncio.timeout(PATIENCE):
            while text not in self.notes:
                self._news.clear()
                await self._news.wait()


class Link:
    """One connection to the owner, from the same loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer, self._numbers = reader, writer, count(1)

    async def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self.tell({"n": number, "do": do, **fields})
        answer = await self.read()
        assert answer is not None
        assert answer.pop("n") == number
        return answer

    async def call(self, mcp: str | None, tool: str, args: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        return await self.ask("open", mcp=mcp, tool=tool, args=args or {}, **more)

    def tell(self, message: dict[str, Any]) -> None:
        self.send(json.dumps(message).encode() + b"\n")

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def read(self) -> dict[str, Any] | None:
        """The next message; None once the owner has ended the connection."""
        line = await asyncio.wait_for(self._reader.readline(), PATIENCE)
        return json.loads(line) if line else None

    async def cut(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


class Stage:
    """Use as an async context manager. ``over`` is the task that runs the scenarios."""

    def __init__(
        self, folder: Path, address: Path, *, calls: int = 20, minutes: float = 15, patience: float = 2
    ) -> None:
        self.path, self._address = address / "run" / "x.sock", address
        self._folder, self._calls, self._minutes, self._patience = folder, calls, minutes, patience
        self._links: list[Link] = []

    async def __aenter__(self) -> Self:
        self.state = State("one", NOW, NOW)
        self.state.config |= {"call_budget_per_scenario": self._calls, "wallclock_budget_minutes": self._minutes}
        self.folder = EvalDir(self._folder, "one", create=True)
        policy = Policy({"a": Safety(Disposition.READ_ONLY)}, {"a": Manifest("a", SURFACE)}, allow=frozenset({"Bash"}))
        self.owner = Owner(self.folder, self.state, policy, KEYS, SystemClock(), Silent())
        self.hosted = Hosted(self.owner.gate, self.owner.remaining, left=2, timeout=60, patience=self._patience)
        self.desk = Desk(self.owner)
        self.socket = OwnerSocket(self.path, self.hosted, self.desk)
        await self.socket.__aenter__()
        self.over = asyncio.ensure_future(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.over.cancel()
        await asyncio.gather(self.over, return_exceptions=True)
        for link in self._links:
            await link.cut()
        await self.socket.__aexit__()
        self.owner.__exit__()
        self.folder.__exit__()

    async def _run(self) -> None:
        async def nobody(_: object) -> Refusal:
            raise AssertionError("the host driver makes no calls itself")

        await self.owner.run(SCENARIOS, lambda _: self.hosted, nobody, turn=self.hosted.turn)
        self.hosted.close("every scenario has been attempted")

    async def bare(self) -> Link:
        """A connection that has said nothing yet."""
        self._links.append(Link(*await asyncio.open_unix_connection(self.path, limit=1 << 26)))
        return self._links[-1]

    async def connect(self, role: str, **more: Any) -> Link:
        link = await self.bare()
        answer = await link.ask("hello", role=role, version=1, **more)
        assert answer["ok"] is True
        return link

    async def running(self) -> tuple[Link, Link]:
        """The agent and a gateway, with the first scenario running and the tools listed."""
        agent, gateway = await self.connect("agent"), await self.connect("gateway", server="a")
        await agent.ask("next")
        await gateway.ask("observe", tools=TOOLS)
        return agent, gateway

    def lines(self) -> list[dict[str, Any]]:
        return list(entries(self.folder.fd))

    def ends(self) -> list[tuple[str, str]]:
        return [(line["id"], line["assay"]["outcome"]) for line in self.lines()]


@asynccontextmanager
async def staged(folder: Path, address: Path, **more: Any) -> AsyncIterator[Stage]:
    async with Stage(folder, address, **more) as stage, asyncio.timeout(30):
        yield stage

"""What a user wants: a text, and what a competent agent does about it. The common wants, and room for others."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.friction.agent import Agent
from benchmarks.friction.made import Item
from benchmarks.friction.people import day
from benchmarks.friction.surface import Kind, World

__all__ = [
    "Goal",
    "Task",
    "about",
    "after",
    "checking",
    "counting",
    "filing",
    "finding",
    "missing",
    "searching",
    "since",
    "spoken",
    "working",
]

Wanted = Callable[[Random, World], Mapping[str, Any]]
"""Draws what is wanted, by members, from what the user knows of the world."""


@dataclass(frozen=True)
class Task:
    """``text`` is what the user says; ``run`` returns whether the goal was reached, or raises ``Stuck``."""

    text: str
    run: Callable[[Agent], Awaitable[bool]]


@dataclass(frozen=True)
class Goal:
    """``make`` draws the particulars, from the worlds that the user knows of."""

    name: str
    servers: tuple[str, ...]
    make: Callable[[Random, Mapping[str, World]], Task]


def spoken(wanted: Mapping[str, Any]) -> str:
    return " and ".join(f"{member.replace('_', ' ')} {value}" for member, value in wanted.items())


def about(server: str, entity: str, wanted: Wanted, *, most: int = 5) -> Goal:
    """Find some, and read the first of them."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        want, few = wanted(rng, worlds[server]), rng.randint(2, most)

        async def run(agent: Agent) -> bool:
            found = await agent.collect(server, entity, want)
            read = few + (agent.rng.random() < 0.1)
            return not found or bool(await agent.get(server, entity, found[:read]))

        return Task(f"Read the first {few} {entity}s with {spoken(want)} and say what they are about.", run)

    return Goal(f"{server}: about {entity}s", (server,), make)


def counting(server: str, entity: str, wanted: Wanted, *, member: str = "") -> Goal:
    """How many, or how much."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        want = wanted(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            return await agent.figure(server, entity, want, member) >= 0

        asked = f"What is the sum of {member} of" if member else "How many are"
        return Task(f"{asked} the {entity}s with {spoken(want)}?", run)

    return Goal(f"{server}: {'sum' if member else 'count'} of {entity}s", (server,), make)


def checking(server: str, entity: str, wanted: Wanted) -> Goal:
    """All of them, and whether they are as many as the server counts."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        want = wanted(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            found = await agent.collect(server, entity, want)
            listed = list(dict.fromkeys(item.source for item in found)) or [agent.made[-1].id]
            counted = await agent.figure(server, entity, want)
            if counted > len(found):
                found = await agent.again_with_all(server, entity, want, [*listed, agent.made[-1].id]) or found
            return len(found) == counted

        return Task(f"List the {entity}s with {spoken(want)}, and see whether they are as many as are counted.", run)

    return Goal(f"{server}: all {entity}s", (server,), make)


def finding(server: str, entity: str, key: str, table: str) -> Goal:
    """The one with a natural key, and what it says."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        value = rng.choice(worlds[server][table])[key]

        async def run(agent: Agent) -> bool:
            found = await agent.find(server, entity, key, value)
            if found is None:
                return False
            return not agent.has(server, Kind.GET, entity) or bool(await agent.get(server, entity, [found]))

        return Task(f"What is known of the {entity} with {key.replace('_', ' ')} {value}?", run)

    return Goal(f"{server}: find {entity}", (server,), make)


def missing(server: str, entity: str, identifier: Callable[[Random, World], str]) -> Goal:
    """One that somebody has mentioned, and that is not there."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        value = identifier(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            return await agent.asked_for(server, entity, value)

        return Task(f"Somebody mentioned the {entity} {value}: what is it about?", run)

    return Goal(f"{server}: {entity} that is missing", (server,), make)


def since(server: str, entity: str, wanted: Wanted, *, dated: str) -> Goal:
    """What changed since the date of another one."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        want = wanted(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            tool = agent.tool(server, Kind.LIST, entity)
            first = await agent.collect(server, entity, want, most=1)
            if not first or not tool.role.dates:
                return False
            value, because = await agent.as_date(server, first[0].get(dated), tool, [first[0].source])
            return (await agent.tried(server, tool, {tool.role.dates[0]: value}, "since", because)).ok

        return Task(f"Take the first {entity} with {spoken(want)}: what has changed since then?", run)

    return Goal(f"{server}: {entity}s since", (server,), make)


def after(server: str, entity: str) -> Goal:
    """What there is since a date that the user names."""

    def make(rng: Random, _worlds: Mapping[str, World]) -> Task:
        when = day(rng)

        async def run(agent: Agent) -> bool:
            tool = agent.tool(server, Kind.LIST, entity)
            if not tool.role.dates:
                return False
            return (await agent.tried(server, tool, {tool.role.dates[0]: when}, "after")).ok

        return Task(f"Which {entity}s are of {when} or later?", run)

    return Goal(f"{server}: {entity}s after", (server,), make)


def filing(server: str, entity: str, wanted: Wanted) -> Goal:
    """Create one and tell its identifier; ``wanted`` draws the arguments."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        args = wanted(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            made = await agent.tried(server, agent.tool(server, Kind.CREATE, entity), args, "create")
            return await agent.known(server, entity, made, args) is not None

        return Task(f"Create a {entity} with {spoken(args)} and tell me its id.", run)

    return Goal(f"{server}: new {entity}", (server,), make)


def searching(server: str, entity: str, words: Callable[[Random, World], str]) -> Goal:
    """Search by words, and read what comes first."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        asked = words(rng, worlds[server])
        if rng.random() < 0.4:  # people mind capitals little
            asked = asked[:1].swapcase() + asked[1:]

        async def run(agent: Agent) -> bool:
            found: list[Item] = await agent.search(server, entity, asked)
            return (
                not found or not agent.has(server, Kind.GET, entity) or bool(await agent.get(server, entity, found[:3]))
            )

        return Task(f"Search the {entity}s for {asked} and read the first three.", run)

    return Goal(f"{server}: search {entity}s", (server,), make)


def working(server: str, entity: str, wanted: Wanted) -> Goal:
    """Have a job done, and tell how it ended."""

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        args = wanted(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            return (await agent.job(server, entity, args)).get("state") == "succeeded"

        return Task(f"Run a {entity} with {spoken(args)} and tell me how it ended.", run)

    return Goal(f"{server}: {entity}", (server,), make)

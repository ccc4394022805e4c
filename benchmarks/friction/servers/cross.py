"""Goals that need two servers: what one of them gives is what the other one takes."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from benchmarks.friction.agent import Agent
from benchmarks.friction.goals import Goal, Task, spoken
from benchmarks.friction.surface import World

__all__ = ["GOALS"]

Wanted = Callable[[Random, World], Mapping[str, Any]]


def handing(one: tuple[str, str, str], other: tuple[str, str, str], wanted: Wanted) -> Goal:
    """Take a member of the first item that is wanted at one server, and list what the other has of it.

    Each side is a server, an entity and a member: where the value comes from, and what it is held against.
    """
    (server, entity, member), (other_server, other_entity, other_member) = one, other

    def make(rng: Random, worlds: Mapping[str, World]) -> Task:
        want = wanted(rng, worlds[server])

        async def run(agent: Agent) -> bool:
            found = await agent.collect(server, entity, want, most=1)
            if not found:
                return True
            value, because = await agent.hand_over(server, entity, found[0], member, other_server)
            there = await agent.collect(other_server, other_entity, {other_member: value}, most=5, because=because)
            return bool(there) or value is not None

        text = (
            f"Take the first {entity} of {server} with {spoken(want)}; "
            f"which {other_entity}s does {other_server} have with the same {other_member.replace('_', ' ')}?"
        )
        return Task(text, run)

    return Goal(f"{server} to {other_server}: {member}", (server, other_server), make)


def pick(member: str, *choices: str) -> Wanted:
    return lambda rng, _world: {member: rng.choice(choices)}


GOALS = (
    handing(("tracker", "issue", "assignee"), ("wiki", "page", "editor"), pick("state", "open", "closed")),
    handing(("tracker", "issue", "project"), ("ci", "build", "project"), pick("label", "bug", "security")),
    handing(("wiki", "page", "editor"), ("calendar", "meeting", "organizer"), pick("status", "draft", "outdated")),
    handing(("wiki", "page", "space"), ("tracker", "issue", "project"), pick("status", "reviewed", "outdated")),
    handing(("calendar", "meeting", "organizer"), ("crm", "deal", "owner"), pick("kind", "review", "workshop")),
    handing(("crm", "deal", "owner"), ("files", "file", "owner"), pick("stage", "won", "lost")),
    handing(("files", "file", "owner"), ("search", "document", "author"), pick("type", "markdown", "image")),
    handing(
        ("warehouse", "shipment", "handled_by"), ("tracker", "issue", "assignee"), pick("state", "returned", "packed")
    ),
    handing(("ci", "build", "project"), ("wiki", "page", "space"), pick("result", "failed", "cancelled")),
    handing(("metrics", "alert", "acknowledged_by"), ("chat", "message", "author"), pick("severity", "page", "ticket")),
    handing(("metrics", "alert", "service"), ("billing", "invoice", "project"), pick("severity", "info", "page")),
    handing(("billing", "invoice", "approved_by"), ("maps", "place", "surveyed_by"), pick("status", "paid", "overdue")),
    handing(("chat", "message", "author"), ("billing", "invoice", "approved_by"), pick("kind", "question", "reply")),
    handing(
        ("maps", "place", "surveyed_by"), ("metrics", "alert", "acknowledged_by"), pick("category", "park", "museum")
    ),
    handing(("chat", "message", "channel"), ("metrics", "alert", "service"), pick("kind", "announcement", "reply")),
)

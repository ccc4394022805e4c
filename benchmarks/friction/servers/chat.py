"""A chat: channels, messages, people."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, searching, since
from benchmarks.friction.parts import Collection, date, text, words
from benchmarks.friction.people import PLAYGROUND, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_KINDS = ["question", "announcement", "reply"]
_TOPICS = ["outage", "lunch", "standup", "migration", "release", "invoice", "password", "printer"]

_MESSAGES = Collection(
    "message",
    "messages",
    "message_id",
    short={
        "message_id": text("The message's identifier."),
        "channel": text("The channel, by the project's key."),
        "author": text("The login of who wrote it."),
        "kind": words(_KINDS, "What it is."),
        "sent": date("The day on which it was sent"),
        "preview": text("Its first words."),
    },
    whole={"body": text("All of it."), "reactions": {"type": "array", "items": {"type": "string"}}},
    filters={
        "channel": text("Only messages in this channel, by the project's key."),
        "author": text("Only messages by this person, by login."),
        "kind": words(_KINDS, "Only messages of this kind."),
    },
    shared={"author": "login", "channel": "project"},
    dated="sent",
    since="oldest",
    until="latest",
    cursor="next_cursor",
    size=30,
)
_MEMBERS = Collection(
    "member",
    "members",
    "login",
    short={
        "login": text("The name to sign in with."),
        "name": text("First and last name."),
        "email": text("The address for mail."),
    },
    whole={"timezone": text("Where they are."), "status": text("What they are doing.")},
    lookups={"email": text("Only the member with this address."), "name": text("Only members of exactly this name.")},
    shared={"login": "login"},
    size=5,
    most=20,
)


def _world(rng: Random) -> World:
    crowd, messages = people(rng), []
    for place in range(90):
        topic = rng.choice(_TOPICS)
        begins = rng.choice(["About the", "News on the", "Who knows the"])
        body = (
            f"{begins} {topic} ({place}): {rng.choice(crowd)['name']} looked into it. "
            + "More tomorrow. " * rng.randint(1, 4)
        )
        messages.append(
            {
                "message_id": f"m{rng.getrandbits(40):010x}",
                "channel": rng.choice(projects()[:-1]),
                "author": rng.choice(crowd)["login"],
                "kind": rng.choice(_KINDS),
                "sent": day(rng),
                "preview": body[:32],
                "body": body,
                "reactions": rng.sample(["thumbs-up", "eyes", "tada"], rng.randint(0, 2)),
            }
        )
    members = [{**person, "timezone": "Europe/Vienna", "status": rng.choice(["here", "away"])} for person in crowd]
    return {"people": crowd, "messages": messages, "members": members}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    rest = {"author": world["people"][0]["login"], "kind": "reply", "sent": "2026-11-30", "reactions": []}
    return {"message_id": f"m{len(world['messages']):010x}", "preview": args["body"][:32], **rest, **args}


SURFACE = Surface(
    "chat",
    named(
        _MESSAGES.list_tool("list_messages", "Lists messages a page at a time, newest last."),
        _MESSAGES.get_tool("get_message", "Returns a message, or several, whole.", batch="message_ids"),
        _MESSAGES.search_tool("search_messages", "Searches what was written.", over=("body",)),
        _MESSAGES.count_tool("count_messages", "Returns how many messages match."),
        _MESSAGES.create_tool(
            "post_message",
            "Writes a message into a channel and returns it.",
            {
                "channel": text("The channel, by the project's key."),
                "body": text("What to say."),
                "kind": words(_KINDS, "What it is; reply if left out."),
            },
            ["channel", "body"],
            _new,
        ),
        _MEMBERS.list_tool("list_members", "Lists who is in the chat, a page at a time."),
        _MEMBERS.get_tool("get_member", "Returns a member, or several, with time zone and status.", batch="logins"),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about("chat", "message", lambda rng, _: {"channel": rng.choice(projects()[:-1]), "kind": rng.choice(_KINDS)}),
    about("chat", "message", lambda rng, world: {"author": rng.choice(world["people"])["login"]}),
    counting("chat", "message", lambda rng, _: {"channel": rng.choice(projects()[:-1])}),
    searching("chat", "message", lambda rng, _: rng.choice(_TOPICS)),
    finding("chat", "member", "email", "members"),
    since("chat", "message", lambda rng, _: {"kind": rng.choice(_KINDS)}, dated="sent"),
    missing("chat", "message", lambda rng, _: f"m{rng.getrandbits(40):010x}"),
    filing(
        "chat",
        "message",
        lambda rng, _: {
            "channel": PLAYGROUND,
            "body": f"Done with round {rng.randint(100, 999)}.",
            "kind": rng.choice(_KINDS),
        },
    ),
    checking("chat", "message", lambda rng, _: {"kind": rng.choice(_KINDS)}),
    after("chat", "message"),
)

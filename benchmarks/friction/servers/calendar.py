"""A calendar of meetings."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, since
from benchmarks.friction.parts import Collection, date, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_KINDS = ["review", "planning", "interview", "workshop"]
_ROOMS = ["north", "south", "garden", "attic"]

_MEETINGS = Collection(
    "meeting",
    "meetings",
    "meeting_id",
    short={
        "meeting_id": text("The meeting's identifier."),
        "subject": text("One line."),
        "kind": words(_KINDS, "What kind of meeting it is."),
        "organizer": text("The login of the person who called it."),
        "room": words(_ROOMS, "Where it is."),
        "day": date("When it is"),
    },
    whole={"agenda": text("What will be talked about."), "attendees": {"type": "array", "items": {"type": "string"}}},
    filters={
        "kind": words(_KINDS, "Only meetings of this kind."),
        "room": words(_ROOMS, "Only meetings in this room."),
        "organizer": text("Only meetings called by this person, by login."),
    },
    lookups={"subject": text("Only the meeting with exactly this subject.")},
    shared={"organizer": "login"},
    dated="day",
    since="from_day",
    until="to_day",
    cursor="next",
    cursor_param="after",
    size=15,
    most=60,
)


def _world(rng: Random) -> World:
    crowd, meetings = people(rng), []
    for place in range(58):
        kind, project = rng.choice(_KINDS), rng.choice(projects()[:-1])
        meetings.append(
            {
                "meeting_id": f"mtg_{rng.getrandbits(40):010x}",
                "subject": f"{kind.capitalize()} of {project} no. {place + 1}",
                "kind": kind,
                "organizer": rng.choice(crowd)["login"],
                "room": rng.choice(_ROOMS),
                "day": day(rng),
                "agenda": f"Where {project} stands, and what {rng.choice(crowd)['name']} needs next.",
                "attendees": [person["login"] for person in rng.sample(crowd, 4)],
            }
        )
    return {"people": crowd, "meetings": meetings}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    rest = {"organizer": world["people"][0]["login"], "room": "north", "agenda": "", "attendees": []}
    return {
        "meeting_id": f"mtg_{len(world['meetings']):010x}",
        **rest,
        **{k: v for k, v in args.items() if k != "calendar"},
    }


SURFACE = Surface(
    "calendar",
    named(
        _MEETINGS.list_tool("list_meetings", "Lists meetings, a page at a time."),
        _MEETINGS.get_tool(
            "get_meetings",
            "Returns one meeting or several, with agenda and attendees.",
            param="meeting_id",
            batch="meeting_ids",
        ),
        _MEETINGS.count_tool("count_meetings", "Returns how many meetings match."),
        _MEETINGS.create_tool(
            "create_meeting",
            "Calls a meeting in a calendar and returns it.",
            {
                "calendar": text("The calendar that it goes into, by the project's key."),
                "subject": text("One line."),
                "kind": words(_KINDS, "What kind of meeting it is."),
                "day": date("When it is"),
            },
            ["calendar", "subject", "kind", "day"],
            _new,
        ),
        DIRECTORY.list_tool("list_colleagues", "Lists who can be invited, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about("calendar", "meeting", lambda rng, world: {"organizer": rng.choice(world["people"])["login"]}),
    about("calendar", "meeting", lambda rng, _: {"kind": rng.choice(_KINDS), "room": rng.choice(_ROOMS)}),
    counting("calendar", "meeting", lambda rng, _: {"kind": rng.choice(_KINDS)}),
    finding("calendar", "meeting", "subject", "meetings"),
    since("calendar", "meeting", lambda rng, _: {"room": rng.choice(_ROOMS)}, dated="day"),
    missing("calendar", "meeting", lambda rng, _: f"mtg_{rng.getrandbits(40):010x}"),
    filing(
        "calendar",
        "meeting",
        lambda rng, _: {
            "calendar": PLAYGROUND,
            "subject": f"Look back at week {rng.randint(100, 999)}",
            "kind": rng.choice(_KINDS),
            "day": day(rng),
        },
    ),
    finding("calendar", "person", "email", "people"),
    checking("calendar", "meeting", lambda rng, _: {"kind": rng.choice(_KINDS)}),
    after("calendar", "meeting"),
)

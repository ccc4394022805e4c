"""Places and surveys."""

from random import Random

from benchmarks.friction.goals import about, after, checking, counting, finding, missing, searching, since, working
from benchmarks.friction.parts import Collection, date, job_tools, number, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_CATEGORIES = ["museum", "station", "park", "harbour"]
_TOWNS = ["Riga", "Lyon", "Porto", "Ghent", "Malmo", "Turin", "Graz", "Brno"]

_PLACES = Collection(
    "place",
    "places",
    "place_id",
    short={
        "place_id": text("The place's identifier."),
        "name": text("What it is called."),
        "category": words(_CATEGORIES, "What it is."),
        "town": words(_TOWNS, "Where it is."),
        "surveyed_by": text("The login of who was there last."),
        "surveyed": date("The day on which that was"),
    },
    whole={
        "latitude": number("In degrees."),
        "longitude": number("In degrees."),
        "opening_hours": text("When it is open."),
    },
    filters={
        "category": words(_CATEGORIES, "Only places of this kind."),
        "town": words(_TOWNS, "Only places in this town."),
        "surveyed_by": text("Only places where this person was last, by login."),
    },
    lookups={"name": text("Only the place of exactly this name.")},
    shared={"surveyed_by": "login"},
    dated="surveyed",
    since="surveyed_since",
    items="features",
    cursor="continuation_token",
    cursor_param="continuation_token",
    limit="top",
    size=14,
    most=70,
)
_START, _STATUS = job_tools(
    "tiling",
    ("start_tiling", "Draws a project's map anew; get_tiling tells how far it is."),
    ("get_tiling", "Returns the state of a tiling, at once or, with wait_seconds, when it has ended."),
    {"project": text("The project's key."), "town": words(_TOWNS, "The town to draw.")},
    ["project", "town"],
    key="tiling_id",
)


def _world(rng: Random) -> World:
    crowd = people(rng)
    places = [
        {
            "place_id": f"pl_{rng.getrandbits(40):010x}",
            "name": f"{rng.choice(['Old', 'New', 'Upper'])} {rng.choice(_CATEGORIES).capitalize()} {place + 1}",
            "category": rng.choice(_CATEGORIES),
            "town": rng.choice(_TOWNS),
            "surveyed_by": rng.choice(crowd)["login"],
            "surveyed": day(rng),
            "latitude": round(rng.uniform(41, 57), 5),
            "longitude": round(rng.uniform(-9, 24), 5),
            "opening_hours": f"{rng.randint(7, 11)} to {rng.randint(16, 21)}",
        }
        for place in range(68)
    ]
    return {"people": crowd, "places": places}


SURFACE = Surface(
    "maps",
    named(
        _PLACES.list_tool("list_places", "Lists places a page at a time."),
        _PLACES.search_tool("search_places", "Searches the names of places and towns.", over=("name", "town")),
        _PLACES.get_tool(
            "get_place", "Returns a place, or several, with position and opening hours.", batch="place_ids"
        ),
        _PLACES.count_tool("count_places", "Returns how many places match."),
        _START,
        _STATUS,
        DIRECTORY.list_tool("list_surveyors", "Lists who has surveyed places, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about("maps", "place", lambda rng, _: {"town": rng.choice(_TOWNS), "category": rng.choice(_CATEGORIES)}),
    about("maps", "place", lambda rng, world: {"surveyed_by": rng.choice(world["people"])["login"]}),
    counting("maps", "place", lambda rng, _: {"category": rng.choice(_CATEGORIES)}),
    searching("maps", "place", lambda rng, _: rng.choice(_TOWNS)),
    finding("maps", "place", "name", "places"),
    since("maps", "place", lambda rng, _: {"category": rng.choice(_CATEGORIES)}, dated="surveyed"),
    missing("maps", "place", lambda rng, _: f"pl_{rng.getrandbits(40):010x}"),
    working("maps", "tiling", lambda rng, _: {"project": PLAYGROUND, "town": rng.choice(_TOWNS)}),
    finding("maps", "person", "email", "people"),
    checking("maps", "place", lambda rng, _: {"category": rng.choice(_CATEGORIES)}),
    after("maps", "place"),
)

"""A wiki."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, searching, since
from benchmarks.friction.parts import Collection, date, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_STATUSES = ["draft", "reviewed", "outdated"]
_TOPICS = ["deploy", "rollback", "oncall", "access", "backup", "naming", "release", "glossary"]

_PAGES = Collection(
    "page",
    "pages",
    "slug",
    short={
        "slug": text("The page's identifier."),
        "title": text("The page's heading."),
        "space": text("The space that it is in, by the project's key."),
        "status": words(_STATUSES, "How far one can rely on it."),
        "editor": text("The login of who changed it last."),
        "edited": date("The day of the last change"),
    },
    whole={"markdown": text("The text."), "links": {"type": "array", "items": {"type": "string"}}},
    filters={
        "space": text("Only pages of this space, by the project's key."),
        "status": words(_STATUSES, "Only pages of this status."),
        "editor": text("Only pages that this person changed last, by login."),
    },
    lookups={"title": text("Only the page with exactly this heading.")},
    shared={"editor": "login", "space": "project"},
    dated="edited",
    since="edited_since",
    limit="limit",
    cursor="next_cursor",
    size=20,
)


def _world(rng: Random) -> World:
    crowd, pages = people(rng), []
    for place in range(60):
        topic, space = rng.choice(_TOPICS), rng.choice(projects()[:-1])
        pages.append(
            {
                "slug": f"{topic}-{space}-{place:02d}",
                "title": f"{topic.capitalize()} in {space} ({place})",
                "space": space,
                "status": rng.choice(_STATUSES),
                "editor": rng.choice(crowd)["login"],
                "edited": day(rng),
                "markdown": f"# {topic.capitalize()}\n\nAsk {rng.choice(crowd)['name']} first. "
                + "Then follow the list. " * 4,
                "links": [f"{rng.choice(_TOPICS)}-{space}-{rng.randint(0, 59):02d}" for _ in range(rng.randint(0, 3))],
            }
        )
    return {"people": crowd, "pages": pages}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    rest = {"status": "draft", "editor": world["people"][0]["login"], "edited": "2026-11-30", "links": []}
    return {"slug": f"page-{len(world['pages'])}-{args['space']}", **rest, **args}


SURFACE = Surface(
    "wiki",
    named(
        _PAGES.search_tool("search_pages", "Searches headings and texts.", over=("title", "markdown"), param="text"),
        _PAGES.list_tool("list_pages", "Lists pages, a page of results at a time."),
        _PAGES.get_tool("read_page", "Returns a page, or several, with their text and links.", batch="slugs"),
        _PAGES.count_tool("count_pages", "Returns how many pages match."),
        _PAGES.create_tool(
            "create_page",
            "Adds a page to a space and returns it.",
            {
                "space": text("The space, by the project's key."),
                "title": text("The heading."),
                "markdown": text("The text."),
                "status": words(_STATUSES, "How far one can rely on it; draft if left out."),
            },
            ["space", "title", "markdown"],
            _new,
        ),
        DIRECTORY.list_tool("list_editors", "Lists who may change pages, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    searching("wiki", "page", lambda rng, _: rng.choice(_TOPICS)),
    about("wiki", "page", lambda rng, _: {"space": rng.choice(projects()[:-1]), "status": rng.choice(_STATUSES)}),
    counting("wiki", "page", lambda rng, _: {"status": rng.choice(_STATUSES), "space": rng.choice(projects()[:-1])}),
    finding("wiki", "page", "title", "pages"),
    since("wiki", "page", lambda rng, _: {"status": rng.choice(_STATUSES)}, dated="edited"),
    missing(
        "wiki", "page", lambda rng, _: f"{rng.choice(_TOPICS)}-{rng.choice(projects()[:-1])}-{rng.randint(70, 99)}"
    ),
    filing(
        "wiki",
        "page",
        lambda rng, _: {
            "space": PLAYGROUND,
            "title": f"Notes {rng.randint(100, 999)}",
            "markdown": "To be written.",
            "status": "draft",
        },
    ),
    finding("wiki", "person", "email", "people"),
    checking("wiki", "page", lambda rng, _: {"space": rng.choice(projects()[:-1])}),
    after("wiki", "page"),
)

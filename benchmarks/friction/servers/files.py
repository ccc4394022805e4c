"""A file store."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, searching, since
from benchmarks.friction.parts import Collection, date, number, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_TYPES = ["markdown", "spreadsheet", "image", "archive"]
_TOPICS = ["budget", "roadmap", "minutes", "handbook", "contract", "survey", "inventory", "onboarding"]

_FILES = Collection(
    "file",
    "files",
    "path",
    short={
        "path": text("Where it lies, from the root of the store."),
        "type": words(_TYPES, "What kind of file it is."),
        "owner": text("The login of the person whom it belongs to."),
        "bytes": number("Its size."),
        "modified": date("The day of the last change"),
    },
    whole={"excerpt": text("How it begins."), "project": text("The project's key.")},
    filters={
        "type": words(_TYPES, "Only files of this type."),
        "owner": text("Only files of this person, by login."),
        "project": text("Only files of this project, by key."),
    },
    lookups={"path": text("Only the file that lies exactly there.")},
    shared={"owner": "login"},
    dated="modified",
    since="modified_after",
    until="modified_before",
    items="entries",
    cursor="next_page_token",
    cursor_param="page_token",
    limit="page_size",
    size=25,
)


def _world(rng: Random) -> World:
    crowd, files = people(rng), []
    for place in range(64):
        topic, project = rng.choice(_TOPICS), rng.choice(projects()[:-1])
        files.append(
            {
                "path": f"/{project}/{rng.choice(['plans', 'notes'])}/{topic}-{place:02d}.{rng.choice(['md', 'png'])}",
                "type": rng.choice(_TYPES),
                "owner": rng.choice(crowd)["login"],
                "bytes": rng.randint(800, 4_000_000),
                "modified": day(rng),
                "excerpt": f"The {topic} of {project}, as agreed with {rng.choice(crowd)['name']}.",
                "project": project,
            }
        )
    return {"people": crowd, "files": files}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    place = f"/{args['project']}/{args['file_name']}"
    return {
        "path": place,
        "type": args.get("type", "markdown"),
        "owner": world["people"][0]["login"],
        "bytes": len(args["content"]),
        "modified": "2026-11-30",
        "excerpt": args["content"][:60],
        "project": args["project"],
    }


SURFACE = Surface(
    "files",
    named(
        _FILES.list_tool("list_files", "Lists the files of the store a page at a time."),
        _FILES.get_tool(
            "read_files",
            "Returns what is known of one file or several, and how they begin.",
            param="path",
            batch="paths",
        ),
        _FILES.search_tool("search_files", "Searches names and beginnings of files.", over=("path", "excerpt")),
        _FILES.sum_tool("get_usage", "Returns the bytes that matching files take, and how many they are.", "bytes"),
        _FILES.create_tool(
            "create_file",
            "Writes a new file and returns what is known of it.",
            {
                "project": text("The project's key."),
                "file_name": text("Its name, such as notes.md."),
                "content": text("What it says."),
                "type": words(_TYPES, "What kind of file it is; markdown if left out."),
            },
            ["project", "file_name", "content"],
            _new,
        ),
        DIRECTORY.list_tool("list_owners", "Lists whom files can belong to, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about(
        "files", "file", lambda rng, world: {"owner": rng.choice(world["people"])["login"], "type": rng.choice(_TYPES)}
    ),
    counting(
        "files",
        "file",
        lambda rng, _: {"type": rng.choice(_TYPES), "project": rng.choice(projects()[:-1])},
        member="bytes",
    ),
    searching("files", "file", lambda rng, _: rng.choice(_TOPICS)),
    since("files", "file", lambda rng, _: {"type": rng.choice(_TYPES)}, dated="modified"),
    missing("files", "file", lambda rng, _: f"/{rng.choice(projects()[:-1])}/plans/{rng.choice(_TOPICS)}-draft.md"),
    filing(
        "files",
        "file",
        lambda rng, _: {
            "project": PLAYGROUND,
            "file_name": f"{rng.choice(_TOPICS)}-{rng.randint(100, 999)}.md",
            "content": "A first draft.",
        },
    ),
    finding("files", "person", "email", "people"),
    checking("files", "file", lambda rng, _: {"type": rng.choice(_TYPES)}),
    finding("files", "file", "path", "files"),
    after("files", "file"),
)

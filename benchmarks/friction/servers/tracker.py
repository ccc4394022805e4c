"""An issue tracker."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, since
from benchmarks.friction.parts import Collection, date, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_STATES = ["open", "in_progress", "closed"]
_LABELS = ["bug", "feature", "docs", "security"]
_WORDS = ["login", "export", "report", "upload", "search", "invoice", "calendar", "webhook", "cache", "theme"]

_ISSUES = Collection(
    "issue",
    "issues",
    "issue_id",
    short={
        "issue_id": text("The issue's identifier."),
        "title": text("One line."),
        "state": words(_STATES, "Where it stands."),
        "label": words(_LABELS, "What kind of issue it is."),
        "project": text("The project's key."),
        "assignee": text("The login of the person who works on it."),
        "updated": date("The day of the last change"),
    },
    whole={"body": text("What it is about."), "comments": {"type": "array", "items": {"type": "string"}}},
    filters={
        "state": words(_STATES, "Only issues in this state."),
        "label": words(_LABELS, "Only issues with this label."),
        "project": text("Only issues of this project, by key, such as atlas."),
        "assignee": text("Only issues of this person, by login, such as ada.abel."),
    },
    lookups={"title": text("Only issues with exactly this title.")},
    shared={"assignee": "login", "project": "project"},
    dated="updated",
    since="updated_since",
)


def _world(rng: Random) -> World:
    crowd, issues = people(rng), []
    for number in range(1, 71):
        word, project = rng.choice(_WORDS), rng.choice(projects()[:-1])
        issues.append(
            {
                "issue_id": f"{project.upper()}-{100 + number}",
                "title": f"{word.capitalize()} {rng.choice(['fails', 'is slow', 'loses data'])} ({number})",
                "state": rng.choice(_STATES),
                "label": rng.choice(_LABELS),
                "project": project,
                "assignee": rng.choice(crowd)["login"],
                "updated": day(rng),
                "body": f"Seen in {word} by {rng.choice(crowd)['name']}: " + "steps and expectations. " * 3,
                "comments": [f"Looked into the {word} once more." for _ in range(rng.randint(0, 3))],
            }
        )
    return {"people": crowd, "issues": issues}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    number = 500 + len(world["issues"])
    rest = {
        "state": "open",
        "updated": "2026-11-30",
        "assignee": world["people"][0]["login"],
        "body": "",
        "comments": [],
    }
    return {"issue_id": f"{args['project'].upper()}-{number}", "label": "bug", **rest, **args}


SURFACE = Surface(
    "tracker",
    named(
        _ISSUES.list_tool("list_issues", "Lists issues a page at a time; narrow them down with the filters."),
        _ISSUES.get_tool("get_issue", "Returns an issue, or several, with body and comments.", batch="issue_ids"),
        _ISSUES.count_tool("count_issues", "Returns how many issues match the filters."),
        _ISSUES.create_tool(
            "create_issue",
            "Creates an issue and returns it.",
            {
                "project": text("The project's key, such as atlas."),
                "title": text("One line."),
                "label": words(_LABELS, "What kind of issue it is; bug if left out."),
            },
            ["project", "title"],
            _new,
        ),
        DIRECTORY.list_tool("list_users", "Lists who has an account, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about(
        "tracker",
        "issue",
        lambda rng, world: {"assignee": rng.choice(world["people"])["login"], "state": rng.choice(_STATES)},
    ),
    about("tracker", "issue", lambda rng, _: {"label": rng.choice(_LABELS), "project": rng.choice(projects()[:-1])}),
    counting("tracker", "issue", lambda rng, _: {"project": rng.choice(projects()[:-1]), "label": rng.choice(_LABELS)}),
    since("tracker", "issue", lambda rng, _: {"state": rng.choice(_STATES)}, dated="updated"),
    filing(
        "tracker",
        "issue",
        lambda rng, _: {
            "project": PLAYGROUND,
            "title": f"{rng.choice(_WORDS).capitalize()} report {rng.randint(100, 999)}",
            "label": rng.choice(_LABELS),
        },
    ),
    finding("tracker", "person", "email", "people"),
    checking("tracker", "issue", lambda rng, _: {"state": rng.choice(_STATES)}),
    finding("tracker", "issue", "title", "issues"),
    missing("tracker", "issue", lambda rng, _: f"{rng.choice(projects()[:-1]).upper()}-{rng.randint(900, 999)}"),
    after("tracker", "issue"),
)

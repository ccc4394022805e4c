"""Builds."""

from random import Random

from benchmarks.friction.goals import about, after, checking, counting, finding, missing, since, working
from benchmarks.friction.parts import Collection, date, job_tools, number, text, words
from benchmarks.friction.people import PLAYGROUND, commits, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_RESULTS = ["passed", "failed", "cancelled"]
_BRANCHES = ["main", "release", "nightly"]

_BUILDS = Collection(
    "build",
    "builds",
    "build_id",
    short={
        "build_id": text("The build's identifier."),
        "project": text("The project's key."),
        "branch": words(_BRANCHES, "The branch that was built."),
        "commit": text("The full hash of the commit."),
        "result": words(_RESULTS, "How it ended."),
        "finished": date("When it ended"),
    },
    whole={
        "seconds": number("How long it took."),
        "log_tail": text("The last lines of its log."),
        "started_by": text("The login of who started it."),
    },
    filters={
        "project": text("Only builds of this project, by key."),
        "branch": words(_BRANCHES, "Only builds of this branch."),
        "result": words(_RESULTS, "Only builds that ended so."),
    },
    lookups={"commit": text("Only builds of this commit, by its full hash.")},
    shared={"commit": "commit", "started_by": "login", "project": "project"},
    dated="finished",
    since="finished_since",
    cursor="next_cursor",
    limit="per_page",
    cursor_param="cursor",
    size=12,
    most=48,
)
_START, _STATUS = job_tools(
    "pipeline",
    ("start_pipeline", "Builds a branch of a project; get_pipeline tells how far it is."),
    ("get_pipeline", "Returns the state of a pipeline, at once or, with wait_seconds, when it has ended."),
    {"project": text("The project's key."), "branch": words(_BRANCHES, "The branch to build.")},
    ["project", "branch"],
    key="pipeline_id",
)


def _world(rng: Random) -> World:
    crowd, hashes = people(rng), commits(rng)
    builds = [
        {
            "build_id": f"b-{rng.getrandbits(36):09x}",
            "project": rng.choice(projects()[:-1]),
            "branch": rng.choice(_BRANCHES),
            "commit": rng.choice(hashes),
            "result": rng.choice(_RESULTS),
            "finished": day(rng),
            "seconds": float(rng.randint(40, 900)),
            "log_tail": f"{rng.choice(['ok', 'timeout in'])} test_{rng.choice(['login', 'export', 'sync'])}",
            "started_by": rng.choice(crowd)["login"],
        }
        for _ in range(66)
    ]
    return {"people": crowd, "commits": hashes, "builds": builds}


SURFACE = Surface(
    "ci",
    named(
        _BUILDS.list_tool("list_builds", "Lists finished builds a page at a time."),
        _BUILDS.get_tool("get_build", "Returns a build, or several, with the end of the log.", batch="build_ids"),
        _BUILDS.count_tool("count_builds", "Returns how many builds match."),
        _START,
        _STATUS,
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about("ci", "build", lambda rng, _: {"project": rng.choice(projects()[:-1]), "result": rng.choice(_RESULTS)}),
    about("ci", "build", lambda rng, _: {"branch": rng.choice(_BRANCHES), "result": "failed"}),
    counting("ci", "build", lambda rng, _: {"project": rng.choice(projects()[:-1]), "result": rng.choice(_RESULTS)}),
    finding("ci", "build", "commit", "builds"),
    since("ci", "build", lambda rng, _: {"branch": rng.choice(_BRANCHES)}, dated="finished"),
    missing("ci", "build", lambda rng, _: f"b-{rng.getrandbits(36):09x}"),
    working("ci", "pipeline", lambda rng, _: {"project": PLAYGROUND, "branch": rng.choice(_BRANCHES)}),
    checking("ci", "build", lambda rng, _: {"branch": rng.choice(_BRANCHES)}),
    after("ci", "build"),
)

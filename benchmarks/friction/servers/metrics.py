"""Alerts and series of a monitoring system."""

from random import Random

from benchmarks.friction.goals import about, after, checking, counting, finding, missing, since, working
from benchmarks.friction.parts import Collection, date, job_tools, number, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, commits, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_SEVERITIES = ["page", "ticket", "info"]
_UNITS = ["ms", "percent", "bytes", "count"]
_NAMES = ["latency", "errors", "saturation", "throughput", "queue_depth", "cache_hits", "disk_free", "restarts"]

_ALERTS = Collection(
    "alert",
    "alerts",
    "alert_id",
    short={
        "alert_id": text("The alert's identifier."),
        "service": text("The project that it is about, by key."),
        "severity": words(_SEVERITIES, "Who has to know."),
        "acknowledged_by": text("The login of who looked into it."),
        "commit": text("The full hash of what was deployed."),
        "fired": date("The day on which it fired"),
    },
    whole={"expression": text("What was tested."), "value": number("What was measured.")},
    filters={
        "service": text("Only alerts of this project, by key."),
        "severity": words(_SEVERITIES, "Only alerts of this severity."),
        "acknowledged_by": text("Only alerts that this person looked into, by login."),
    },
    lookups={"commit": text("Only alerts on this commit, by its full hash.")},
    shared={"service": "project", "acknowledged_by": "login", "commit": "commit"},
    dated="fired",
    since="fired_since",
    until="fired_until",
    items="data",
    cursor="next_page",
    cursor_param="page_token",
    limit="limit",
    size=16,
    most=64,
)
_SERIES = Collection(
    "series",
    "series",
    "series_id",
    short={
        "series_id": text("The series' identifier."),
        "name": words(_NAMES, "What is measured."),
        "service": text("Where it is measured, by the project's key."),
        "unit": words(_UNITS, "What it is measured in."),
        "last_value": number("The latest value."),
    },
    whole={"retention_days": {"type": "integer"}, "description": text("What it tells.")},
    filters={
        "name": words(_NAMES, "Only series that measure this."),
        "service": text("Only series of this project, by key."),
    },
    shared={"service": "project"},
    items="data",
    cursor="next_page",
    cursor_param="page_token",
)
_START, _STATUS = job_tools(
    "backfill",
    ("start_backfill", "Computes a project's series anew; get_backfill tells how far it is."),
    ("get_backfill", "Returns the state of a backfill, at once or, with wait_seconds, when it has ended."),
    {"project": text("The project's key."), "name": words(_NAMES, "What is measured.")},
    ["project", "name"],
    key="backfill_id",
)


def _world(rng: Random) -> World:
    crowd, hashes = people(rng), commits(rng)
    alerts = [
        {
            "alert_id": f"al-{rng.getrandbits(40):010x}",
            "service": rng.choice(projects()[:-1]),
            "severity": rng.choice(_SEVERITIES),
            "acknowledged_by": rng.choice(crowd)["login"],
            "commit": rng.choice(hashes),
            "fired": day(rng),
            "expression": f"{rng.choice(_NAMES)} > {rng.randint(10, 900)}",
            "value": round(rng.uniform(1, 2000), 1),
        }
        for _ in range(75)
    ]
    series = [
        {
            "series_id": f"ts-{rng.getrandbits(40):010x}",
            "name": rng.choice(_NAMES),
            "service": rng.choice(projects()[:-1]),
            "unit": rng.choice(_UNITS),
            "last_value": round(rng.uniform(0, 500), 2),
            "retention_days": rng.choice([30, 90, 400]),
            "description": f"Measured where {rng.choice(crowd)['name']} asked for it.",
        }
        for _ in range(48)
    ]
    return {"people": crowd, "commits": hashes, "alerts": alerts, "series": series}


SURFACE = Surface(
    "metrics",
    named(
        _ALERTS.list_tool("list_alerts", "Lists alerts a page at a time."),
        _ALERTS.get_tool(
            "get_alert", "Returns an alert, or several, with what was tested and measured.", batch="alert_ids"
        ),
        _ALERTS.count_tool("count_alerts", "Returns how many alerts match."),
        _SERIES.list_tool("list_series", "Lists series a page at a time."),
        _SERIES.get_tool("get_series", "Returns a series, or several, with what they tell.", batch="series_ids"),
        _START,
        _STATUS,
        DIRECTORY.list_tool("list_responders", "Lists who is told of alerts, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about(
        "metrics",
        "alert",
        lambda rng, _: {"service": rng.choice(projects()[:-1]), "severity": rng.choice(_SEVERITIES)},
    ),
    about("metrics", "series", lambda rng, _: {"service": rng.choice(projects()[:-1])}),
    counting("metrics", "alert", lambda rng, _: {"severity": rng.choice(_SEVERITIES)}),
    finding("metrics", "alert", "commit", "alerts"),
    since("metrics", "alert", lambda rng, _: {"severity": rng.choice(_SEVERITIES)}, dated="fired"),
    missing("metrics", "alert", lambda rng, _: f"al-{rng.getrandbits(40):010x}"),
    working("metrics", "backfill", lambda rng, _: {"project": PLAYGROUND, "name": rng.choice(_NAMES)}),
    finding("metrics", "person", "email", "people"),
    checking("metrics", "alert", lambda rng, _: {"severity": rng.choice(_SEVERITIES)}),
    after("metrics", "alert"),
)

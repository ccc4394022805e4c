"""The people, projects and commits that several servers know, in one form wherever they appear."""

from random import Random
from typing import Any

from benchmarks.friction.parts import Collection, text

__all__ = ["DIRECTORY", "PLAYGROUND", "commits", "day", "people", "projects"]

PLAYGROUND = "playground"
"""The one project in which a server may be changed."""

_FIRST = [
    "Ada",
    "Bela",
    "Chidi",
    "Dora",
    "Emil",
    "Farah",
    "Goran",
    "Hana",
    "Ivo",
    "Jana",
    "Kofi",
    "Lena",
    "Milo",
    "Nadia",
    "Oskar",
    "Priya",
    "Quinn",
    "Rosa",
    "Sven",
    "Tala",
]
_LAST = ["Abel", "Brandt", "Castro", "Dimov", "Ekman", "Faber", "Greco", "Horak", "Ilic", "Janko"]
_PROJECTS = ["atlas", "beacon", "cobalt", "delta", "ember"]

DIRECTORY = Collection(
    "person",
    "people",
    "login",
    short={
        "login": text("The name to sign in with."),
        "name": text("First and last name."),
        "email": text("The address for mail."),
    },
    lookups={"name": text("Only who has exactly this name."), "email": text("Only who has this address.")},
    shared={"login": "login"},
    size=4,
    most=20,
)
"""Who has an account, for servers that tell."""


def people(rng: Random, number: int = 14) -> list[dict[str, Any]]:
    """Name, login and email of each."""
    firsts, found = rng.sample(_FIRST, number), []
    for first in firsts:
        last = rng.choice(_LAST)
        login = f"{first.lower()}.{last.lower()}"
        found.append({"name": f"{first} {last}", "login": login, "email": f"{login}@example.org"})
    return found


def projects() -> list[str]:
    return [*_PROJECTS, PLAYGROUND]


def commits(rng: Random, number: int = 40) -> list[str]:
    """Full hashes."""
    return [f"{rng.getrandbits(160):040x}" for _ in range(number)]


def day(rng: Random) -> str:
    """A date of the year before the tests' today."""
    return f"2026-{rng.randint(1, 10):02d}-{rng.randint(1, 28):02d}"

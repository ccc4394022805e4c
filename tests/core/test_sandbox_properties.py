"""No disguise gets a mutating call out of the sandbox: what an attacker would try, by the thousand.

``MCP_ASSAY_FUZZ`` says how many calls the last test makes; the long randomized run takes 200,000.
"""

import os
import random
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.kinds import ADDRESSING, COMMANDS, IDENTIFYING, NAMING, OPTIONS, QUERIES, WITHIN
from mcp_assay.core.model import Match, Tool
from mcp_assay.core.sandbox import Hold, check, could_match, explain

HOW_MANY = int(os.environ.get("MCP_ASSAY_FUZZ", "3000"))
LISTED = ("repo: acme/play", "channel: C123", "/srv/box/**")
PAIR = {"owner": "acme", "repo": "play"}
HELD = sorted(ADDRESSING - {"from", "to"} - WITHIN.keys())


def strict(args: Mapping[str, Any], resources: Sequence[str] = LISTED, schema: Any = None, **kwargs: Any) -> bool:
    return check(args, schema or {}, resources, Match.STRICT, **kwargs).ok


# --- what strict permits, literal permits ----------------------------------------------------------------------------

names = st.sampled_from([*HELD, *sorted(WITHIN), "name", "id", "key", "text", "x", "tag", "query", "user_id", "a_name"])
words = st.sampled_from(["acme", "play", "acme/play", "C123", "evil", "", " ", "a", "/etc/x", "../y", "é", "1", "C"])
values = st.recursive(
    words | st.integers(0, 9) | st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
calls = st.dictionaries(names | st.text(max_size=4), values, max_size=4)
entries = st.lists(
    st.sampled_from(["repo: acme/play", "C123", "1", "tag: a", " padded ", "kind:a/b c"]) | st.text(max_size=9),
    max_size=4,
)


@given(calls, entries)
def test_strict_never_permits_what_literal_refuses(args: Mapping[str, Any], resources: Sequence[str]) -> None:
    plain = [entry for entry in resources if not entry.endswith("/**")]
    if strict(args, plain):
        assert check(args, {}, plain, Match.LITERAL).ok


@given(calls, entries, st.sampled_from(list(Match)))
def test_nothing_is_permitted_without_a_string_that_is_listed(
    args: Mapping[str, Any], resources: Sequence[str], match: Match
) -> None:
    held, judged = explain(args, {}, resources, match)
    covered = [each for each in judged if each.hold is Hold.COVERED and each.argument.is_text]
    assert not held.ok or covered
    assert all(each.by in resources for each in covered)


# --- one argument more -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", HELD)
@pytest.mark.parametrize("form", ["{}", "{}_id", "target_{}_name", "new{}s"])
def test_no_foreign_place_person_or_thing_rides_along(word: str, form: str) -> None:
    name = form.format(word.title() if form.startswith("new") else word)
    assert strict(PAIR)
    assert not strict(PAIR | {name: "foreign"})
    assert not strict(PAIR | {name: ["play", "foreign"]})
    assert not strict(PAIR | {"options": [{"deep": {name: "foreign"}}]})


@given(st.from_regex("[a-z]{3,12}", fullmatch=True), st.sampled_from(sorted(IDENTIFYING)))
def test_any_identifier_of_an_unknown_thing_must_be_covered(word: str, suffix: str) -> None:
    name = f"{word}_{suffix}"
    if not OPTIONS.isdisjoint({word, word.removesuffix("s"), word.removesuffix("es")}):
        return
    assert not strict({"channel": "C123", name: "../foreign"})
    assert not strict({"text": "C123", name: "foreign"})
    assert strict({"channel": "C123", name: "C123"})


@pytest.mark.parametrize("word", sorted(COMMANDS - {"function", "script"}))
def test_no_place_holds_a_command(word: str) -> None:
    assert not strict(PAIR | {word: "rm"})
    assert not strict({"path": "/srv/box/a", word: "rm"})
    assert strict({word: "date --utc"}, ("date --utc",))


@pytest.mark.parametrize("part", sorted(WITHIN.keys() - QUERIES - NAMING - {"number"}))
def test_a_part_is_held_by_a_place_of_its_kind_and_by_no_other(part: str) -> None:
    name = f"{part}_number"
    held = [whole for whole in sorted(WITHIN[part]) if strict({whole: "mine", name: "p7"}, ("mine",))]
    assert held
    assert not strict({"recipient": "mine", name: "p7"}, ("mine",))
    assert not strict({held[0]: "mine", name: "../p7"}, ("mine",))
    assert not strict({"one": {held[0]: "mine"}, "two": {name: "p7"}}, ("mine",))


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        ({"repo": "mine", "issue_number": 7}, True),
        ({"repo": "mine", "issue_id": 7}, False),
        ({"project": "mine", "merge_request_iid": 7}, True),
        ({"project": "mine", "milestone_id": 7}, False),
        ({"channel": "mine", "thread_ts": "1.2"}, True),
        ({"user": "mine", "thread_ts": "1.2"}, False),
        ({"calendar_id": "mine", "event_id": "e"}, True),
        ({"event_id": "e", "text": "mine"}, False),
        ({"database": "mine", "sql": "delete from t"}, True),
        ({"database": "mine", "sql": "insert into t values (1.5, 'a, b')"}, True),
        ({"database": "mine", "sql": "delete from prod.t"}, False),
        ({"database": "mine", "sql": 'delete from "prod" . "t"'}, False),
        ({"database": "mine", "sql": "delete from prod/**/.t"}, False),
        ({"database": "mine", "sql": "delete from prod1.2t"}, False),
        ({"database": "mine", "sql": "Use prod; delete from t"}, False),
        ({"database": "mine", "sql": "ATTACH 'prod' AS p"}, False),
        ({"table": "mine", "sql": "delete from t"}, False),
        ({"user": "mine", "sql": "delete from t"}, False),
        ({"sql": "delete from t", "text": "mine"}, False),
        ({"repo": "mine", "head": "evil:main"}, False),
        ({"folder_id": "mine", "path": "a.txt"}, False),
        ({"folder_id": "mine", "file_name": "a.txt"}, True),
        ({"task_id": "mine", "task_name": "new"}, True),
        ({"id": "mine", "name": "new"}, True),
        ({"key": "mine", "name": "other"}, False),
        ({"name": "mine"}, True),
        ({"body": "mine"}, False),
        ({"title": "mine", "caption": "other"}, False),
        ({"idBoard": "mine", "idMember": "other"}, False),
        ({"board": "mine", "DropletIDs": ["9"]}, False),
        ({"path": "mine", "csv_path": "other"}, False),
        ({"repo_path": "mine", "file_path": "other"}, True),
        ({"board": "mine", "notify": "someone@else.example"}, False),
        ({"board": "mine", "x": "123e4567-e89b-12d3-a456-426614174000"}, False),
        ({"board": "mine", "request_id": "123e4567-e89b-12d3-a456-426614174000"}, True),
    ],
)
def test_what_holds_what(args: Mapping[str, Any], allowed: bool) -> None:
    assert strict(args, ("mine",)) is allowed


def test_a_label_narrows_what_lies_within() -> None:
    call = {"spreadsheet": "S", "sheet": "Prod"}
    assert strict(call, ("spreadsheet: S",))
    assert not strict(call, ("spreadsheet: S", "sheet: Test"))
    assert strict(call | {"sheet": "Test"}, ("spreadsheet: S", "sheet: Test"))
    statement = {"database": "D", "sql": "delete from t"}
    assert strict(statement, ("database: D",))
    assert not strict(statement, ("database: D", "table: t"))


def test_what_the_schema_calls_an_identifier_is_one_and_a_switch_is_none() -> None:
    declared = {
        "properties": {
            "gizmo": {"type": "string", "description": "The ID of the gizmo to change"},
            "stream": {"type": "boolean"},
            "all_projects": {"type": "boolean"},
            "color": {"type": "string", "description": "The ID of a color"},
        }
    }
    assert strict(PAIR | {"gizmo": "g"})
    assert not strict(PAIR | {"gizmo": "g"}, schema=declared)
    assert strict(PAIR | {"stream": True, "color": "9"}, schema=declared)
    assert not strict(PAIR | {"all_projects": True}, schema=declared)


# --- disguises -------------------------------------------------------------------------------------------------------

PADDING = ["", " ", "\t", "\n", "\u00a0", "\u200b", "\ufeff", "\u2028", "\x00", "\u202e"]


@given(st.sampled_from(["play", "acme/play", "C123", "/srv/box/a"]), st.sampled_from(PADDING), st.sampled_from(PADDING))
def test_padding_never_matches(value: str, before: str, after: str) -> None:
    padded = before + value + after
    is_below = padded.startswith("/srv/box/") and after not in (" ", "\t", "\n", "\x00")
    if padded != value and not is_below:
        assert not strict({"channel": padded})


@given(st.sampled_from(["play", "acme/play", "C123"]), st.randoms(use_true_random=False))
def test_no_other_case_and_no_look_alike_matches(value: str, chance: random.Random) -> None:
    alike = {"a": "\u0430", "c": "\u0441", "p": "\u0440", "/": "\u2215", "1": "\uff11", "C": "\u0421", "2": "\u00b2"}
    at = chance.randrange(len(value))
    for char in (value[at].swapcase(), alike.get(value[at], value[at]), unicodedata.normalize("NFKD", value[at])):
        disguised = value[:at] + char + value[at + 1 :]
        if disguised != value:
            assert not strict({"channel": disguised})


@given(st.text(max_size=1) | st.sampled_from(["", " ", "\n", "ac", "pl", "C1", "acme"]), names)
def test_short_strings_match_nothing(text: str, name: str) -> None:
    assert not strict({name: text})


@given(st.lists(st.sampled_from(["..", ".", "", "a", "~", "%2e%2e", "..\\", "C:", "b%2f..", "．．"]), max_size=7))  # noqa: RUF001
def test_no_path_leaves_its_folder(parts: list[str]) -> None:
    relative = "/".join(parts)
    real = os.path.normpath("/srv/box/" + relative.replace("%2e", ".").replace("%2f", "/").replace("\\", "/"))
    if strict({"path": "/srv/box/" + relative}):
        assert real.startswith("/srv/box/")
    if strict({"repo": "acme/play", "path": relative}):
        assert not os.path.normpath(relative).startswith(("..", "/", "~"))


@given(st.sampled_from(["link", "a/link", "a/../link", "./link"]), st.sampled_from(["passwd", "a/b", "../x"]))
def test_no_link_leaves_its_folder(link: str, rest: str) -> None:
    def realpath(path: str) -> str:
        plain = os.path.normpath(path)
        return plain.replace("/srv/box/link", "/etc").replace("/srv/box/a/link", "/etc")

    path = f"/srv/box/{link}/{rest}"
    if strict({"path": path}, realpath=realpath):
        assert realpath(path).startswith("/srv/box/")


@given(st.sampled_from(["acme", "evil", "", "ACME"]), st.sampled_from(["play", "evil", "", "acme/play", "evil/play"]))
def test_only_the_listed_pair_passes(owner: str, repo: str) -> None:
    assert strict({"owner": owner, "repo": repo}) is (owner == "acme" and repo in ("play", "acme/play"))


# --- anything --------------------------------------------------------------------------------------------------------


def test_anything_gets_an_answer_and_the_same_one_twice() -> None:
    chance = random.Random(20261202)
    permitted = 0
    for _ in range(HOW_MANY):
        schema = some_schema(chance)
        args, listed = some_object(chance, 3), chance.sample([*LISTED, "mine", "", "tag: a"], chance.randint(0, 4))
        for match in Match:
            held = check(args, schema, listed, match)
            assert held == check(args, schema, listed, match)
            permitted += held.ok
        assert could_match(Tool("t", input_schema=schema), listed) is could_match(
            Tool("t", input_schema=schema), listed
        )
    assert 0 < permitted < 2 * HOW_MANY


_NAMES = [*HELD, *sorted(WITHIN), "id", "name", "key", "x", "q", "", "é", "userIDs", "idBoard", "a" * 200, "\ud800"]
_VALUES: Sequence[Any] = [
    "acme/play",
    "play",
    "C123",
    "mine",
    "/srv/box/a",
    "..",
    "",
    "\ud800",
    "\x00",
    0,
    -1,
    1e308,
    True,
    None,
]
_PARTS: Sequence[Any] = [
    None,
    True,
    3,
    "x",
    [],
    {"type": None},
    {"type": ["string", 1]},
    {"$ref": "#"},
    {"enum": [[], "play"]},
]


def some_object(chance: random.Random, deep: int) -> dict[str, Any]:
    return {chance.choice(_NAMES): some_value(chance, deep) for _ in range(chance.randint(0, 3))}


def some_value(chance: random.Random, deep: int) -> Any:
    kind = chance.random()
    if deep and kind < 0.2:
        return some_object(chance, deep - 1)
    if deep and kind < 0.4:
        return [some_value(chance, deep - 1) for _ in range(chance.randint(0, 3))]
    return chance.choice(_VALUES)


def some_schema(chance: random.Random, deep: int = 3) -> dict[str, Any]:
    part = {"description": chance.choice(["The ID of it", "text", 3, None, "id " * 50]), "default": "play"}
    words = chance.sample(["properties", "items", "anyOf", "additionalProperties", "type", "description", "default"], 3)
    found: dict[str, Any] = {}
    for word in words:
        inner: Any = some_schema(chance, deep - 1) if deep and chance.random() < 0.6 else chance.choice(_PARTS)
        forms = {
            "properties": {chance.choice(_NAMES): inner},
            "anyOf": [inner],
            "type": chance.choice(["object", inner]),
        }
        found[word] = forms.get(word, part.get(word, inner)) if chance.random() < 0.9 else chance.choice(_PARTS)
    return found

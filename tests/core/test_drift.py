"""What changed between two manifests, by field and in words; a server's own are quoted inertly and cut short."""

import json
import time
from typing import Any

import pytest

from mcp_assay.core import inert
from mcp_assay.core.drift import Drift, between, compare, sentences
from mcp_assay.core.model import Manifest, Rules, Tool, Verdict

LOOK: dict[str, Any] = {
    "name": "look",
    "description": "Shows one note.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "order": {"enum": ["up", "down"]},
            "who": {"type": "object", "properties": {"name": {"type": "string"}}},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["id"],
    },
    "annotations": {"readOnlyHint": True},
}
EVIL = "x`\n### [CRITICAL] a\x1b[31m\u202e ::error:: @you"


def server(*tools: dict[str, Any], **more: Any) -> Manifest:
    return Manifest("notes", tuple(map(Tool.from_raw, tools)), **more)


def drift(before: dict[str, Any], after: dict[str, Any]) -> Drift:
    return compare(server(before), server(after), Rules.EXTENDED)


def changes(**fields: Any) -> list[str]:
    """What is told of ``look`` with these fields instead; None takes a field away."""
    after = {key: value for key, value in {**LOOK, **fields}.items() if value is not None}
    return [str(change) for item in drift(LOOK, after).changed for change in item.changes]


def parameter(name: str, schema: Any, required: list[str] | None = None) -> list[str]:
    """What is told if that parameter is as given, or gone for None."""
    properties = {**LOOK["inputSchema"]["properties"], name: schema}
    properties = {key: value for key, value in properties.items() if value is not None}
    return changes(inputSchema={**LOOK["inputSchema"], "properties": properties, "required": required or ["id"]})


# --- tools -----------------------------------------------------------------------------------------------------------


def test_nothing_changed_is_false_and_says_nothing() -> None:
    same = compare(server(LOOK, {"name": "b"}), server({"name": "b"}, LOOK), Rules.EXTENDED)
    assert not same
    assert list(sentences(same)) == []
    assert between({"notes": server(LOOK)}, {"notes": server(LOOK)}, Rules.EXTENDED) == ()


def test_tools_that_appeared_and_vanished_are_named_with_what_the_rules_say_of_them() -> None:
    found = compare(server(LOOK, {"name": "old"}), server(LOOK, {"name": "delete_all"}), Rules.EXTENDED)
    assert (found.appeared, found.vanished, found.changed) == ({"delete_all": Verdict.MUTATING}, ("old",), ())
    assert list(sentences(found)) == ["vanished: `old`", "appeared: `delete_all` (mutating)"]


def test_a_changed_verdict_comes_first() -> None:
    found = drift({"name": "list_notes", "description": "Lists."}, {"name": "list_notes", "description": "Deletes."})
    assert list(sentences(found)) == [
        "`list_notes` changed: verdict read → mutating; description: `Lists.` → `Deletes.`"
    ]


def test_a_server_that_is_there_only_once_is_told_as_such() -> None:
    found = between({"a": server(LOOK)}, {"b": server(LOOK)}, Rules.EXTENDED)
    assert [(item.server, item.note) for item in found] == [
        ("a", "not attached any more"),
        ("b", "newly attached, with 1 tool"),
    ]


def test_a_server_that_could_not_be_listed_has_not_lost_its_tools() -> None:
    gone = compare(server(LOOK), server(limitation="the server exited with 3"), Rules.EXTENDED)
    assert (gone.vanished, gone.note) == ((), "its tools could not be listed again: the server exited with 3")
    back = compare(server(limitation="no"), server(LOOK), Rules.EXTENDED)
    assert back.note == "listed now, with 1 tool; it could not be before"
    assert not compare(server(limitation="no"), server(limitation="no"), Rules.EXTENDED)
    assert compare(server(LOOK), server(), Rules.EXTENDED).vanished == ("look",)


# --- texts and annotations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Shows one note and deletes it.", "`note.` → `note and deletes it.`"),
        ("Shows one big note.", "added `big`"),
        ("Shows note.", "removed `one`"),
        ("Shows  one\nnote.", "only blanks or line breaks"),
        ("shows one Note.", "`Shows` → `shows`, `note.` → `Note.`"),
        ("", "removed `Shows one note.`"),
        (None, "removed `Shows one note.`"),
        (7, "not a text, before or now"),
    ],
)
def test_the_words_of_a_description_that_changed(text: Any, said: str) -> None:
    assert changes(description=text) == [f"description: {said}"]


def test_a_title_and_a_hidden_character_are_shown() -> None:
    assert changes(title="Look") == ["title: added `Look`"]
    assert changes(description="Shows one note.\u200b") == ["description: `note.` → `note.\\u{200b}`"]


def test_of_many_places_three_are_quoted_and_of_a_long_text_the_words_are_counted() -> None:
    before = {"name": "look", "description": " ".join(f"a {n}" for n in range(9))}
    after = {"name": "look", "description": " ".join(f"b {n}" for n in range(9))}
    (change,) = drift(before, after).changed[0].changes
    assert change.said == "`a` → `b`, `a` → `b`, `a` → `b`, and 6 more places"
    before["description"], after["description"] = "a b " * 5000, "b c " * 6000
    assert drift(before, after).changed[0].changes[0].said == "rewritten: 10000 words became 12000 words"


def test_annotations_are_told_by_name() -> None:
    assert changes(annotations={"readOnlyHint": False, "idempotentHint": True}) == [
        "annotation `readOnlyHint`: `true` → `false`",
        "annotation `idempotentHint`: absent → `true`",
    ]
    assert changes(annotations=None) == ["annotation `readOnlyHint`: `true` → absent"]


# --- schemas ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "schema", "required", "said"),
    [
        ("force", {"type": "boolean"}, None, ['parameter `force`: added, optional, type `"boolean"`']),
        ("force", True, ["id", "force"], ["parameter `force`: added, required"]),
        ("limit", None, None, ["parameter `limit`: removed"]),
        ("id", {"type": "integer"}, None, ['parameter `id`: type `"string"` → `"integer"`']),
        ("limit", {"type": "integer", "default": 99}, None, ["parameter `limit`: default `10` → `99`"]),
        ("limit", {"type": "integer"}, None, ["parameter `limit`: default `10` → absent"]),
        ("order", {"enum": ["up", "away"]}, None, [
            'parameter `order`: values added: `"away"`', 'parameter `order`: values removed: `"down"`'
        ]),
        ("order", {}, None, ["parameter `order`: no longer limited to certain values"]),
        ("id", {"type": "string", "enum": ["a"]}, None, ['parameter `id`: limited to `"a"`']),
        ("id", {"type": "string", "description": "Whose."}, None, ["parameter `id`, description: added `Whose.`"]),
        ("id", {"type": "string", "pattern": "a", "format": "b"}, None, [
            "parameter `id`: other keywords: `pattern`, `format`"
        ]),
        ("id", True, None, ["parameter `id`: its schema changed"]),
        ("tags", {"type": "array", "items": {"type": "integer"}}, None, [
            'parameter `tags[]`: type `"string"` → `"integer"`'
        ]),
        ("who", {"type": "object", "properties": {"mail": {}}, "required": ["mail"]}, None, [
            "parameter `who.name`: removed", "parameter `who.mail`: added, required"
        ]),
    ],
)  # fmt: skip
def test_parameters_are_told_one_by_one(name: str, schema: Any, required: list[str] | None, said: list[str]) -> None:
    assert parameter(name, schema, required) == said


def test_required_and_optional() -> None:
    schema = {**LOOK["inputSchema"], "required": ["limit"]}
    assert changes(inputSchema=schema) == ["parameter `id`: made optional", "parameter `limit`: made required"]


def test_the_rest_of_a_schema_is_told_by_keyword_and_the_rest_of_a_tool_by_field() -> None:
    assert changes(inputSchema={**LOOK["inputSchema"], "$defs": {}}) == ["input schema: other keywords: `$defs`"]
    assert changes(inputSchema=[]) == changes(inputSchema="x") == ["other fields: `inputSchema`"]
    assert changes(_meta={"a": 1}, icons=[]) == ["other fields: `_meta`, `icons`"]
    assert changes(inputSchema={**LOOK["inputSchema"], "properties": []}) == [
        "parameters: no map of names, before or now"
    ]


def test_an_output_schema_is_compared_likewise() -> None:
    assert changes(outputSchema={"properties": {"a": {}}}) == ["output schema: added"]
    before, after = ({"name": "look", "outputSchema": {"properties": {key: {}}}} for key in "ab")
    assert [str(change) for change in drift(before, after).changed[0].changes] == [
        "result field `a`: removed",
        "result field `b`: added, optional",
    ]


def test_no_change_of_a_tool_goes_untold() -> None:
    """Whatever differs between two tools, the digest says so, and so do the words."""
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        deep = {"type": "object", "properties": {"in": deep}}
    nested = [{"name": "look", "inputSchema": {"properties": {"a": deep | {"description": text}}}} for text in "ab"]
    inmost = json.loads(json.dumps(nested[0]).replace('"string"', '"null"'))
    assert drift(*nested).changed[0].changes
    assert str(drift(nested[0], inmost).changed[0].changes[0]).endswith(".in.in`: its schema changed")
    assert changes(annotations={"readOnlyHint": 1}) == ["annotation `readOnlyHint`: `true` → `1`"]
    assert parameter("limit", {"type": "integer", "default": 10.0}) == ["parameter `limit`: default `10` → `10.0`"]


# --- hostile servers -------------------------------------------------------------------------------------------------


def test_nothing_foreign_is_alive() -> None:
    before = {"name": EVIL, "description": "a", "annotations": {EVIL: 1}, "inputSchema": {"properties": {"a": {}}}}
    after = {
        "name": EVIL,
        "title": EVIL,
        "description": EVIL,
        "annotations": {EVIL: EVIL},
        "inputSchema": {"properties": {EVIL: {"type": EVIL}, "a": {"enum": [EVIL], "default": EVIL, EVIL: 1}}, EVIL: 2},
        EVIL: EVIL,
    }
    told = list(sentences(compare(server(before), server(after, {"name": "b" + EVIL}), Rules.EXTENDED)))
    assert len(told) == 2
    for sentence in told:
        assert sentence == inert.line(sentence, 100_000)
        assert not {"\n", "\x1b", "\u202e"} & set(sentence)


def test_what_is_told_of_a_huge_change_is_short_and_takes_no_time() -> None:
    began = time.perf_counter()
    before, after = (
        {
            "name": "look",
            "description": text * 5000,
            "inputSchema": {"properties": {f"p{n}": {"description": text * 70} for n in range(5000)}},
        }
        for text in ("a b ", "b c ")
    )
    (told,) = sentences(drift(before, after))
    assert told.endswith("; 38 more changes, or more than that")
    assert len(told) < 2000
    three = [{"name": name} for name in "abc"]
    some = compare(server(*three), server(*({**tool, "title": "x"} for tool in three)), Rules.EXTENDED, most=1)
    assert list(sentences(some)) == ["`a` changed: title: added `x`", "2 more tools changed"]
    many = compare(server(), server(*({"name": f"t{n}"} for n in range(5000))), Rules.EXTENDED)
    assert next(sentences(many)).endswith(" and 4988 more")
    assert time.perf_counter() - began < 5

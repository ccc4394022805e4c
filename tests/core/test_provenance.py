import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.provenance import Provenance

KEY = b"k"
ISSUES = {
    "properties": {
        "items": {"items": {"properties": {key: {} for key in ("id", "title", "owner", "count")}}},
        "next": {"type": "string"},
    }
}
SCHEMA: dict[str, Any] = {
    "properties": {
        "query": {"type": "string"},
        "owner": {"type": "string"},
        "issue_id": {"type": "integer"},
        "cursor": {"type": "string"},
        "state": {"enum": ["open", "closed", "archived-forever"]},
        "sort": {"enum": ["created", "relevance"], "default": "relevance"},
        "branch": {"default": "release-branch"},
        "format": {"examples": ["full-detail"]},
        "limit": {"type": "integer", "default": 10},
        "offset": {"type": "integer"},
        "labels": {"type": "array", "items": {"type": "string"}},
        "opts": {"properties": {"labels": {"type": "array", "items": {}}, "deep": {"default": False}}},
    }
}


def page(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"structuredContent": {"items": list(items), **more}}


def prose(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def described(scenario: str, results: list[dict[str, Any]], args: dict[str, Any]) -> dict[str, dict[str, Any]]:
    memory = Provenance(KEY, scenario)
    for number, result in enumerate(results, 1):
        memory.remember(f"S1-{number:03}", result, ISSUES)
    return memory.describe(args, SCHEMA)


def source(scenario: str, results: list[dict[str, Any]], **args: Any) -> dict[str, Any]:
    """What is said about the one argument's source."""
    ((_, facts),) = described(scenario, results, args).items()
    return {key: value for key, value in facts.items() if key in ("source", "at", "via", "entropy")}


FIRST = page({"id": 4_711, "title": "Fix login", "owner": "octo"}, next="c-1")
SAME = {"source": "S1-001", "at": "items[].owner", "via": "same"}
NONE = {"source": "none"}
LOW = {"source": "none", "entropy": "low"}


@pytest.mark.parametrize(
    ("scenario", "results", "args", "expected"),
    [
        ("", [FIRST], {"owner": "octo"}, SAME),
        ("", [FIRST], {"owner": "Octo"}, {**SAME, "via": "case"}),
        ("", [FIRST], {"issue_id": 4_711}, {"source": "S1-001", "at": "items[].id", "via": "same"}),
        ("", [FIRST], {"issue_id": "#4711"}, {"source": "S1-001", "at": "items[].id", "via": "number"}),
        ("", [FIRST], {"query": "login"}, {"source": "S1-001", "at": "items[].title", "via": "substring"}),
        ("", [FIRST], {"cursor": "c-1"}, {"source": "S1-001", "at": "next", "via": "same"}),
        ("", [FIRST], {"owner": "nobody-else"}, NONE),
        ("", [], {"owner": "octo"}, NONE),
        # the scenario was there first
        ("issues of octo", [FIRST], {"owner": "octo"}, {"source": "scenario"}),
        ("issues of octopus", [FIRST], {"owner": "octo"}, SAME),
        ("issue 4711", [FIRST], {"issue_id": 4_711}, {"source": "scenario"}),
        # … but in another notation it comes after a result that holds the value as it is
        ("issues of OCTO", [FIRST], {"owner": "octo"}, SAME),
        ("issues of OCTO", [], {"owner": "octo"}, {"source": "scenario"}),
        ("issues of OCTO", [page({"title": "by octo"})], {"owner": "octo"}, {"source": "scenario"}),
        # the same value before a changed one, then the earliest call
        ("", [page({"owner": "OCTO"}), FIRST], {"owner": "octo"}, {**SAME, "source": "S1-002"}),
        ("", [FIRST, FIRST], {"owner": "octo"}, SAME),
        (
            "",
            [page({"title": "by octo"}), page({"owner": "OCTO"})],
            {"owner": "octo"},
            {"source": "S1-001", "at": "items[].title", "via": "substring"},
        ),
        # what the schema supplies
        ("open", [], {"state": "open"}, {"source": "schema"}),
        ("", [page({"owner": "archived-forever"})], {"state": "archived-forever"}, {"source": "schema"}),
        ("", [], {"sort": "relevance"}, {"source": "default"}),
        ("", [], {"format": "full-detail"}, {"source": "schema"}),
        ("", [], {"branch": "release-branch"}, {"source": "default"}),
        ("on release-branch", [], {"branch": "release-branch"}, {"source": "scenario"}),
        ("", [page({"title": "x release-branch"})], {"branch": "release-branch"}, {"source": "default"}),
        ("", [], {"limit": 10}, {"source": "default"}),
        # too common to judge
        ("limit 25", [page({"count": 25})], {"limit": 25}, LOW),
        ("", [page({"owner": "ab"})], {"owner": "ab"}, LOW),
        ("open", [page({"owner": "open"})], {"owner": "open"}, LOW),
        ("", [page({"id": 12})], {"query": 12}, LOW),
        ("", [], {"labels": []}, LOW),
        ("", [], {"owner": None}, LOW),
        ("", [], {"owner": math.nan}, LOW),
        # small numbers count between identifiers only
        ("", [page({"id": 12})], {"issue_id": 12}, {"source": "S1-001", "at": "items[].id", "via": "same"}),
        ("", [page({"count": 12})], {"issue_id": 12}, NONE),
        ("issue 12", [], {"issue_id": 12}, {"source": "scenario"}),
        ("issue 120", [], {"issue_id": 12}, NONE),
        # a tool without a schema, MCP or not
        ("", [prose("wrote /tmp/report-7.txt")], {"path": "/tmp/report-7.txt"},
         {"source": "S1-001", "at": "text", "via": "same"}),
    ],
)  # fmt: skip
def test_sources(scenario: str, results: list[dict[str, Any]], args: dict[str, Any], expected: dict[str, Any]) -> None:
    assert source(scenario, results, **args) == expected


def test_an_argument_object_as_the_transcript_has_it() -> None:
    args = {"owner": "octo", "issue_id": "4711", "limit": 10, "offset": 40, "labels": ["bug-report", "octo"],
            "opts": {"labels": ["x-ray"], "deep": False}, "secret": "s", "other": 5}  # fmt: skip
    found = described("", [FIRST], args)
    digests = {path: facts.pop("digest", None) for path, facts in found.items()}
    assert found == {
        "owner": {"type": "string", **SAME},
        "issue_id": {"type": "string", "source": "S1-001", "at": "items[].id", "via": "number"},
        "limit": {"type": "integer", "value": 10, "source": "default"},
        "offset": {"type": "integer", "value": 40, **LOW},
        "labels[]": {"type": "string", "source": "none"},
        "opts.labels[]": {"type": "string", "source": "none"},
        "opts.deep": {"type": "boolean", "source": "default"},
        "map[2]": {"type": "mixed", **LOW},
    }
    assert [path for path, value in digests.items() if value is None] == ["limit", "offset"]
    assert all(len(value) == 16 for value in digests.values() if value)


def test_equal_values_have_equal_digests_across_calls_and_keys_differ() -> None:
    one, two = Provenance(KEY, ""), Provenance(b"other", "")
    args = {"owner": "octo"}
    assert one.describe(args, SCHEMA) == one.describe(args, SCHEMA)
    assert one.describe(args, SCHEMA) != two.describe(args, SCHEMA)


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ({"limit": 25}, True),
        ({"offset": -1}, True),
        ({"limit": 10**9}, False),
        ({"limit": True}, False),
        ({"limit": "25"}, False),
        ({"limit": 25.0}, False),
        ({"issue_id": 25}, False),
        ({"page": 25}, False),
        ({"limit": [25]}, False),
    ],
)
def test_only_declared_paging_integers_are_shown(args: dict[str, Any], shown: bool) -> None:
    ((_, facts),) = described("", [], args).items()
    assert ("value" in facts) is shown
    assert ("digest" in facts) is not shown


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["invented-1", "octo"], NONE),
        (["OCTO", "octo"], {"source": "S1-001", "at": "items[].owner", "via": "case"}),
        (["scenario-word", "octo"], SAME),
        (["scenario-word", "ab"], {"source": "scenario"}),
    ],
)
def test_the_least_explained_item_speaks_for_a_list(items: list[str], expected: dict[str, Any]) -> None:
    assert source("a scenario-word", [FIRST], labels=items) == expected


def test_no_arguments_are_no_paths() -> None:
    assert described("", [], {}) == {}


def test_paths_beyond_forty_are_counted() -> None:
    names = [f"p{number}" for number in range(50)]
    schema = {"properties": dict.fromkeys(names, True)}
    found = Provenance(KEY, "").describe(dict.fromkeys(names, "value"), schema)
    assert len(found) == 41
    assert found["…"] == {"more": 10}


def test_paths_are_clipped() -> None:
    name = "k" * 40
    schema: dict[str, Any] = {}
    schema["properties"] = {name: schema}
    (path,) = Provenance(KEY, "").describe({name: {name: {name: {name: "v"}}}}, schema)
    assert len(path) == 120


def test_the_oldest_results_are_forgotten_when_memory_is_full() -> None:
    memory = Provenance(KEY, "")
    memory.remember("S1-001", page({"owner": "octo"}), ISSUES)
    memory.remember("S1-002", page({"owner": "cats"}), ISSUES)
    for number in range(3, 20):
        memory.remember(f"S1-{number:03}", prose(" ".join(f"w{number}x{word}" for word in range(5_000))), None)
    assert memory.describe({"owner": "octo"}, SCHEMA)["owner"]["source"] == "none"
    memory.remember("S1-020", page({"owner": "cats"}), ISSUES)
    assert memory.describe({"owner": "cats"}, SCHEMA)["owner"]["source"] == "S1-020"


def test_a_result_that_is_none_is_nothing() -> None:
    memory = Provenance(KEY, "")
    memory.remember("S1-001", None, ISSUES)
    assert memory.describe({"owner": "octo"}, SCHEMA)["owner"]["source"] == "none"


def test_hostile_sizes_and_depths_are_described_in_bounded_time() -> None:
    deep: Any = "x"
    for _ in range(20_000):
        deep = [deep]
    memory = Provenance(KEY, "octo " * 100_000)
    memory.remember("S1-001", {"structuredContent": {"a": deep, "b": [[1_234] * 1_000] * 1_000}}, None)
    memory.remember("S1-002", prose("[" * 200_000), None)
    started = time.perf_counter()
    found = memory.describe(
        {"labels": ["octopus-x"] * 100_000, "opts": deep, "query": 10**5_000, "owner": "octo" * 10_000}, SCHEMA
    )
    assert found["labels"]["type"] == "array"
    assert found["query"] == {"type": "integer", "digest": found["query"]["digest"], **LOW}
    assert time.perf_counter() - started < 3


CANARY = "canary"
secrets = st.builds(lambda before, after: f"{before}{CANARY}{after}", st.text(max_size=3), st.text(max_size=3))
scalars = st.one_of(secrets, st.none(), st.booleans(), st.integers(), st.floats())
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(secrets, inner, max_size=3), max_leaves=8
)
arguments = st.dictionaries(st.one_of(secrets, st.sampled_from([*SCHEMA["properties"]])), values, max_size=5)
replies = st.one_of(
    st.dictionaries(secrets, values),
    st.fixed_dictionaries(
        {
            "structuredContent": st.one_of(values, st.fixed_dictionaries({"items": values, "next": secrets})),
            "content": st.lists(
                st.fixed_dictionaries({"type": st.just("text"), "text": st.one_of(secrets, values.map(json.dumps))})
            ),
        }
    ),
)


@given(arguments, st.lists(replies, max_size=3), secrets)
def test_no_value_and_no_undeclared_key_gets_out(
    args: dict[str, Any], results: list[dict[str, Any]], scenario: str
) -> None:
    memory = Provenance(KEY, scenario)
    for number, result in enumerate(results):
        memory.remember(f"S1-{number:03}", result, ISSUES)
    found = memory.describe(args, SCHEMA)
    assert CANARY not in json.dumps(found, allow_nan=False)
    for path, facts in found.items():
        assert len(path) <= 120
        assert set(facts) <= {"type", "digest", "value", "source", "at", "via", "entropy", "values", "also"}
        assert facts["source"] in {"scenario", "default", "schema", "none", "S1-000", "S1-001", "S1-002"}


@given(st.text(min_size=3), st.text(), st.lists(st.text(), max_size=3))
def test_a_value_that_a_result_holds_is_found_unless_it_is_low(value: str, scenario: str, others: list[str]) -> None:
    memory = Provenance(KEY, scenario)
    memory.remember("S1-001", {"structuredContent": {"items": [*others, value]}}, None)
    facts = memory.describe({"owner": value}, SCHEMA)["owner"]
    assert facts.get("entropy") == "low" or facts["source"] in ("scenario", "S1-001")


def test_what_the_agent_gave_before_came_from_no_result_that_echoes_it() -> None:
    memory = Provenance(KEY, "")
    assert memory.describe({"owner": "octo"}, SCHEMA)["owner"]["source"] == "none"
    memory.remember("S1-001", prose("Created branch 'octo' from 'main'"), None)
    assert memory.describe({"owner": "octo"}, SCHEMA)["owner"]["source"] == "none"


def test_a_longer_text_names_the_result_whose_value_it_holds() -> None:
    memory = Provenance(KEY, "")
    memory.remember("S1-001", prose("2026-12-01T03:43:06+00:00"), None)
    described = memory.describe({"command": "printf %.10s '2026-12-01T03:43:06+00:00'"}, {})
    (origin,) = described.values()
    assert (origin["source"], origin["via"]) == ("S1-001", "embedded")
    (other,) = memory.describe({"command": "printf %.10s '2026-12-02T03:43:06+00:00'"}, {}).values()
    assert other["source"] == "none"


def test_a_part_of_what_the_agent_gave_before_came_from_no_result_either() -> None:
    memory = Provenance(KEY, "")
    memory.describe({"query": "/data/reports/2026/january.txt"}, SCHEMA)
    memory.remember("S1-001", page({"owner": "in /data/reports/2026 there is one"}), ISSUES)
    assert memory.describe({"query": "/data/reports/2026"}, SCHEMA)["query"]["source"] == "none"


def test_what_a_step_printed_comes_before_what_it_was_made_from() -> None:
    memory = Provenance(KEY, "")
    memory.remember("S1-001", page({"created_at": 1_770_984_000, "owner": "@octo"}), ISSUES)
    memory.remember("S1-002", prose("2026-02-13\n"), None)
    memory.remember("S1-003", prose("login=octo\n"), None)
    day, owner = memory.describe({"query": "2026-02-13", "owner": "octo"}, SCHEMA).values()
    assert (day["source"], day["at"], day["via"]) == ("S1-002", "text", "same")
    assert (owner["source"], owner["via"]) == ("S1-003", "same")


def test_what_stands_at_the_end_of_an_address_in_prose_was_cut_out_and_not_said() -> None:
    memory = Provenance(KEY, "")
    memory.remember("S1-001", page({"id": "https://x.test/issues/abc-123"}), ISSUES)
    memory.remember("S1-002", prose("there is no issue 'https://x.test/issues/abc-123'"), None)
    (origin,) = memory.describe({"issue_id": "abc-123"}, SCHEMA).values()
    assert (origin["source"], origin["via"]) == ("S1-001", "url-tail")


def embedded(command: str, *results: dict[str, Any], scenario: str = "") -> dict[str, Any]:
    memory = Provenance(KEY, scenario)
    for number, result in enumerate(results, 1):
        memory.remember(f"S1-{number:03}", result, ISSUES)
    (facts,) = memory.describe({"command": command}, {}).values()
    return {key: facts[key] for key in ("source", "via", "values", "also") if key in facts}


def test_a_program_names_all_results_that_it_works_on_and_how_many_values() -> None:
    pages = [page(*({"id": f"key-{n}-{m}", "title": f"Title no. {m}"} for m in range(3))) for n in range(3)]
    program = json.dumps([f"key-{n}-{m}" for n in (0, 2) for m in range(3)])
    facts = {"source": "S1-001", "via": "embedded", "values": 6, "also": ["S1-003"]}
    assert embedded(f"printf '%s' '{program}' | jq", *pages) == facts


def test_of_results_that_hold_the_same_the_latest_was_worked_on() -> None:
    same = page({"id": "key-1-1"}, {"id": "key-1-2"})
    found = embedded("sort <<< 'key-1-1 key-1-2'", same, same, page({"id": "key-1-1"}))
    assert found == {"source": "S1-002", "via": "embedded", "values": 2}


def test_numbers_marks_and_whole_texts_between_quotes_are_values_too() -> None:
    assert embedded("date -d @1770984000 +%F", page({"count": 1_770_984_000}))["source"] == "S1-001"
    assert embedded("echo 'urn:a;base64,b25l'", page({"id": "urn:a;base64,b25l"}))["source"] == "S1-001"
    assert embedded("cut -d, -f1 <<< 'ada-lovelace,12'", prose("name,n\nada-lovelace,12\n"))["source"] == "S1-001"


def test_what_the_scenario_said_is_no_sign_of_a_result() -> None:
    assert embedded("grep atlas-one notes", page({"id": "atlas-one"}), scenario="all of atlas-one") == {
        "source": "none"
    }

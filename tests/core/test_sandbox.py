from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.model import Match, Tool
from mcp_assay.core.sandbox import check, could_match, identifiers

LISTED = ("repo: acme/eval-playground", "bucket: test-sandbox", "path: /tmp/assay", "/srv/box/**", "project: 42")
PAIR = {"owner": "acme", "repo": "eval-playground"}


def strict(args: Mapping[str, Any], resources: Sequence[str] = LISTED, schema: Any = None, **kwargs: Any) -> bool:
    return check(args, schema or {}, resources, Match.STRICT, **kwargs).ok


def literal(args: Mapping[str, Any], resources: Sequence[str] = LISTED) -> bool:
    return check(args, {}, resources, Match.LITERAL).ok


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("playground", {"playground"}),
        ("repo: acme/play", {"repo: acme/play", "acme/play", "play"}),
        ("repo:acme/play", {"repo:acme/play", "acme/play", "play"}),
        ("my board", {"my board", "board"}),
        ("path: /tmp/assay", {"path: /tmp/assay", "/tmp/assay"}),
        ("/tmp/assay", {"/tmp/assay"}),
        ("~/assay", {"~/assay"}),
        ("C:\\work\\assay", {"C:\\work\\assay"}),
        ("url: https://host.example/assay", {"url: https://host.example/assay", "https://host.example/assay"}),
        ("arn:aws:s3:::box", {"arn:aws:s3:::box", "aws:s3:::box", "s3:::box", "box"}),
        (" padded ", {" padded ", "padded"}),
        ("docs/**", {"docs/**"}),
        ("one//two", {"one//two"}),
        ("  ", set()),
        ("", set()),
    ],
)
def test_the_identifiers_that_an_entry_holds(entry: str, expected: set[str]) -> None:
    assert identifiers(entry) == expected


@pytest.mark.parametrize(
    ("args", "by_literal", "by_strict"),
    [
        ({"repo": "eval-playground"}, True, True),
        ({"repo": "acme/eval-playground"}, True, True),
        ({"repo": "repo: acme/eval-playground"}, True, True),
        ({"repo": "eval-playground-production"}, False, False),
        ({"repo": "playground"}, True, False),
        ({"repo": "Eval-Playground"}, False, False),
        ({"repo": " eval-playground "}, False, False),
        ({"repo": ""}, False, False),
        ({"repo": "  "}, False, False),
        ({"repo": "e"}, True, False),
        ({"repo": "production", "options": {"names": [""]}}, False, False),
        ({"repo": "production", "note": "eval-playground"}, True, False),
        ({"n": 5}, False, False),
        ({}, False, False),
        ({"options": {"targets": [{"repo": "eval-playground"}]}}, True, True),
        ({"text": "hello"}, False, False),
    ],
)
def test_one_string_must_be_a_test_resource(args: Mapping[str, Any], by_literal: bool, by_strict: bool) -> None:
    assert (literal(args), strict(args)) == (by_literal, by_strict)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (PAIR, True),
        ({"owner": "evil", "repo": "eval-playground"}, False),
        ({"owner": "acme", "repo": "production"}, False),
        ({"owner": "acme"}, False),
        ({"owner": "", "repo": "eval-playground"}, False),
        ({"owner": "acme", "repo": "acme/eval-playground"}, True),
        ({"owner": "evil", "repo": "acme/eval-playground"}, False),
        ({"org": "acme", "repositoryName": "eval-playground"}, True),
        (PAIR | {"organization": "evil"}, False),
        (PAIR | {"target_owner": "evil", "target_repo": "eval-playground"}, False),
        (PAIR | {"target_owner": "acme", "target_repo": "eval-playground"}, True),
        ({"target_owner": "acme", "repo": "eval-playground"}, False),
        ({"one": {"owner": "acme"}, "two": {"repo": "eval-playground"}}, False),
        ({"repository": {"owner": "evil", "name": "eval-playground"}}, False),
    ],
)
def test_an_owner_and_a_repository_are_read_together(args: Mapping[str, Any], expected: bool) -> None:
    assert strict(args) is expected


def test_a_pair_is_not_put_together_from_two_entries() -> None:
    listed = ("repo: acme/one", "org: other", "repo: two")
    assert strict({"owner": "acme", "repo": "one"}, listed)
    assert not strict({"owner": "other", "repo": "one"}, listed)
    assert not strict({"owner": "acme", "repo": "two"}, listed)
    assert not strict({"owner": "", "repo": "one", "text": "/one"}, ("/one",))


@pytest.mark.parametrize(
    "foreign",
    [
        {"channel_id": "C99"},
        {"channel": 99},
        {"targetRepo": "production"},
        {"database": True},
        {"tables": ["users"]},
        {"to": ["someone@else.example"]},
        {"page_id": "abc"},
        {"x": "/etc/passwd"},
        {"x": " /etc/passwd\n"},
        {"x": "~/.ssh/config"},
        {"x": "C:/Windows/win.ini"},
        {"x": "\\\\host\\share"},
        {"x": "https://else.example/hook"},
        {"x": "arn:aws:s3:::else"},
        {"x": "git@else.example:o/r"},
        {"x": "other/repo"},
        {"x": "other／repo"},  # noqa: RUF001 - a full-width slash
        {"x": "group/sub/repo"},
        {"x": {"y": [{"z": ["other/repo"]}]}},
        {"x": {"/etc/passwd": "text"}},
        {"path": "/etc/passwd"},
        {"path": ""},
        {"files": [{"path": "ok.txt"}, {"path": "../../etc/passwd"}]},
    ],
)
def test_one_covered_argument_lets_no_foreign_one_through(foreign: dict[str, Any]) -> None:
    assert strict(PAIR)
    assert not strict(PAIR | foreign)
    assert literal(PAIR | foreign)


@pytest.mark.parametrize(
    "harmless",
    [
        {"title": "hello", "body": "see https://else.example and /etc/passwd, and/or more"},
        {"issue_number": 7},
        {"branch": "feature/one"},
        {"path": "docs/read me.md"},
        {"path": "a/../b.txt"},
        {"files": [{"path": "a.txt", "content": "line one\n/etc/passwd"}]},
        {"timezone": "Europe/Oslo"},
        {"mimeType": "text/plain"},
        {"max_files": 5},
        {"channel": None},
        {"all_projects": False},
        {"from": "2024-05-01"},
        {"page": 2},
        {"labels": ["bug"]},
        {"paths": []},
    ],
)
def test_what_addresses_nothing_else_stays_allowed(harmless: dict[str, Any]) -> None:
    assert strict(PAIR | harmless)


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "a/../../b",
        "/a",
        "~/a",
        "~root",
        "a\\..\\..\\b",
        "%2e%2e/b",
        "a/%2E./b",
        "C:a",
        "C:\\a",
        "file:a",
        " a",
        "a\n",
        "a\x00b",
        "‥/b",
        "a／．．／．．",  # noqa: RUF001 - full-width dots and slashes
        "--output=a",
        "",
        " ",
    ],
)
def test_no_relative_path_climbs_out_of_its_container(path: str) -> None:
    assert not strict({"bucket": "test-sandbox", "path": path})
    assert strict({"bucket": "test-sandbox", "path": "a"})


def test_only_what_is_a_path_by_name_may_be_relative_and_only_beside_its_container() -> None:
    assert strict({"bucket": "test-sandbox", "key": "a/b.txt"})
    assert not strict({"bucket": "test-sandbox", "folder_id": "abc"})
    assert not strict({"bucket": "test-sandbox", "channel": "general"})
    assert not strict({"one": {"bucket": "test-sandbox"}, "two": {"path": "a.txt"}})
    assert strict({"bucket": "test-sandbox", "objects": [{"file": "a.txt"}]})
    assert not strict({"path": "a.txt"})
    assert not strict({"path": "a", "folder": "b", "text": "test-sandbox"})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/srv/box/a", True),
        ("/srv/box/a/../b", True),
        ("/srv//box/./a", True),
        ("/srv/box", False),
        ("/srv/box/", False),
        ("/srv/box/..", False),
        ("/srv/box/../box2/a", False),
        ("/srv/boxer/a", False),
        ("/srv/box/../../etc/passwd", False),
        ("/srv/box/%2e%2e/x", False),
        ("srv/box/a", False),
        ("/tmp/assay", True),
        ("/tmp/assay/a", False),
    ],
)
def test_a_path_entry_covers_what_lies_under_it_only_with_stars(path: str, expected: bool) -> None:
    assert strict({"path": path}) is expected


def test_links_are_resolved_by_the_function_from_the_edge() -> None:
    def realpath(path: str) -> str:
        return path.replace("/srv/box/link", "/etc")

    assert strict({"path": "/srv/box/a"}, realpath=realpath)
    assert not strict({"path": "/srv/box/link/passwd"}, realpath=realpath)
    assert not strict({"root": "/srv/box/link", "path": "passwd"}, realpath=realpath)


def test_a_link_that_cannot_be_resolved_is_not_covered() -> None:
    def realpath(path: str) -> str:
        raise OSError(path)

    assert not strict({"path": "/srv/box/a"}, realpath=realpath)


def test_a_container_that_is_a_folder_holds_its_relative_paths_once_resolved() -> None:
    def realpath(path: str) -> str:
        return path.replace("/tmp/assay/link", "/etc/x")

    assert strict({"directory": "/tmp/assay", "file": "a.txt"}, realpath=realpath)
    assert not strict({"directory": "/tmp/assay", "file": "link/a.txt"}, realpath=realpath)


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_a_parameter_that_is_not_given_is_judged_by_its_default() -> None:
    prod = schema(database={"type": "string", "default": "production"})
    assert not strict(PAIR, schema=prod)
    assert not strict(PAIR | {"database": None}, schema=prod)
    assert strict(PAIR | {"database": "eval-playground"}, schema=prod)
    assert strict(PAIR, schema=schema(database={"default": "eval-playground"}))
    assert strict(PAIR, schema=schema(database={"default": ""}))
    assert strict(PAIR, schema=schema(database={"default": None}))
    assert not strict(PAIR, schema=schema(to={"anyOf": [{"default": "eval-playground"}, {"default": "else"}]}))


def test_a_default_is_no_string_of_the_call() -> None:
    assert not strict({"text": "hi"}, schema=schema(repo={"default": "eval-playground"}))
    assert strict({"repo": "eval-playground"}, schema=schema(owner={"default": "acme"}))
    assert not strict({"repo": "eval-playground"}, schema=schema(owner={"default": "evil"}))


def test_defaults_of_nested_objects_and_references_count() -> None:
    nested = {
        "$defs": {"target": {"type": "object", "properties": {"host": {"default": "prod.example"}}}},
        "properties": {"where": {"$ref": "#/$defs/target"}},
    }
    assert not strict(PAIR | {"where": {}}, schema=nested)
    assert strict(PAIR, schema=nested)


def test_a_number_that_addresses_must_be_covered_but_is_no_match_by_itself() -> None:
    assert strict({"project_id": 42, "bucket": "test-sandbox"})
    assert not strict({"project_id": 43, "bucket": "test-sandbox"})
    assert not strict({"project_id": 42.5, "bucket": "test-sandbox"})
    assert not strict({"project_id": 42})
    assert not literal({"project_id": 42})
    assert not strict({"project_id": True, "text": "True"}, ("project: True",))


@pytest.mark.parametrize("match", list(Match))
@pytest.mark.parametrize("resources", [(), ("",), (" ", "\t")])
def test_without_test_resources_nothing_is_permitted(resources: Sequence[str], match: Match) -> None:
    assert not check({"repo": "", "x": "a"}, {}, resources, match).ok


def test_why_names_the_argument_and_never_its_value() -> None:
    why = check(PAIR | {"channel_id": "secret-room"}, {}, LISTED, Match.STRICT).why
    assert "channel_id" in why
    assert "secret-room" not in why
    why = check(PAIR | {"m": {"/etc/hidden": 1}}, {}, LISTED, Match.STRICT).why
    assert "m.map[1]" in why
    assert "hidden" not in why
    declared = schema(files={"items": {"properties": {"path": {}}}})
    why = check(PAIR | {"files": [{"path": "/etc/hidden"}]}, declared, LISTED, Match.STRICT).why
    assert "files[].path" in why


def test_arguments_too_deep_or_too_many_are_refused() -> None:
    deep: Any = "acme/eval-playground"
    for _ in range(100):
        deep = [deep]
    assert not strict(PAIR | {"x": deep})
    assert not literal(PAIR | {"x": deep})
    assert not strict(PAIR | {"x": ["a"] * 30_000})


words = st.sampled_from(
    ["acme", "eval-playground", "acme/eval-playground", "evil", "test-sandbox", "", "a", "/etc/x", "../y", "p"]
)
names = st.sampled_from(["owner", "repo", "path", "bucket", "x", "channel_id", "text", "files", "to", "target_repo"])
values = st.recursive(
    words | st.integers() | st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
calls = st.dictionaries(names | st.text(max_size=5), values, max_size=4)


@given(calls, st.lists(st.sampled_from(LISTED) | st.text(max_size=12), max_size=3))
def test_strict_never_permits_what_literal_refuses(args: Mapping[str, Any], resources: Sequence[str]) -> None:
    plain = [entry for entry in resources if not entry.endswith("/**")]
    if strict(args, plain):
        assert literal(args, plain)


@given(st.text(max_size=3), st.sampled_from(["repo", "x", "path"]))
def test_short_strings_match_nothing_but_an_identifier_of_that_length(text: str, name: str) -> None:
    assert not strict({name: text}, ("repo: acme/eval-playground", "path: /tmp/assay"))


@given(st.text(min_size=1, max_size=20), st.sampled_from(["", " ", "x", "-production", "/", "\u200b"]))
def test_no_decorated_identifier_matches(entry: str, around: str) -> None:
    known = identifiers(entry)
    for name in (entry + around, around + entry):
        if name not in known:
            assert not strict({"text": name}, (entry,))


@given(
    calls,
    st.sampled_from([{"channel": "prod"}, {"x": "https://else.example"}, {"zz": ["/etc/x"]}, {"zz": {"y": "o/else"}}]),
)
def test_a_foreign_address_refuses_any_call(args: Mapping[str, Any], foreign: dict[str, Any]) -> None:
    assert not strict({**args, **foreign})


@given(st.lists(st.sampled_from(["..", ".", "a", "", "box", "%2e%2e", "..a", "\\", "srv"]), max_size=8))
def test_no_spelling_of_a_path_leaves_the_folder(parts: list[str]) -> None:
    path = "/srv/box/" + "/".join(parts)
    stack: list[str] = []
    for part in path.split("/"):
        if part == "..":
            stack = stack[:-1]
        elif part not in ("", "."):
            stack.append(part)
    if strict({"path": path}):
        assert stack[:2] == ["srv", "box"]
        assert len(stack) > 2


@pytest.mark.parametrize(
    ("properties", "resources", "expected"),
    [
        ({}, (), False),
        ({"n": {"type": "integer"}, "on": {"type": "boolean"}}, (), False),
        ({"repo": {"type": "string"}}, (), True),
        ({"repo": {"type": ["null", "string"]}}, (), True),
        ({"repo": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}, (), True),
        ({"mode": {"enum": ["fast", "slow"]}}, LISTED, False),
        ({"mode": {"type": "string", "enum": ["fast", "test-sandbox"]}}, LISTED, False),
        ({"bucket": {"type": "string", "enum": ["other", "test-sandbox"]}}, LISTED, True),
        ({"bucket": {"type": "string", "enum": ["other"]}}, LISTED, False),
        ({"body": {"type": "string"}, "n": {"type": "integer"}}, (), False),
        ({"message_id": {"type": "string"}}, (), True),
        ({"thing": {"type": "string"}}, ("one", "kind: two"), False),
        ({"thing": {"type": "string"}}, LISTED, True),
        ({"thing": {"type": "string", "description": "The ID of the thing"}}, ("one",), True),
        ({"mode": {"const": 1}}, (), False),
        ({"ids": {"type": "array", "items": {"type": "integer"}}}, (), False),
        ({"ids": {"type": "array"}}, (), True),
        ({"o": {"type": "object", "properties": {"n": {"type": "number"}}}}, (), False),
        ({"o": {"type": "object"}}, (), True),
        ({"o": {"$ref": "#/$defs/o"}}, (), True),
        ({"anything": {}}, (), True),
        ({"anything": True}, (), True),
        ({"nothing": False}, (), False),
    ],
)
def test_whether_a_tool_could_ever_match(
    properties: Mapping[str, Any], resources: Sequence[str], expected: Any
) -> None:
    assert could_match(Tool("t", input_schema={"type": "object", "properties": properties}), resources) is expected


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5),
        lambda x: (
            st.lists(x) | st.dictionaries(st.sampled_from(["type", "items", "enum", "anyOf", "properties", "x"]), x)
        ),
    )
)
def test_no_schema_breaks_could_match_or_check(anything: Any) -> None:
    could_match(Tool("t", input_schema={"properties": {"a": anything}}))
    could_match(Tool("t", input_schema={"properties": anything}))
    assert not strict({"a": 1}, schema={"properties": {"a": anything}})

import json
from typing import Any

import pytest

from mcp_assay.core.seen import Probe, Seen

DAY = 1_714_521_600  # 2024-05-01T00:00:00Z


def of(data: object) -> Seen:
    return Seen.of_result("S1-001", {"structuredContent": data}, None)


def written(text: str) -> Seen:
    return Seen.of_result("S1-001", {"content": [{"type": "text", "text": text}]}, None)


@pytest.mark.parametrize(
    ("data", "value", "found"),
    [
        ({"name": "octo"}, "octo", True),
        ({"name": "Octo"}, "octo", False),
        ({"name": "octo-cat"}, "octo", False),
        ({"amount": 1_234}, 1_234, True),
        ({"amount": 1_234}, "1234", False),
        ({"amount": "1234"}, 1_234, False),
        ({"id": 12}, 12, True),
        ({"count": 12}, 12, False),
        ({"id": "12"}, "12", True),
        ({"count": "12"}, "12", False),
        ({"count": 12, "id": 12}, 12, True),
        ({"id": True}, 1, False),
        ({"body": "long text " * 100}, "long text " * 100, True),
        ({"body": "\ud800" * 300}, "\ud800" * 300, True),
    ],
)
def test_same_means_whole_and_of_the_same_type(data: object, value: str | float, found: bool) -> None:
    assert (of(data).same(Probe.of(value)) is not None) is found


@pytest.mark.parametrize(
    ("data", "value", "via"),
    [
        # number
        ({"id": 1_234}, "1234", "number"),
        ({"id": 1_234}, "#1234", "number"),
        ({"id": "1234"}, 1_234, "number"),
        ({"ref": "#12"}, 12, "number"),
        ({"id": 12}, "12", "number"),
        ({"count": 12}, "12", None),
        ({"note": "see #12 for more"}, 12, "number"),
        ({"note": "see issue number: 12"}, 12, "number"),
        ({"note": "see 12 others"}, 12, None),
        ({"id": 12_345}, 1_234, None),
        # case
        ({"name": "Octo"}, "octo", "case"),
        ({"name": "octo"}, "OCTO", "case"),
        ({"name": "octet"}, "OCTO", None),
        ({"note": "ask ENG-77 about it"}, "eng-77", "case"),
        # date
        ({"at": "2024-05-01T10:33:00Z"}, "2024-05-01", "date"),
        ({"due": "2024-05-01"}, "2024-05-01T00:00:00Z", "date"),
        ({"at": "2024-05-01T10:33:00Z"}, "2024-05-01T23:59:59Z", "date"),
        ({"at": "2024-05-01T02:00:00+02:00"}, "2024-05-01T00:00:00Z", "date"),
        ({"created": DAY + 60}, "2024-05-01", "date"),
        ({"id": DAY + 60}, "2024-05-01", None),
        ({"id": DAY}, "2024-05-01T00:00:00Z", "date"),
        ({"at": "2024-05-01T00:00:00Z"}, DAY, "date"),
        ({"at": "2024-05-01T10:33:00Z"}, "2024-05-01T10:34:00Z", None),
        ({"at": "2024-05-01T10:33:00Z"}, "2024-05-02", None),
        # url-tail
        ({"url": "https://x.test/octo/hello"}, "hello", "url-tail"),
        ({"url": "https://x.test/issues/1200/"}, 1200, "url-tail"),
        ({"url": "https://x.test/issues/12/"}, 12, None),
        ({"name": "hello"}, "https://x.test/octo/hello?x=1", "url-tail"),
        ({"id": 12}, "https://x.test/issues/12", "url-tail"),
        ({"count": 12}, "https://x.test/issues/12", None),
        ({"name": "issues"}, "https://x.test/issues", None),
        ({"url": "https://x.test/octo/hello-world"}, "hello", None),
        # trimmed
        ({"owner": "@ada.abel"}, "ada.abel", "trimmed"),
        ({"owner": "ada.abel"}, "@ada.abel", "trimmed"),
        ({"owner": "ada.abel"}, "people/ada.abel", "trimmed"),
        ({"issue_id": "ISSUE-12"}, 12, "trimmed"),
        ({"title": "ISSUE-12"}, 12, None),
        ({"day": "2024-05-01"}, "01/05/2024", "date"),
        # substring
        ({"url": "https://x.test/octo/hello"}, "octo/hello", "trimmed"),
        ({"note": "ask Ada Lovelace."}, "Ada Lovelace", "substring"),
        ({"note": "due 2024-05-01, late"}, "2024-05-01", "substring"),
        ({"note": "id 123456 is it"}, "123456", "substring"),
        ({"mail": "ada@x.test"}, "x.test", "substring"),
        ({"note": "the app-production one"}, "app-prod", None),
        ({"note": "eval-playground-production"}, "eval-playground", None),
        ({"note": "my_octo"}, "octo", None),
        ({"note": "see octo.test"}, "octo", None),
        ({"note": "sub.octo"}, "octo", None),
        ({"note": "was octo."}, "octo", "substring"),
        ({"note": "the abc of it"}, "abc", None),
        ({"a": "octo", "b": "cat"}, "octo\0cat", None),
        ({"note": "octopus, octopods, octo"}, "octo", "substring"),
    ],
)
def test_changed_forms_and_their_near_misses(data: object, value: str | float, via: str | None) -> None:
    found = of(data).changed(Probe.of(value))
    assert (found and str(found[0])) == via


@pytest.mark.parametrize(
    ("text", "value", "path"),
    [
        ("ENG-77 was closed", "ENG-77", "text"),
        ('{"issue": {"key": "ENG-77 x"}}', "ENG-77", "text:json map[1].map[1]"),
        ('[{"a": "ENG-77 x", "b": 1}]', "ENG-77", "text:json [].map[2]"),
    ],
)
def test_paths_say_whether_a_value_stood_in_prose_or_in_json(text: str, value: str, path: str) -> None:
    found = written(text).changed(Probe.of(value))
    assert found is not None
    assert found[1] == path


def test_a_text_that_is_nothing_but_the_value_holds_it_as_it_is() -> None:
    assert written("ENG-77").same(Probe.of("ENG-77")) == "text"


def test_a_part_is_found_at_the_path_of_the_text_that_holds_it() -> None:
    schema: dict[str, Any] = {"properties": {key: {} for key in ("a", "b", "c")}}
    seen = Seen.of_result("S1-001", {"structuredContent": {"a": "x octo", "b": "y cats z", "c": "dogs w"}}, schema)
    parts = {value: seen.changed(Probe.of(value)) for value in ("octo", "cats", "dogs")}
    assert {value: found and found[1] for value, found in parts.items()} == {"octo": "a", "cats": "b", "dogs": "c"}


def test_every_source_of_a_result_is_read_once() -> None:
    result: dict[str, Any] = {
        "structuredContent": {"name": "octo"},
        "content": [
            {"type": "text", "text": json.dumps({"name": "octo", "other": "cats"})},
            {"type": "text", "text": "a prose of dogs"},
            {"type": "resource_link", "uri": "file:///tmp/birds"},
        ],
    }
    seen = Seen.of_result("S1-001", result, None)
    assert seen.same(Probe.of("octo")) == "map[1]"
    assert seen.same(Probe.of("cats")) is None
    assert seen.changed(Probe.of("dogs")) is not None
    assert seen.same(Probe.of("file:///tmp/birds")) == "text"


def test_several_json_texts_are_read_as_json_each() -> None:
    result = {"content": [{"type": "text", "text": '{"id": 12}'}, {"type": "text", "text": '{"id": 13}'}]}
    assert Seen.of_result("S1-001", result, None).same(Probe.of(13)) == "text:json map[1]"


def test_what_is_kept_is_bounded_and_values_come_before_words() -> None:
    rows = [{"note": "many words of prose here", "key": f"KEY-{number}"} for number in range(2_500)]
    seen = of(rows)
    assert seen.same(Probe.of("KEY-2499")) is not None
    assert seen.weight <= 5_000 + 65_536 // 64
    prose = written(" ".join(f"word{number}" for number in range(100_000)))
    assert prose.weight <= 5_000 + 65_536 // 64
    assert prose.changed(Probe.of("word99999")) is None


def test_verbatim_reads_a_text_as_a_person_would() -> None:
    scenario = Seen.of_text("Close issue 12 in Octo/Hello before 2024-05-01")
    assert scenario.verbatim(Probe.of(12))
    assert scenario.verbatim(Probe.of("Octo/Hello"))
    assert scenario.verbatim(Probe.of("2024-05-01"))
    assert not scenario.verbatim(Probe.of("octo/hello"))
    assert not scenario.verbatim(Probe.of("Octo/Hell"))
    assert not scenario.verbatim(Probe.of(1))


@pytest.mark.parametrize(
    ("structured", "via", "path"),
    [
        # The text over again: its words are read as those of any prose are.
        ({"content": "Wrote /srv/a.txt"}, "same", "text"),
        # Near misses: a value of its own has to be cut out of a longer one.
        ({"note": "Saved as /srv/a.txt"}, "substring", "map[1]"),
        ({"content": "Wrote /srv/a.txt", "size": 3}, "substring", "map[2]"),
    ],
)
def test_prose_stays_prose_where_structured_content_only_repeats_it(structured: Any, via: str, path: str) -> None:
    result = {"structuredContent": structured, "content": [{"type": "text", "text": "Wrote /srv/a.txt"}]}
    assert Seen.of_result("S1-001", result, None).changed(Probe.of("/srv/a.txt")) == (via, path)


def test_json_that_structured_content_only_repeats_as_text_is_read_as_json() -> None:
    text = '[{"name": "octo"}]'
    result = {"structuredContent": {"content": text}, "content": [{"type": "text", "text": text}]}
    assert Seen.of_result("S1-001", result, None).same(Probe.of("octo")) == "text:json [].map[1]"

from typing import Any

import pytest

from critic_lines import Line, evidence, line, refused, taken, unexplained
from mcp_assay.critic.rules.parameter_inference.refusals import top
from mcp_assay.critic.rules.parameter_inference.retries import Retry, retries


def given(**digests: str) -> dict[str, Line]:
    return {path: {"type": "string", "digest": digest} for path, digest in digests.items()}


def retry(before: dict[str, Line], after: dict[str, Line]) -> Retry:
    [only] = retries(evidence(refused("S1-001", args=before), line("S1-002", args=after)))
    return only


def test_what_was_changed_and_what_was_only_added() -> None:
    both = retry(given(a="1", b="2"), given(a="1", b="3", c="4"))
    assert (both.changed, both.added) == (["b", "c"], [])
    assert both.causes == {("S1-002", "b", "changed"), ("S1-002", "c", "added")}
    added = retry(given(a="1"), {**given(a="1"), "f.x[]": {"digest": "2"}, "f.y": {"digest": "3"}})
    assert (added.changed, added.added) == (["f.x[]", "f.y"], ["f"])


def test_left_out_is_changed_and_not_added() -> None:
    fewer = retry(given(a="1", b="2"), given(a="1"))
    assert (fewer.changed, fewer.added) == (["b"], [])


def test_a_retry_has_all_refusals_since_the_last_success() -> None:
    entries = [refused("S1-001"), line("S1-002"), refused("S1-003"), refused("S1-004"), line("S1-005"), line("S1-006")]
    found = [([call.id for call in each.refused], each.passed.id) for each in retries(evidence(*entries))]
    assert found == [(["S1-001"], "S1-002"), (["S1-003", "S1-004"], "S1-005")]


@pytest.mark.parametrize(("path", "name"), [("a", "a"), ("a.b", "a"), ("a[]", "a"), ("a[].b", "a"), ("map[2]", "map")])
def test_the_parameter_of_a_path(path: str, name: str) -> None:
    assert top(path) == name


@pytest.mark.parametrize("digest", [{"args_digest": None}, {"args_digest": "a-S1-002"}])
def test_the_same_arguments_or_unknown_ones_are_no_retry(digest: dict[str, Any]) -> None:
    assert not list(retries(evidence(refused("S1-001", **digest), line("S1-002"))))
    assert not list(retries(evidence(refused("S1-001"), line("S1-002", args_digest=None))))


def test_another_error_is_neither_a_refusal_nor_the_end_of_a_retry() -> None:
    missed = refused("S1-002", error_class="not_found")
    assert not list(retries(evidence(refused("S1-001"), missed)))
    assert [each.passed.id for each in retries(evidence(refused("S1-001"), missed, line("S1-003")))] == ["S1-003"]


def test_an_error_that_poses_as_a_success_refused_nothing() -> None:
    posing = line("S1-001", result={"error_class": "validation", "error_in_success": True})
    assert not list(retries(evidence(posing, line("S1-002"))))


def made(
    before: Line | None, after: Line | None, *, path: str = "state", error_class: str = "unspecified"
) -> list[str]:
    """The calls that were put right by changing (or leaving out, or adding) one argument."""
    first = refused("S1-001", error_class=error_class, args={} if before is None else {path: before})
    then = line("S1-002", args={} if after is None else {path: after})
    return [call.id for each in retries(evidence(line("S1-000"), first, then)) for call in each.refused]


SAID = {"type": "string", "digest": "s", "source": "scenario"}
LISTED = taken("S1-000", "items[].id", digest="l")
TOLD = taken("S1-001", "text", digest="t")
UNKNOWN = unexplained()


def test_an_error_of_any_wording_is_a_refusal_that_another_value_puts_right() -> None:
    assert made(SAID, UNKNOWN) == made(SAID, TOLD) == made(None, SAID) == made(SAID, None) == ["S1-001"]
    assert made(SAID, UNKNOWN, path="issue_id") == made(SAID, TOLD, path="issue_id") == ["S1-001"]
    assert made(taken("S1-000"), taken("S1-000", via="trimmed", digest="x"), path="issue_id") == ["S1-001"]


def test_another_known_identifier_is_another_call() -> None:
    assert made(SAID, LISTED, path="issue_id") == made(UNKNOWN, LISTED, path="issue_id") == []
    assert made(LISTED, SAID, path="team") == []


def test_what_was_not_there_may_have_been_misspelt() -> None:
    assert made(UNKNOWN, {**UNKNOWN, "digest": "v"}, path="path", error_class="not_found") == []
    assert made(UNKNOWN, TOLD, path="issue_id", error_class="not_found") == []
    assert made(SAID, TOLD, error_class="not_found") == ["S1-001"]


@pytest.mark.parametrize("error_class", ["unavailable", "rate_limited", "http:503", "forbidden", "conflict"])
def test_a_failure_that_no_other_arguments_would_have_spared_is_none(error_class: str) -> None:
    assert made(SAID, UNKNOWN, error_class=error_class) == []


def test_a_number_that_is_shown_is_compared_as_well() -> None:
    limits = [{"limit": {"type": "integer", "value": value, "entropy": "low", "source": "none"}} for value in (500, 50)]
    [only] = retries(evidence(refused("S1-001", args=limits[0]), line("S1-002", args=limits[1])))
    assert only.changed == ["limit"]

from typing import Any

import pytest

from critic_lines import Line, evidence, line, refused
from mcp_assay.critic.rules.parameter_inference.retries import Retry, retries, top


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

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.naming import collisions, fold, is_mcp, label, split

NAMES = st.text(min_size=1, max_size=12)
TRICKY = st.text(alphabet="ab_-. é", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("tracker", "tracker"),
        ("Tracker-2_x", "Tracker-2_x"),
        ("infra.cloud tools", "infra_cloud_tools"),
        ("a/b:c@d", "a_b_c_d"),
        ("café", "caf_"),
        ("٣", "_"),  # a digit, but not one of 0-9
        ("🙂", "_"),
        ("", ""),
    ],
)
def test_fold_replaces_each_foreign_character_by_one_underscore(name: str, folded: str) -> None:
    assert fold(name) == folded


@given(NAMES)
def test_fold_keeps_the_length_leaves_no_foreign_character_and_has_nothing_left_to_do(name: str) -> None:
    folded = fold(name)
    assert len(folded) == len(name)
    assert re.fullmatch(r"[A-Za-z0-9_-]*", folded)
    assert fold(folded) == folded


def test_label_folds_both_names() -> None:
    assert label("infra.cloud tools", "plan.get") == "mcp__infra_cloud_tools__plan_get"


def test_label_is_never_truncated() -> None:
    server, tool = "a-rather-long-server-name-for-observability", "query_events_grouped_by_worker_and_time_"
    one, other = label(server, tool + "1"), label(server, tool + "2")
    assert len(one) > 64
    assert one[:64] == other[:64]
    assert one != other
    assert split(one, [server]) == (server, tool + "1")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mcp__a__b", True),
        ("mcp__", True),
        ("Bash", False),
        ("__blocked__", False),
        ("xmcp__a__b", False),
        ("MCP__a", False),
        ("", False),
    ],
)
def test_is_mcp_goes_by_the_prefix_alone(name: str, expected: bool) -> None:
    assert is_mcp(name) is expected


@pytest.mark.parametrize(
    ("name", "servers", "expected"),
    [
        ("mcp__infra_cloud_tools__get_plan", ["infra.cloud tools"], ("infra.cloud tools", "get_plan")),
        ("mcp__my__srv__do_thing", ["my", "my__srv"], ("my__srv", "do_thing")),
        ("mcp__my__srv__do_thing", ["my__srv", "my"], ("my__srv", "do_thing")),
        ("mcp__my__other", ["my", "my__srv"], ("my", "other")),
        ("mcp__my__srv__do_thing", ["my"], ("my", "srv__do_thing")),
        ("mcp__my__srv__", ["my", "my__srv"], ("my", "srv__")),  # a tool has a name
        ("mcp__my__", ["my"], None),
        ("mcp__mine__x", ["my"], None),
        ("mcp__my__x", [], None),
        ("Bash", ["Bash", ""], None),
        ("mcp__a_b__x", ["a.b", "a b"], ("a.b", "x")),
    ],
)
def test_split_finds_the_longest_configured_name_that_fits(
    name: str, servers: list[str], expected: tuple[str, str] | None
) -> None:
    assert split(name, servers) == expected


@given(TRICKY, TRICKY, st.lists(TRICKY, max_size=5))
def test_what_split_finds_makes_the_same_label_again(server: str, tool: str, others: list[str]) -> None:
    servers = [*others, server]
    found = split(label(server, tool), servers)
    assert found is not None
    assert found[0] in servers
    assert label(*found) == label(server, tool)
    assert len(fold(found[0])) >= len(fold(server))


@given(NAMES, NAMES)
def test_label_and_split_are_inverse_for_one_server(server: str, tool: str) -> None:
    assert split(label(server, tool), [server]) == (server, fold(tool))


@given(st.lists(st.text(alphabet="ab-. ", min_size=1, max_size=6), unique_by=fold, min_size=1), NAMES, st.data())
def test_label_and_split_are_inverse_where_no_two_names_fold_alike_or_hold_the_joint(
    servers: list[str], tool: str, data: st.DataObject
) -> None:
    servers = [server for server in servers if "_" not in fold(server)] or ["a"]
    server = data.draw(st.sampled_from(servers))
    assert split(label(server, tool), servers) == (server, fold(tool))


@pytest.mark.parametrize(
    ("servers", "groups"),
    [
        ([], []),
        (["a", "b"], []),
        (["a", "a"], []),
        (["a.b", "c", "a_b", "a b"], [("a.b", "a_b", "a b")]),
        (["x y", "a.b", "a_b", "x_y"], [("x y", "x_y"), ("a.b", "a_b")]),
        (["A", "a"], []),
    ],
)
def test_collisions_groups_different_names_that_fold_alike(servers: list[str], groups: list[tuple[str, ...]]) -> None:
    assert collisions(iter(servers)) == groups


@given(st.lists(TRICKY))
def test_names_outside_every_collision_fold_to_something_of_their_own(servers: list[str]) -> None:
    colliding = {name for group in collisions(servers) for name in group}
    alone = {name for name in servers if name not in colliding}
    assert len({fold(name) for name in alone}) == len(alone)

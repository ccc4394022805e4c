import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.discovery import Discovery, Entries, Settings, add_host_note, resolve
from mcp_assay.core.model import ServerConfig

USER, PROJECT = "/h/.claude.json", "/p/.mcp.json"
SHARED, LOCAL = "/p/.claude/settings.json", "/p/.claude/settings.local.json"
NONE = Entries()


def servers(*names: str, source: str = PROJECT, line: int | None = None) -> Entries:
    return Entries(tuple(ServerConfig(name, source, command=name, line=line) for name in names))


def names(discovery: Discovery) -> list[str]:
    return [server.name for server in discovery.attached]


def shared(
    enable_all: bool | None = None, enabled: tuple[str, ...] | None = None, disabled: tuple[str, ...] = ()
) -> Settings:
    return Settings(SHARED, enable_all, enabled, disabled)


def local(
    enable_all: bool | None = None, enabled: tuple[str, ...] | None = None, disabled: tuple[str, ...] = ()
) -> Settings:
    return Settings(LOCAL, enable_all, enabled, disabled)


BY_SHARED, BY_LOCAL, BY_BOTH = f"disabled by {SHARED}", f"disabled by {LOCAL}", f"disabled by {SHARED} and {LOCAL}"


@pytest.mark.parametrize(
    ("settings", "active", "filtered"),
    [
        ([], "abc", {}),
        ([shared()], "abc", {}),
        # the allowlist: absent or empty means active
        ([shared(enabled=())], "abc", {}),
        ([shared(enabled=("a",))], "a", {"b": BY_SHARED, "c": BY_SHARED}),
        ([shared(enabled=("a",)), local(enabled=())], "a", {"b": BY_SHARED, "c": BY_SHARED}),
        ([shared(enabled=("x",))], "", {"a": BY_SHARED, "b": BY_SHARED, "c": BY_SHARED}),
        # the denylist
        ([shared(disabled=("a", "x"))], "bc", {"a": BY_SHARED}),
        ([local(disabled=("a",))], "bc", {"a": BY_LOCAL}),
        # both: a denied name is out even if it is allowed, and the denial is the reason
        ([shared(enabled=("a", "b"), disabled=("b",))], "a", {"b": BY_SHARED, "c": BY_SHARED}),
        ([shared(enabled=("a",)), local(disabled=("a", "b"))], "", {"a": BY_LOCAL, "b": BY_LOCAL, "c": BY_SHARED}),
        # the lists of the two files unite
        ([shared(enabled=("a",)), local(enabled=("b",))], "ab", {"c": BY_BOTH}),
        ([shared(disabled=("a",)), local(disabled=("b",))], "c", {"a": BY_SHARED, "b": BY_LOCAL}),
        ([shared(disabled=("a",)), local(disabled=("a",))], "bc", {"a": BY_BOTH}),
        # enableAll: over both lists; the later file's scalar wins, if it has one
        ([shared(enable_all=True, disabled=("a",))], "abc", {}),
        ([shared(enable_all=True, enabled=("a",))], "abc", {}),
        ([shared(disabled=("a",)), local(enable_all=True)], "abc", {}),
        ([shared(enable_all=True, disabled=("a",)), local(enable_all=False)], "bc", {"a": BY_SHARED}),
        ([shared(enable_all=False, disabled=("a",)), local(enable_all=True)], "abc", {}),
        ([shared(enable_all=True), local(disabled=("a",))], "abc", {}),
        ([shared(enable_all=False)], "abc", {}),
    ],
)
def test_settings_filter_the_projects_servers(settings: list[Settings], active: str, filtered: dict[str, str]) -> None:
    found = resolve(NONE, servers("a", "b", "c"), NONE, settings)
    assert names(found) == list(active)
    assert dict(found.filtered) == filtered


@pytest.mark.parametrize("scope", ["local", "user"])
def test_settings_filter_no_other_servers(scope: str) -> None:
    ours, theirs = servers("a", source=USER), [shared(enabled=("x",), disabled=("a",))]
    found = resolve(ours, NONE, NONE, theirs) if scope == "local" else resolve(NONE, NONE, ours, theirs)
    assert names(found) == ["a"]
    assert found.filtered == ()


def test_a_filtered_server_leaves_its_name_to_the_users_entry() -> None:
    found = resolve(NONE, servers("a"), servers("a", source=USER), [shared(disabled=("a",))])
    assert [server.source for server in found.attached] == [USER]
    assert found.filtered == (("a", BY_SHARED),)
    assert found.notes == ()


def test_only_a_denied_server_that_enable_all_lets_in_gets_a_host_note() -> None:
    found = resolve(NONE, servers("a", "b"), NONE, [shared(enable_all=True), local(disabled=("a",))])
    denied, other = found.attached
    assert denied.host_note is not None
    assert denied.host_note.startswith("Claude Code ")
    assert other.host_note is None


@pytest.mark.parametrize(
    ("local_has", "project_has", "user_has", "winner", "notes"),
    [
        (True, True, True, "L", [f"a in {PROJECT} is shadowed by L", "a in U is shadowed by L"]),
        (True, True, False, "L", [f"a in {PROJECT} is shadowed by L"]),
        (True, False, True, "L", ["a in U is shadowed by L"]),
        (False, True, True, PROJECT, [f"a in U is shadowed by {PROJECT}"]),
        (True, False, False, "L", []),
        (False, True, False, PROJECT, []),
        (False, False, True, "U", []),
    ],
)
def test_local_wins_over_project_over_user_and_the_shadowed_are_noted(
    local_has: bool, project_has: bool, user_has: bool, winner: str, notes: list[str]
) -> None:
    found = resolve(
        servers("a", source="L") if local_has else NONE,
        servers("a") if project_has else NONE,
        servers("a", source="U") if user_has else NONE,
    )
    assert [server.source for server in found.attached] == [winner]
    assert list(found.notes) == notes


def test_the_winning_entry_is_taken_whole() -> None:
    theirs = ServerConfig("a", "L", command="x")
    ours = ServerConfig("a", "U", command="y", args=("1",), env={"K": "v"})
    assert resolve(Entries((theirs,)), NONE, Entries((ours,))).attached == (theirs,)


def test_two_scopes_of_one_file_are_told_apart_by_their_lines() -> None:
    found = resolve(servers("a", source=USER, line=9), NONE, servers("a", source=USER, line=3))
    assert found.notes == (f"a in {USER}:3 is shadowed by {USER}:9",)


def test_attached_stands_in_order_of_precedence_then_of_the_file() -> None:
    found = resolve(servers("z", "y", source="L"), servers("x", "w"), servers("a", source="U"))
    assert names(found) == ["z", "y", "x", "w", "a"]


def test_names_that_fold_alike_are_both_attached_and_noted() -> None:
    found = resolve(NONE, servers("a.b", "c"), servers("a_b", source=USER))
    assert names(found) == ["a.b", "c", "a_b"]
    (note,) = found.notes
    assert note.startswith("a.b, a_b: ")


def test_names_that_fold_alike_are_not_noted_if_one_is_filtered() -> None:
    assert resolve(NONE, servers("a.b", "a_b"), NONE, [shared(disabled=("a.b",))]).notes == ()


def test_every_note_is_kept_and_no_unreadable_file_is_named_twice() -> None:
    found = resolve(
        Entries(notes=("1",)),
        Entries(notes=("2",)),
        Entries(notes=("3",)),
        [Settings(SHARED, notes=("4",)), Settings(LOCAL, notes=("5",))],
        ["f:1: bad", "g: bad", "f:1: bad"],
    )
    assert found.notes == ("1", "2", "3", "4", "5")
    assert found.unreadable == ("f:1: bad", "g: bad")


def test_host_notes_add_up() -> None:
    server = ServerConfig("a", "f")
    assert add_host_note(server, "One.").host_note == "One."
    assert add_host_note(add_host_note(server, "One."), "Two.").host_note == "One. Two."


NAME = st.sampled_from(["a", "b", "c.d", "c_d"])
SETTINGS = st.builds(
    Settings,
    st.sampled_from([SHARED, LOCAL]),
    st.none() | st.booleans(),
    st.none() | st.lists(NAME).map(tuple),
    st.lists(NAME).map(tuple),
)


@given(
    st.lists(NAME, unique=True),
    st.lists(NAME, unique=True),
    st.lists(NAME, unique=True),
    st.lists(SETTINGS, max_size=2),
)
def test_every_declared_name_is_attached_once_or_filtered(
    in_local: list[str], in_project: list[str], in_user: list[str], settings: list[Settings]
) -> None:
    found = resolve(servers(*in_local, source="L"), servers(*in_project), servers(*in_user, source="U"), settings)
    assert len(names(found)) == len(set(names(found)))
    assert {*names(found), *(name for name, _ in found.filtered)} == {*in_local, *in_project, *in_user}
    assert {name for name, _ in found.filtered} <= set(in_project)

import json
from collections.abc import Callable
from typing import Any

import pytest

from mcp_assay.core.discovery import Entries
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import InputError
from mcp_assay.hosts.claude_code import local_servers, project_servers, settings, user_servers

Reader = Callable[[bytes, str], Entries]

FILE = "/p/.mcp.json"
BOM = b"\xef\xbb\xbf"


def encode(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


def one(entry: object, name: str = "s") -> ServerConfig:
    """The only server of a file that declares one."""
    (server,) = project_servers(encode({"mcpServers": {name: entry}}), FILE).servers
    return server


def refused(entry: object, name: str = "s") -> str:
    """The only note of a file whose only entry was not attached."""
    found = project_servers(encode({"mcpServers": {name: entry}}), FILE)
    assert found.servers == ()
    (note,) = found.notes
    return note


# --- entries ----------------------------------------------------------------------------------------------------------


def test_a_stdio_entry_is_read_whole() -> None:
    server = one({"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"K": "v"}, "cwd": "/w"})
    assert (server.name, server.source, server.transport) == ("s", FILE, Transport.STDIO)
    assert (server.command, server.args, dict(server.env), server.cwd) == ("npx", ("-y", "x"), {"K": "v"}, "/w")
    assert (server.url, server.host_note) == (None, None)


@pytest.mark.parametrize(
    ("kind", "transport"),
    [
        ("http", Transport.HTTP),
        ("streamable-http", Transport.HTTP),
        ("sse", Transport.SSE),
        ("ws", Transport.OTHER),
    ],
)
def test_a_remote_entry_is_read_whole(kind: str, transport: Transport) -> None:
    server = one({"type": kind, "url": "https://h/mcp", "headers": {"A": "${T}"}, "headersHelper": "get-headers"})
    assert (server.transport, server.url, server.command) == (transport, "https://h/mcp", None)
    assert (dict(server.headers), server.headers_helper) == ({"A": "${T}"}, "get-headers")


def test_an_entry_without_type_goes_by_its_command_or_url() -> None:
    assert one({"command": "x"}).transport is Transport.STDIO
    assert one({"url": "https://h"}).transport is Transport.HTTP


def test_null_counts_as_absent() -> None:
    assert one({"command": "x", "type": None, "url": None, "args": None, "env": None, "cwd": None}).args == ()


def test_unknown_keys_of_an_entry_are_no_fault() -> None:
    assert one({"command": "x", "timeout": 5000, "alwaysLoad": True}).command == "x"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("x", "not a JSON object"),
        (["x"], "not a JSON object"),
        (None, "not a JSON object"),
        ({}, "neither command nor url"),
        ({"args": ["x"]}, "neither command nor url"),
        ({"command": ""}, "neither command nor url"),
        ({"command": None}, "neither command nor url"),
        ({"type": "stdio", "url": "https://h"}, "no command, which type stdio needs"),
        ({"type": "http", "command": "x"}, "no url, which type http needs"),
        ({"type": "sse"}, "no url, which type sse needs"),
        ({"type": "smtp", "url": "https://h"}, "unknown type"),
        ({"type": 1, "command": "x"}, "type is not a string"),
        ({"command": ["npx", "x"]}, "command is not a string"),
        ({"type": "http", "url": 1}, "url is not a string"),
        ({"command": "x", "args": "y"}, "args is not a list of strings"),
        ({"command": "x", "args": [1]}, "args is not a list of strings"),
        ({"command": "x", "env": ["K=v"]}, "env is not a table of strings"),
        ({"command": "x", "env": {"K": 1}}, "env is not a table of strings"),
        ({"command": "x", "cwd": 1}, "cwd is not a string"),
        ({"type": "http", "url": "https://h", "headers": {"A": None}}, "headers is not a table of strings"),
        ({"type": "http", "url": "https://h", "headersHelper": ["x"]}, "headersHelper is not a string"),
    ],
)
def test_a_malformed_entry_is_a_note_that_names_file_line_and_server(entry: object, message: str) -> None:
    note = refused(entry)
    assert note.startswith(f"{FILE}:3: s: {message}")
    assert note.endswith("; not attached")


@pytest.mark.parametrize("name", ["", "  "])
def test_a_server_without_a_name_is_a_note(name: str) -> None:
    assert refused({"command": "x"}, name) == f"{FILE}:3: a server without a name; not attached"


def test_a_malformed_entry_hides_no_other() -> None:
    found = project_servers(b'{"mcpServers": {\n"a": {"command": "a"},\n"b": 7,\n"c": {"command": "c"}}}', FILE)
    assert [(server.name, server.line) for server in found.servers] == [("a", 2), ("c", 4)]
    assert found.notes == (f"{FILE}:3: b: not a JSON object; not attached",)


def test_no_note_holds_a_value_of_the_entry() -> None:
    note = refused({"command": "x", "args": "--token hunter2", "env": {"K": "hunter2"}})
    assert "hunter2" not in note


@pytest.mark.parametrize(("flag", "noted"), [(True, True), (False, False), ("yes", False), (None, False)])
def test_a_server_marked_disabled_is_attached_and_noted(flag: str, noted: bool) -> None:
    found = project_servers(encode({"mcpServers": {"s": {"command": "x", "disabled": flag}}}), FILE)
    assert [server.name for server in found.servers] == ["s"]
    assert [note.startswith(f"{FILE}:3: s: disabled: true") for note in found.notes] == [True] * noted


@pytest.mark.parametrize(
    ("kind", "used"), [(None, "command is used"), ("stdio", "command is used"), ("http", "url is used")]
)
def test_an_entry_with_command_and_url_is_attached_by_its_type_and_noted(kind: str, used: str) -> None:
    found = project_servers(encode({"mcpServers": {"s": {"type": kind, "command": "x", "url": "https://h"}}}), FILE)
    assert (found.servers[0].command is None) == (kind == "http")
    assert (found.servers[0].url is None) == (kind != "http")
    assert used in found.notes[0]


# --- what the host is known to do otherwise ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "entry", "words"),
    [
        ("s", {"command": "x"}, []),
        ("s", {"type": "http", "url": "https://h"}, []),
        ("s", {"url": "https://h"}, ["no type"]),
        ("s", {"type": "ws", "url": "wss://h"}, ["ws"]),
        ("workspace", {"command": "x"}, ["skips"]),
        ("claude-in-chrome", {"command": "x"}, ["skips"]),
        ("computer-use", {"command": "x"}, ["skips"]),
        ("Claude Preview", {"command": "x"}, ["skips"]),
        ("Claude Browser", {"command": "x"}, ["skips"]),
        ("Workspace", {"command": "x"}, []),
        ("workspace", {"url": "https://h"}, ["no type", "keeps this name"]),
    ],
)
def test_host_notes(name: str, entry: object, words: list[str]) -> None:
    note = one(entry, name).host_note
    assert (note is None) == (not words)
    if note:
        assert note.startswith("Claude Code ")
        assert note.count("Claude Code ") == len(words)
        assert all(word in note for word in words)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [user_servers, project_servers])
def test_a_byte_order_mark_is_tolerated(read: Reader) -> None:
    found = read(BOM + b'{"mcpServers": {"notes": {"command": "notes-srv"}}}', FILE)
    assert [(server.name, server.line) for server in found.servers] == [("notes", 1)]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"mcpServers": None},
        {"dash": {"command": "dash-srv"}, "$schema": "https://example.com/s.json"},
        {"_disabled_mcpServers": {"x": {"command": "x"}}},
        {"servers": {"x": {"command": "x"}}},
    ],
)
def test_only_a_top_level_mcpservers_counts(document: dict[str, Any]) -> None:
    assert project_servers(encode(document), FILE) == Entries(notes=(f"no mcpServers object in {FILE}",))
    assert user_servers(encode(document), FILE) == Entries()


def test_an_empty_mcpservers_is_no_fault() -> None:
    assert project_servers(b'{"mcpServers": {}}', FILE) == Entries()


def test_parked_servers_are_not_discovered() -> None:
    data = encode({"mcpServers": {"on": {"command": "o"}}, "_disabled_mcpServers": {"off": {"command": "f"}}})
    assert [server.name for server in user_servers(data, FILE).servers] == ["on"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", f"{FILE}:1: not valid JSON"),
        (b'{\n"mcpServers": {,}}', f"{FILE}:2: not valid JSON"),
        (b"[]", f"{FILE}:1: not a JSON object"),
        (b'{\n\n"mcpServers": []}', f"{FILE}:3: mcpServers: not a JSON object"),
        (b'{"a": 1,\n"a": 2}', f"{FILE}:2: a: duplicate key"),
        (b"\xff\xfe{\x00}\x00", f"{FILE}:1: not UTF-8"),
    ],
)
@pytest.mark.parametrize("read", [user_servers, project_servers])
def test_a_malformed_file_names_file_and_line(read: Reader, data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(data, FILE)
    assert str(caught.value).startswith(message)


# --- projects ---------------------------------------------------------------------------------------------------------


def projects(*keys: str) -> bytes:
    """A user's file in which each key's server is called after the key."""
    return encode({"projects": {key: {"mcpServers": {key: {"command": "x"}}} for key in keys}})


@pytest.mark.parametrize(
    ("keys", "root", "match"),
    [
        (["/srv/x"], "/srv/x", "/srv/x"),
        (["/srv"], "/srv/x", "/srv"),
        (["/srv/x/y"], "/srv/x", None),
        (["/srv", "/srv/x", "/"], "/srv/x/y", "/srv/x"),
        (["/srv/x"], "/srv/xy", None),  # a prefix of the text, not of the path
        (["/", "/srv/"], "/srv/x", "/srv/"),
        (["/"], "/srv/x", "/"),
        (["/"], "/", "/"),
        (["/srv/"], "/srv", "/srv/"),
        (["/srv"], "/srv/", "/srv"),
        (["/Srv"], "/srv", None),
        (["\\srv"], "/srv", None),
        (["", "srv", "x"], "/srv/x", None),
        ([], "/srv/x", None),
    ],
)
def test_the_longest_key_on_a_path_boundary_matches(keys: list[str], root: str, match: str | None) -> None:
    found = local_servers(projects(*keys), FILE, root)
    assert [server.name for server in found.servers] == ([] if match is None else [match])


@pytest.mark.parametrize(
    ("keys", "root", "match"),
    [
        (["C:/Work/App", "d:/other"], "c:\\Work\\App\\src", "C:/Work/App"),
        (["c:\\work\\app"], "C:/Work/App", "c:\\work\\app"),
        (["D:/"], "D:\\x", "D:/"),
        (["D:\\"], "d:\\", "D:\\"),
        (["D:/", "D:/x/"], "D:\\x\\y", "D:/x/"),
        (["C:/Work"], "C:\\Workshop", None),
        (["/"], "C:\\x", None),
        (["//host/share"], "\\\\HOST\\share\\x", "//host/share"),
    ],
)
def test_on_windows_slashes_and_case_do_not_matter(keys: list[str], root: str, match: str | None) -> None:
    found = local_servers(projects(*keys), FILE, root, windows=True)
    assert [server.name for server in found.servers] == ([] if match is None else [match])


def test_off_windows_a_windows_spelling_does_not_match() -> None:
    assert local_servers(projects("C:/Work/App"), FILE, "c:\\Work\\App\\src") == Entries()


@pytest.mark.parametrize(("root", "noted"), [("/srv", False), ("/srv/", False), ("/srv/x", True)])
def test_a_key_above_the_root_gets_a_host_note(root: str, noted: bool) -> None:
    (server,) = local_servers(projects("/srv"), FILE, root).servers
    assert (server.host_note or "").startswith("Claude Code ") == noted


def test_the_longest_key_wins_even_if_it_declares_nothing() -> None:
    data = encode({"projects": {"/srv": {"mcpServers": {"s": {"command": "x"}}}, "/srv/x": {"history": []}}})
    assert local_servers(data, FILE, "/srv/x") == Entries()


def test_of_two_spellings_of_one_folder_the_one_with_servers_is_read_and_noted() -> None:
    data = encode({"projects": {"c:/w": {}, "C:/w": {"mcpServers": {"s": {"command": "x"}}}}})
    found = local_servers(data, FILE, "C:\\w", windows=True)
    assert [server.name for server in found.servers] == ["s"]
    assert found.notes == (f"{FILE}: projects: c:/w, C:/w are the same folder; C:/w was read",)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"projects": []}, "2: projects: not"),
        ({"projects": {"/p": 1}}, "3: /p: not"),
        ({"projects": {"/p": {"mcpServers": 1}}}, "4: mcpServers: not"),
    ],
)
def test_projects_of_the_wrong_shape_name_the_line(document: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        local_servers(encode(document), FILE, "/p")
    assert str(caught.value).startswith(f"{FILE}:{message}")


def test_another_projects_malformed_entry_does_not_matter() -> None:
    data = encode({"projects": {"/q": 1, "/p": {"mcpServers": {"s": {"command": "x"}}}}})
    assert [server.line for server in local_servers(data, FILE, "/p").servers] == [6]


def test_a_local_servers_line_is_that_of_its_own_entry() -> None:
    data = b'{"mcpServers": {"s": {}},\n"projects": {"/p":\n{"mcpServers":\n{"s": {"command": "x"}}}}}'
    assert [server.line for server in local_servers(data, FILE, "/p").servers] == [4]


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "enable_all", "enabled", "disabled"),
    [
        ({}, None, None, ()),
        ({"enableAllProjectMcpServers": True}, True, None, ()),
        ({"enableAllProjectMcpServers": False}, False, None, ()),
        ({"enabledMcpjsonServers": []}, None, (), ()),
        ({"enabledMcpjsonServers": ["a"], "disabledMcpjsonServers": ["b", "c"]}, None, ("a",), ("b", "c")),
        ({"enableAllProjectMcpServers": None, "enabledMcpjsonServers": None}, None, None, ()),
        ({"permissions": {"allow": []}, "hooks": 3}, None, None, ()),
    ],
)
def test_the_three_filter_keys(
    document: dict[str, Any], enable_all: bool | None, enabled: tuple[str, ...] | None, disabled: tuple[str, ...]
) -> None:
    found = settings(BOM + encode(document), FILE)
    assert (found.source, found.enable_all, found.enabled, found.disabled) == (FILE, enable_all, enabled, disabled)
    assert found.notes == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("enableAllProjectMcpServers", "true"),
        ("enableAllProjectMcpServers", 1),
        ("enabledMcpjsonServers", "a"),
        ("enabledMcpjsonServers", ["a", 1]),
        ("disabledMcpjsonServers", {"a": True}),
        ("disabledMcpjsonServers", True),
    ],
)
def test_a_filter_key_of_the_wrong_type_is_noted_and_absent(key: str, value: object) -> None:
    found = settings(encode({"model": "m", key: value}), FILE)
    assert (found.enable_all, found.enabled, found.disabled) == (None, None, ())
    (note,) = found.notes
    assert note.startswith(f"{FILE}:3: {key}: ")


def test_one_wrong_filter_key_leaves_the_others() -> None:
    found = settings(encode({"enabledMcpjsonServers": 1, "disabledMcpjsonServers": ["a"]}), FILE)
    assert (found.disabled, len(found.notes)) == (("a",), 1)


def test_servers_in_a_settings_file_are_noted() -> None:
    (note,) = settings(encode({"mcpServers": {"s": {"command": "s"}}}), FILE).notes
    assert note.startswith(f"{FILE}:2: mcpServers: a settings file declares no servers")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'"x"'])
def test_a_malformed_settings_file_is_an_error_that_names_it(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^/p/\.mcp\.json:1: "):
        settings(data, FILE)

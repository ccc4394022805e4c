import pytest

from mcp_assay.cli.naming_servers import _name_of, servers
from mcp_assay.core.model import Transport
from mcp_assay.errors import UserError


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @scope/server-files@1.2 /data", "server-files"),
        ("npx @scope/server-files", "server-files"),
        ("uvx mcp-server-time --local-timezone UTC", "mcp-server-time"),
        ("uvx --from git+https://u:hunter2@example.com/x/tools serve", "serve"),
        ("uv run --directory /srv/app server.py", "server"),
        ("uv tool run notes", "notes"),
        ("/usr/bin/python3.12 -m pkg.server", "pkg.server"),
        ("python -u tracker.py --verbose", "tracker"),
        ("python -c print()", "python"),
        ("node build/index.mjs", "index"),
        ("docker run -i --rm -e API_KEY=sk-live-1 ghcr.io/org/notes:1.2", "notes"),
        ("docker run -i --env API_KEY=sk-live-1 -v /a:/b notes@sha256:00", "notes"),
        ("/opt/bin/notes-server --token hunter2", "notes-server"),
        ("npx https://example.com/pkg?token=hunter2", "npx"),
        ("uvx sk-proj-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z", "uvx"),
        ("/", "server"),
        ("./x\n[CRITICAL]", "server"),
    ],
)  # fmt: skip
def test_a_name_is_what_runs_and_never_a_secret(command: str, name: str) -> None:
    assert _name_of(command.split(" ")) == name


def test_named_servers_and_a_command_stand_beside_each_other() -> None:
    found = servers(("one=python -u a.py",), ("uvx", "mcp-server-time"))
    assert [(server.name, server.command, server.args) for server in found] == [
        ("one", "python", ("-u", "a.py")),
        ("mcp-server-time", "uvx", ("mcp-server-time",)),
    ]


def test_a_url_names_a_server_over_http() -> None:
    (server,) = servers(("far=https://example.com/mcp?x=1",), ())
    assert (server.transport, server.url, server.command) == (Transport.HTTP, "https://example.com/mcp?x=1", None)


@pytest.mark.parametrize("text", ["far=https://example.com -H x", "one", "=python", "one=", "one='python"])
def test_what_names_no_command_is_told(text: str) -> None:
    with pytest.raises(UserError, match="--server"):
        servers((text,), ())


def test_two_servers_of_one_name_are_told() -> None:
    with pytest.raises(UserError, match="named twice"):
        servers(("one=a", "one=b"), ())

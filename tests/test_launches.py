"""What a gateway is told to start: expanded, in its box if there is one, and nothing of what it must not know."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import StartError, UserError
from mcp_assay.launches import Launches

ENVIRON = {"PATH": "/bin", "HOME": "/srv/me", "TOKEN": "t0ken", "OTHER": "secret"}
LOCAL = ServerConfig("a", "f", command="run", args=("--dir", "${HOME}"), cwd="sub", env={"KEY": "${TOKEN}"})
REMOTE = ServerConfig("r", "f", transport=Transport.HTTP, url="https://x.test/")


@dataclass(frozen=True)
class Address:
    url: str = "https://x.test/"
    headers: dict = field(default_factory=lambda: {"authorization": "b"})
    proxy: str | None = None


def of(name, **more):
    given = {"allowed": {}, "folder": "/p", "timeout": 30, "enclose": {}, "resolve": None}
    return asyncio.run(Launches([LOCAL, REMOTE], ENVIRON, **(given | more)).of(name))


def test_a_local_server_is_its_command_its_folder_and_its_whole_environment():
    assert of("a") == {
        "transport": "stdio",
        "command": "run",
        "args": ["--dir", "/srv/me"],
        "cwd": "/p/sub",
        "env": {"PATH": "/bin", "HOME": "/srv/me", "KEY": "t0ken"},
        "start_timeout": 30,
    }
    assert of("a", allowed={"a": ("OTHER",)})["env"]["OTHER"] == "secret"


def test_a_server_in_a_box_is_started_in_it():
    told = of("a", enclose={"a": lambda plan, cwd: replace(plan, command="bwrap", args=(cwd, plan.command))})
    assert (told["command"], told["args"]) == ("bwrap", ["/p/sub", "run"])


def test_a_remote_server_is_its_resolved_address():
    async def resolve(server, environ, allowed, folder):
        assert (server, environ, allowed, folder) == (REMOTE, ENVIRON, ("OTHER",), "/p")
        return Address()

    assert of("r", resolve=lambda: resolve, allowed={"r": ("OTHER",)}) == {
        "transport": "http",
        "url": "https://x.test/",
        "headers": {"authorization": "b"},
        "proxy": None,
        "start_timeout": 30,
    }


def test_what_is_not_attached_or_cannot_be_driven_is_refused():
    with pytest.raises(UserError, match="no attached MCP"):
        of("z")
    with pytest.raises(StartError, match="cannot be driven"):
        of("r")

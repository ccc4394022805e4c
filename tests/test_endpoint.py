import asyncio
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from mcp_assay import endpoint as module
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.endpoint import Endpoint, resolve
from mcp_assay.errors import StartError

SECRET = "s3cr3t-value"
ENVIRON = {"PATH": os.environ["PATH"], "TOKEN": SECRET, "HOST": "example.org"}


def resolved(
    url: str = "https://h.example/mcp",
    *,
    environ: Mapping[str, str] = ENVIRON,
    allowed: Collection[str] = (),
    cwd: Path | None = None,
    **fields: Any,
) -> Endpoint:
    config = ServerConfig("the name", "test", transport=Transport.HTTP, url=url, **fields)
    return asyncio.run(resolve(config, environ, allowed, str(cwd) if cwd else None))


def refused(*args: Any, **fields: Any) -> str:
    with pytest.raises(StartError) as caught:
        resolved(*args, **fields)
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_the_address_and_the_headers_are_filled_in() -> None:
    found = resolved("https://${HOST}/${P:-mcp}", headers={"Authorization": "Bearer ${TOKEN}", "X-Mode": " dry "})
    assert found.url == "https://example.org/mcp"
    assert found.headers == {"authorization": f"Bearer {SECRET}", "x-mode": "dry"}


def test_no_secret_shows_in_its_repr() -> None:
    assert SECRET not in repr(resolved("https://h.example/?k=${TOKEN}", headers={"A": "${TOKEN}"}))


def test_references_to_nothing_are_named_and_nothing_is_contacted(tmp_path: Path) -> None:
    helper = f"touch {tmp_path}/ran; echo '{{}}'"
    text = refused("https://${NO_HOST}/", headers={"A": "${NO_TOKEN}", "B": "${TOKEN}"}, headers_helper=helper)
    assert text.startswith("its entry refers to NO_HOST, NO_TOKEN, which is not set; set it, or give it a default")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "url", ["", "ftp://h/x", "h.example/mcp", "http://", "http://h:port/", "http://h/\n", "${TOKEN}"]
)
def test_what_is_no_web_address_is_refused_without_repeating_it(url: str) -> None:
    assert refused(url) == "its url is no http or https address (after its variables were filled in)"


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"Authorization": "${TOKEN}\r\nX-Other: 1"}, "its header authorization holds a character that HTTP does not"),
        ({"X-Name": "caf\u00e9"}, "its header x-name holds a character"),
        ({"Bad Name": "${TOKEN}"}, "one of its headers has a name that HTTP does not allow"),
        ({"": "x"}, "one of its headers has a name"),
        ({"Content-Length": "1"}, "its header content-length is not the entry's to set"),
    ],
)
def test_what_http_cannot_carry_is_refused_by_the_header_s_name(headers: dict[str, str], message: str) -> None:
    assert message in refused(headers=headers)


# The helper


def test_what_the_helper_prints_wins_over_the_entry_whatever_the_case() -> None:
    helper = """echo '{"authorization": "Bearer fresh"}'"""
    found = resolved(headers={"Authorization": "old", "X-Mode": "dry"}, headers_helper=helper)
    assert found.headers == {"authorization": "Bearer fresh", "x-mode": "dry"}


def test_the_helper_knows_the_server_and_of_the_environment_what_it_may(tmp_path: Path) -> None:
    helper = """printf '{"n": "%s", "u": "%s", "t": "%s", "o": "%s", "d": "%s"}' \\
        "$CLAUDE_CODE_MCP_SERVER_NAME" "$CLAUDE_CODE_MCP_SERVER_URL" "$TOKEN" "$OTHER" "$PWD" """
    environ = {**ENVIRON, "OTHER": "not allowed"}
    seen = resolved("https://${HOST}/", headers_helper=helper, environ=environ, allowed=["TOKEN"], cwd=tmp_path).headers
    assert seen == {"n": "the name", "u": "https://example.org/", "t": SECRET, "o": "", "d": str(tmp_path)}


@pytest.mark.parametrize(
    ("helper", "message"),
    [
        (f"echo {SECRET}; echo {SECRET} >&2; exit 3", "its headersHelper exited with status 3"),
        ("kill -9 $$", "its headersHelper was ended by signal 9"),
        (f"echo {SECRET}", "its headersHelper did not print a JSON object of header names and texts"),
        ("echo '[]'", "did not print a JSON object"),
        ("echo '{\"a\": 1}'", "did not print a JSON object"),
        ("", "did not print"),
        ("head -c 2000000 /dev/zero", "did not print a JSON object"),
        ('echo \'{"a b": "c"}\'', "a name that HTTP does not allow"),
    ],
)
def test_a_helper_that_fails_is_told_by_its_exit_never_by_its_output(helper: str, message: str) -> None:
    assert message in refused(headers_helper=helper or "true")


def test_a_helper_that_cannot_be_started_is_said(tmp_path: Path) -> None:
    assert refused(headers_helper="true", cwd=tmp_path / "missing") == "its headersHelper cannot be started"


def test_a_helper_that_hangs_is_ended_with_what_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_HELPER_TIME", 0.2)
    text = refused(headers_helper=f"sleep 60 & echo $! > {tmp_path}/pid; wait")
    assert text == "its headersHelper did not finish within 0.2 s"
    state = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


# The proxy

PROXY = "http://user:pw@proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "allowed", "proxy"),
    [
        ("https://h.example/", {"HTTPS_PROXY": PROXY}, ["HTTPS_PROXY"], PROXY),
        ("https://h.example/", {"https_proxy": "proxy.example:3128"}, ["https_proxy"], "http://proxy.example:3128"),
        ("https://h.example/", {"HTTPS_PROXY": PROXY}, [], None),
        ("https://h.example/", {"HTTP_PROXY": PROXY}, ["HTTP_PROXY"], None),
        ("http://h.example/", {"HTTP_PROXY": PROXY}, ["HTTP_PROXY"], PROXY),
        ("http://h.example/", {"ALL_PROXY": PROXY, "HTTP_PROXY": ""}, ["HTTP_PROXY", "ALL_PROXY"], PROXY),
        ("http://127.0.0.1:1/", {"HTTP_PROXY": PROXY}, ["HTTP_PROXY"], None),
        ("http://[::1]:1/", {"HTTP_PROXY": PROXY}, ["HTTP_PROXY"], None),
        ("http://localhost:1/", {"HTTP_PROXY": PROXY}, ["HTTP_PROXY"], None),
    ],
)
def test_a_proxy_is_used_only_if_it_was_allowed_and_never_for_this_machine(
    url: str, environ: dict[str, str], allowed: list[str], proxy: str | None
) -> None:
    assert resolved(url, environ=environ, allowed=allowed).proxy == proxy


@pytest.mark.parametrize("proxy", [f"socks5://{SECRET}:1", f"http://{SECRET}:port"])
def test_what_is_no_http_proxy_is_refused_by_the_variable_s_name(proxy: str) -> None:
    text = refused("http://h.example/", environ={"HTTP_PROXY": proxy}, allowed=["HTTP_PROXY"])
    assert text == "HTTP_PROXY is not the address of an HTTP proxy"

"""From a remote server's entry to the address that is contacted and the headers that go with it.

Both may hold secrets, so no message here repeats a value: variables and headers are named, never quoted.
"""

import asyncio
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

import httpx2

from mcp_assay import shell
from mcp_assay.core.expand import child_environment, expand
from mcp_assay.core.model import ServerConfig
from mcp_assay.errors import StartError

__all__ = ["Endpoint", "resolve"]

_HELPER_TIME = 10.0
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
# The frame of a request is not the entry's to set: it would no longer fit what is sent.
_FRAMING = frozenset({"connection", "content-length", "host", "transfer-encoding", "upgrade"})
_PROXIES = {
    "http": ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"),
    "https": ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server is and what is sent along, expanded. ``headers`` have small names."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    proxy: str | None = field(default=None, repr=False)


async def resolve(
    config: ServerConfig, environ: Mapping[str, str], allowed: Collection[str] = (), cwd: str | None = None
) -> Endpoint:
    """Expand the entry of a remote server and run its ``headersHelper``, in ``cwd``, if it has one.

    ``environ`` is the user's environment; ``allowed`` names what of it the helper may see beyond the safe base, and a
    proxy is taken from it only if its variable is among them. Raises StartError.
    """
    url, headers = _filled(config, environ)
    address = _check_address(url)
    if config.headers_helper:
        own = {"CLAUDE_CODE_MCP_SERVER_NAME": config.name, "CLAUDE_CODE_MCP_SERVER_URL": url}
        output = await _run(config.headers_helper, child_environment(environ, own, allowed), cwd)
        headers |= _lowered(_printed(output))  # what the helper prints wins
    _check_headers(headers)
    return Endpoint(url, headers, _proxy(address, environ, allowed))


def _filled(config: ServerConfig, environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The address and the headers, expanded. A reference to nothing would only be refused by the server: say it now."""
    unset: dict[str, None] = {}

    def filled(text: str) -> str:
        result, missing = expand(text, environ)
        unset.update(dict.fromkeys(missing))
        return result

    url = filled(config.url or "")
    headers = {name: filled(value) for name, value in config.headers.items()}
    if unset:
        raise StartError(
            f"its entry refers to {', '.join(unset)}, which is not set; set it, or give it a default: "
            f"${{{next(iter(unset))}:-default}}"
        )
    return url, _lowered(headers)


def _check_address(url: str) -> httpx2.URL:
    try:
        address = httpx2.URL(url)
    except httpx2.InvalidURL:
        address = httpx2.URL()
    if address.scheme not in _PROXIES or not address.host:
        raise StartError("its url is no http or https address (after its variables were filled in)")
    return address


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise StartError("one of its headers has a name that HTTP does not allow")
        if name in _FRAMING:
            raise StartError(f"its header {name} is not the entry's to set; remove it")
        if not _HEADER_VALUE.fullmatch(value):
            raise StartError(f"its header {name} holds a character that HTTP does not allow, perhaps a line end")


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value.strip(" \t") for name, value in headers.items()}


# --- the helper -------------------------------------------------------------------------------------------------------


async def _run(helper: str, environ: Mapping[str, str], cwd: str | None) -> bytes:
    """What the helper prints. It is ended in time, with all that it started."""
    try:
        async with asyncio.timeout(_HELPER_TIME):
            code, output = await shell.run(helper, environ, cwd)
    except TimeoutError:
        raise StartError(f"its headersHelper did not finish within {_HELPER_TIME:g} s") from None
    except (OSError, ValueError):
        raise StartError("its headersHelper cannot be started") from None
    if code:
        raise StartError(f"its headersHelper {_fate(code)}")
    return output


def _fate(code: int) -> str:
    return f"exited with status {code}" if code > 0 else f"was ended by signal {-code}"


def _printed(output: bytes) -> dict[str, str]:
    try:
        headers = json.loads(output)
    except (ValueError, RecursionError):
        headers = None
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise StartError("its headersHelper did not print a JSON object of header names and texts")
    return headers


# --- the proxy --------------------------------------------------------------------------------------------------------


def _proxy(url: httpx2.URL, environ: Mapping[str, str], allowed: Collection[str]) -> str | None:
    """A proxy sees headers and answers, so one is used only if the user allowed its variable for this server."""
    if _is_loopback(url.host):
        return None
    name = _first_set(_PROXIES[url.scheme], environ, allowed)
    if name is None:
        return None
    proxy = environ[name] if "://" in environ[name] else f"http://{environ[name]}"
    try:
        _check_address(proxy)
    except StartError:
        raise StartError(f"{name} is not the address of an HTTP proxy") from None
    return proxy


def _first_set(names: Iterable[str], environ: Mapping[str, str], allowed: Collection[str]) -> str | None:
    return next((name for name in names if name in allowed and environ.get(name)), None)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

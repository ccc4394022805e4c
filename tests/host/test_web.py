"""The thread that a server over HTTP lives in: what it is told, what it holds back, and how it ends."""

import subprocess
import sys
import threading
import time

import pytest

from far_stage import SECRET, Far, call, launch, request
from mcp_assay.errors import StartError
from mcp_assay.host.loop import Loop
from mcp_assay.host.web import Web as FarWeb
from web import Web, event, events, mcp, result


def test_its_headers_go_with_every_request():
    with Web(mcp({"t": lambda seen: result(seen, {})}, session="abc")) as web:
        with Far(web.url) as far:
            far.hello()
            far.ask(call(1, "t"))
        assert [each.headers["authorization"] for each in web.seen] == [f"Bearer {SECRET}"] * len(web.seen)
        assert web.seen[0].headers["user-agent"].startswith("mcp-assay/")
        assert {each.method for each in web.seen} >= {"POST", "DELETE"}


@pytest.mark.parametrize(
    "broken", [{"url": "http://h:secret/"}, {"url": None}, {"proxy": "ftp://secret"}, {"headers": 5}]
)
def test_an_address_that_cannot_be_used_is_said_without_a_value(broken):
    with pytest.raises(StartError) as caught:
        FarWeb(
            Loop(),
            launch("http://127.0.0.1:1/", **{key: value for key, value in broken.items() if key != "url"}) | broken,
        )
    assert str(caught.value) == "the server cannot be contacted: its address cannot be used"


def test_it_loads_neither_the_sdk_nor_a_session():
    words = "import sys, mcp_assay.host.gateway, mcp_assay.host.web; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", words], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"mcp", "mcp_types", "pydantic", "mcp_assay.upstream", "mcp_assay.remote", "mcp_assay.dispatch"}
    assert "httpx2" in loaded


def test_nothing_is_taken_from_the_environment(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    with Web(lambda seen: result(seen, {})) as web, Far(web.url) as far:
        assert far.ask(call(1, "t"))["id"] == 1


def test_while_nobody_reads_what_it_says_it_reads_no_more_of_the_server():
    sent: list[int] = []

    def endless():
        while not web.over.is_set():
            yield event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 100_000}})
            sent.append(1)

    with Web(lambda _: events(endless())) as web, Far(web.url) as far:
        far.send(call(1, "t"))
        far.receive()
        far.web.hold(True)
        far.rest(0.5)
        before = len(sent)
        far.rest(0.3)
        assert len(sent) == before
        far.web.hold(False)
        far.until(lambda: len(sent) > before + 10)


def test_it_ends_at_once_though_calls_are_on_their_way():
    with Web(lambda _: web.hang()) as web:
        with Far(web.url) as far:
            far.send(call(1, "t"), call(2, "t"))
            far.until(lambda: len(web.seen) == 2)
            began = time.monotonic()
        assert time.monotonic() - began < 1
        assert [each.name for each in threading.enumerate() if "_run" in each.name] == []
        far.rest(0.1)
        assert (far.got, far.fates) == ([], [])


def test_a_server_that_does_not_hear_its_goodbye_is_not_waited_for():
    answer = mcp({}, session="abc")
    with Web(lambda seen: web.hang() if seen.method == "DELETE" else answer(seen)) as web:
        with Far(web.url) as far:
            far.hello()
            began = time.monotonic()
        assert time.monotonic() - began < 2


def test_what_waits_for_an_answer_counts_as_unread():
    def slow(seen):
        time.sleep(0.2)
        return result(seen, {})

    with Web(slow) as web, Far(web.url) as far:
        far.send(request(1, "tools/list", text="x" * 10_000))
        assert far.web.input.backlog > 10_000
        far.receive()
        far.until(lambda: far.web.input.backlog == 0)


def test_a_fault_of_ours_is_told_and_not_what_it_said(monkeypatch, capsys):
    monkeypatch.setattr("mcp_assay.host.streamable.as_frame", lambda _: 1 / 0)
    with Web(lambda seen: result(seen, {})) as web, Far(web.url) as far:
        far.send(call(1, "t"))
        assert far.lost() == "its connection was ended by a fault of ours"
    assert capsys.readouterr().err == ""

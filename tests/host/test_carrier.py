"""What both transports over HTTP share: in which order frames go out, and what a broken connection is called."""

import socket
import threading
import time

import pytest

from far_stage import INITIALIZED, Far, call, request
from web import Out, OverSse, Web, mcp, result


def closing(port_of):
    """A listener that hangs up on whoever has asked something."""
    listener = socket.create_server(("127.0.0.1", 0))
    port_of.append(listener.getsockname()[1])

    def serve():
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            line.recv(65536)
            line.close()

    threading.Thread(target=serve, daemon=True).start()
    return listener


def test_nobody_there_and_a_hang_up_are_told_apart_and_both_are_lost():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Far(f"http://127.0.0.1:{port}/mcp") as far:
        assert far.fails(call(1, "t")) == ("lost", "the server cannot be reached: the connection is refused")
    with Far(f"http://127.0.0.1:{port}/sse", "sse") as far:
        assert far.lost() == "the server cannot be reached: the connection is refused"
    ports: list[int] = []
    with closing(ports), Far(f"http://127.0.0.1:{ports[0]}/mcp") as far:
        assert far.fails(call(1, "t")) == ("lost", "the connection to the server broke")


def test_a_proxy_gets_what_is_sent_and_nothing_goes_around_it():
    with Web(lambda seen: result(seen, {"n": 1})) as proxy:
        with Far("http://server.invalid/mcp", proxy=f"http://127.0.0.1:{proxy.port}/") as far:
            assert far.ask(call(1, "t"))["result"] == {"n": 1}
        assert (proxy.seen[0].path, proxy.seen[0].headers["host"]) == ("http://server.invalid/mcp", "server.invalid")
    with Web(lambda _: Out(502)) as proxy, Far("https://s.invalid/", proxy=f"http://127.0.0.1:{proxy.port}/") as far:
        assert far.fails(call(1, "t")) == ("lost", "the proxy does not let the request through")


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_notification_has_arrived_before_the_next_request_is_sent(transport):
    def slow(seen):
        if seen.asks == "notifications/initialized":
            time.sleep(0.2)
            told.append(len(web.seen))
        return inner(seen)

    told: list[int] = []
    inner = mcp({}) if transport == "http" else OverSse({})
    with Web(slow) as web, Far(web.url, transport) as far:
        far.hello()
        assert far.ask(request(1, "tools/list"))["id"] == 1
        posted = [each.asks for each in web.seen if each.method == "POST"]
        assert posted == ["initialize", "notifications/initialized", "tools/list"]
        assert told == [web.seen.index(web.asked("notifications/initialized")[0]) + 1]
        if isinstance(inner, OverSse):
            inner.end()


def test_a_notification_that_nobody_takes_keeps_nothing_back_for_long(monkeypatch):
    monkeypatch.setattr("mcp_assay.host.carrier.HOUSEKEEPING", 0.2)
    inner = mcp({})

    def answer(seen):
        if seen.asks.startswith("notifications/"):
            web.hang()
        return inner(seen)

    with Web(answer) as web, Far(web.url) as far:
        far.send(INITIALIZED)
        assert far.ask(request(1, "tools/list"))["id"] == 1


def test_requests_wait_for_none_of_the_others():
    def answer(seen):
        if seen.message["id"] == 1:
            web.hang()
        return result(seen, {})

    with Web(answer) as web, Far(web.url) as far:
        far.send(call(1, "t"))
        assert [far.ask(call(number, "t"))["id"] for number in range(2, 120)] == list(range(2, 120))

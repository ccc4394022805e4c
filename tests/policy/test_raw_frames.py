"""Bad frames sent to real processes: each has its answer, the next request is served, and memory stays where it was."""

import json
import subprocess
import threading
import time

import pytest

from mcp_assay.policy.wire import MOST_BYTES
from policy_frames import BAD, NAMES, NOTE, PING, call, modern, request
from policy_process import ENVIRON, FAST, FULL, JSON, connected, exchange, resident, stdio, web

HUGE = b'"' + b"x" * MOST_BYTES + b'"'
GROWTH = 4_000  # kilobytes: far less than 2,000 of anything that is kept
ROUTED = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


@pytest.fixture(scope="module")
def pipe():
    with stdio() as server:
        yield server


@pytest.fixture(scope="module")
def port():
    with web() as (number, _):
        yield number


@pytest.fixture
def connection(port):
    with connected(port) as found:
        yield found


@pytest.mark.parametrize(("what", "frame", "code", "number"), BAD, ids=NAMES)
def test_over_stdio_each_bad_frame_has_its_answer_and_the_next_request_is_served(pipe, what, frame, code, number):
    found = pipe.ask(frame)
    assert (found["error"]["code"], found["id"]) == (code, number)
    assert pipe.ask(PING) == {"jsonrpc": "2.0", "id": "next", "result": {}}


@pytest.mark.parametrize(("what", "frame", "code", "number"), BAD, ids=NAMES)
def test_over_http_each_bad_frame_has_its_answer_and_the_next_request_is_served(connection, what, frame, code, number):
    status, body = exchange(connection, frame)
    found = json.loads(body)
    assert (found["error"]["code"], found["id"]) == (code, number)
    assert status in (200, 400)
    assert exchange(connection, PING)[0] == 200


def test_over_stdio_batches_and_notifications(pipe):
    pipe.send(NOTE, b"[" + NOTE + b"]", b"", b"[]", b"[" + request("ping", number=0) + b"," + call(number=2) + b"]")
    assert pipe.receive()["error"]["code"] == -32600
    assert [reply["id"] for reply in pipe.receive()] == [0, 2]


def test_over_stdio_a_frame_that_is_too_large_is_refused_and_the_stream_goes_on(pipe):
    writer = threading.Thread(target=pipe.send, args=(HUGE, PING))
    writer.start()
    assert pipe.receive()["error"]["code"] == -32600
    assert pipe.receive()["id"] == "next"
    writer.join()


@pytest.mark.parametrize("command", [FAST, FULL], ids=["module", "command"])
def test_every_request_sent_before_stdin_closes_is_answered_in_order(command):
    frames = b"\n".join(call(number=number) if number % 2 else b"{" for number in range(999))
    done = subprocess.run(command, input=frames, env=ENVIRON, capture_output=True, check=True)
    assert done.stderr == b""
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [n if n % 2 else None for n in range(999)]


def test_a_client_that_goes_away_ends_the_server_without_a_complaint():
    with subprocess.Popen(
        FAST, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRON
    ) as server:
        server.stdout.close()
        server.stdin.write(PING + b"\n")
        server.stdin.close()
        assert server.wait(20) == 0
        assert server.stderr.read() == b""


def test_over_stdio_two_thousand_bad_frames_cost_no_memory():
    frames = [frame for _, frame, *_ in BAD]
    with stdio() as server:
        grown = growth(
            lambda: server.kilobytes, lambda: [server.ask(frame) for frame in frames], 2000 // len(frames) + 1
        )
    assert grown < GROWTH


def test_over_http_two_thousand_bad_frames_cost_no_memory():
    frames = [frame for _, frame, *_ in BAD]
    with web() as (port, pid), connected(port) as connection:
        grown = growth(
            lambda: resident(pid), lambda: [exchange(connection, frame) for frame in frames], 2000 // len(frames) + 1
        )
    assert grown < GROWTH


def growth(measured, work, times):
    """How much is added by doing it so many times, after the first few."""
    for _ in range(4):
        work()
    before = measured()
    for _ in range(times):
        work()
    return measured() - before


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:3000", 200),
        ("http://127.0.0.1", 200),
        ("http://[::1]:9", 200),
        ("https://LOCALHOST:8443", 200),
        ("", 403),
        ("null", 403),
        ("http://evil.example", 403),
        ("https://localhost.evil.example", 403),
        ("http://127.0.0.1.evil.example", 403),
        ("http://evil.example#localhost", 403),
        ("http://localhost@evil.example", 403),
        ("http://localhost:3000/", 403),
        ("file://localhost", 403),
    ],
)
def test_over_http_only_pages_of_this_machine_are_answered(connection, origin, status):
    assert exchange(connection, PING, {} if origin is None else {"Origin": origin})[0] == status
    assert exchange(connection, method="GET", headers={} if origin is None else {"Origin": origin})[0] == (
        405 if status == 200 else 403
    )


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:3333", 200),
        ("localhost:1", 200),
        ("[::1]", 200),
        ("evil.example:3333", 403),
        ("localhost.evil.example", 403),
        ("evil.example", 403),
        ("127.0.0.1:3333@evil.example", 403),
        ("", 403),
    ],
)
def test_over_http_only_names_of_this_machine_are_answered(connection, host, status):
    assert exchange(connection, PING, {"Host": host})[0] == status


def test_over_http_there_is_one_path_and_one_method(connection):
    assert exchange(connection, PING, path="/")[0] == 404
    assert exchange(connection, PING, path="/mcp/x")[0] == 404
    assert exchange(connection, PING, path="/mcp?a=b")[0] == 200
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        connection.request(method, "/mcp", headers=JSON)
        response = connection.getresponse()
        response.read()
        assert (response.status, response.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("Application/JSON", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("", 415),
    ],
)
def test_over_http_a_body_is_json_or_not_read(connection, kind, status):
    assert exchange(connection, PING, {"Content-Type": kind})[0] == status


def test_over_http_a_notification_is_accepted_with_nothing_to_say(connection):
    assert exchange(connection, NOTE) == (202, b"")


def test_over_http_a_batch_is_refused_and_not_carried_out(connection):
    status, body = exchange(connection, b"[" + call() + b"]")
    assert status == 400
    assert json.loads(body)["error"]["code"] == -32600
    assert b"structuredContent" not in body


def test_over_http_an_unknown_version_is_refused_and_none_accepted(connection):
    for version, status in (("1999-01-01", 400), ("2025-06-18", 200), ("2025-11-25", 200), (" 2025-11-25 ", 200)):
        assert exchange(connection, PING, {"MCP-Protocol-Version": version})[0] == status
    assert exchange(connection, PING)[0] == 200


def test_over_http_the_stateless_era_checks_its_headers(connection):
    assert exchange(connection, modern("tools/list"), ROUTED)[0] == 200
    status, body = exchange(connection, modern("tools/list"), {**ROUTED, "Mcp-Method": "tools/call"})
    assert (status, json.loads(body)["error"]["code"]) == (400, -32020)
    status, body = exchange(connection, modern("ping"), {**ROUTED, "Mcp-Method": "ping"})
    assert (status, json.loads(body)["error"]["code"]) == (404, -32601)


def test_over_http_a_header_that_is_sent_twice_matches_nothing(port):
    with connected(port) as connection:
        connection.putrequest("POST", "/mcp", skip_host=True)
        body = modern("tools/list")
        pairs = [("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        for name, value in [*pairs, *ROUTED.items(), ("Mcp-Method", "tools/list")]:
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        assert response.status == 400
        assert json.loads(response.read())["error"]["code"] == -32020


@pytest.mark.parametrize("chunked", [False, True])
def test_over_http_a_body_that_is_too_large_is_refused_and_the_server_goes_on(port, chunked):
    parts = (HUGE[at : at + 65536] for at in range(0, len(HUGE), 65536))
    with connected(port) as connection:
        try:
            connection.request("POST", "/mcp", parts if chunked else HUGE, JSON, encode_chunked=chunked)
            assert connection.getresponse().status == 413
        except (BrokenPipeError, ConnectionResetError):
            pass  # the connection is closed on whoever goes on sending
    with connected(port) as connection:
        assert exchange(connection, PING)[0] == 200


def test_over_http_what_is_no_http_does_not_end_the_server(port):
    with connected(port) as connection:
        connection.connect()
        connection.sock.sendall(b"\x00\xff nonsense\r\n\r\n")
        assert connection.sock.recv(12) in (b"HTTP/1.1 400", b"")
    with connected(port) as connection:
        assert exchange(connection, PING)[0] == 200


def test_over_http_no_reply_waits_for_an_acknowledgement(connection):
    began = time.monotonic()
    for _ in range(50):
        exchange(connection, PING)
    assert time.monotonic() - began < 1  # with Nagle's algorithm it is 2 s

"""Whatever either side writes, nothing reaches the server that was not opened first, and nothing is written anew.

The server keeps each line that it gets; each is read here as a careless server might: keys in any case, the first of
two, a carriage return as the end of a line. Set MCP_ASSAY_FUZZ for more frames; a seed is in each test's name.
"""

import json
import os
import random
import time

import pytest

from gateway_session import Session
from gateway_stage import HELLO, SERVER, STATELESS, call, request, short_folder, stage
from mcp_assay.frames import MAX_FRAME
from mcp_assay.host.traffic import JUDGED

FRAMES = int(os.environ.get("MCP_ASSAY_FUZZ", "10000"))
CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"echo","arguments":{"n":1}}}'


def methods(line):
    """Every method that a careless reader could find in a line."""
    for part in line.replace(b"\r", b"\n").split(b"\n"):
        try:
            pairs = json.loads(part, object_pairs_hook=list)
        except ValueError:
            continue
        messages = [pairs] if pairs and isinstance(pairs[0], tuple) else pairs if isinstance(pairs, list) else []
        for message in messages:
            if isinstance(message, list):
                yield from (pair[1] for pair in message if isinstance(pair, tuple) and pair[0].casefold() == "method")
            elif isinstance(message, tuple) and message[0].casefold() == "method":
                yield message[1]


def reached(gateway):
    return [
        line
        for line in gateway.raw("got")
        if any(method in JUDGED for method in methods(line) if isinstance(method, str))
    ]


def test_the_careless_reader_finds_what_it_is_to_find():
    hidden = b'{"jsonrpc":"2.0","method":"notifications/x","params":[\r' + (CALL % 1).encode() + b"\r]}"
    twice = b'{"method":"ping","METHOD":"tools/call"}'
    for line in (hidden, twice, b"[" + (CALL % 1).encode() + b"]"):
        assert "tools/call" in list(methods(line))


@pytest.fixture(scope="module")
def long_stage():
    with stage() as found:
        yield found


@pytest.fixture
def talk(long_stage):
    """A gateway for frames that must not pass: afterwards nothing was opened, and nothing reached the server."""
    gateway, owner = long_stage
    yield gateway
    assert gateway.ask(request("after", "ping"))["id"] == "after"
    assert (reached(gateway), owner.of("open")) == ([], [])


@pytest.mark.parametrize("number", ["1.5", "null", "true", "false", "{}", "[]", "1.0", "1e3", "NaN"])
def test_a_call_with_a_bad_id_is_refused(talk, number):
    answer = talk.ask((CALL % number).encode() + b"\n")
    assert (answer["id"], "error" in answer) == (None, True)


@pytest.mark.parametrize(
    "line",
    [
        b"[" + (CALL % 1).encode() + b"]\n",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"echo"}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"echo"}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\r' + (CALL % 1).encode() + b"\r}}\n",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call/","params":{"name":"echo"}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"notifications/tools/call","params":{"name":"echo"}}\n',
        (CALL % 1).encode() + (CALL % 2).encode() + b"\n",
        (CALL % '"x"').encode()[:-1] + b"," + b'"padding":"' + b"x" * MAX_FRAME + b'"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Arguments":{"n":1}}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":1,"n":2}}}\n',
    ],
    ids=["batch", "twice", "case", "return", "method", "id", "two", "long", "arguments", "argument"],
)
def test_a_call_in_disguise_is_refused(talk, line):
    assert "error" in talk.ask(line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}\n',
        b'{"jsonrpc":"2.0","id":"mine","result":{"method":"tools/call"}}\n',
        b'{"jsonrpc":"2.0","id":null,"result":{}}\n',
    ],
    ids=["no id", "no question", "null"],
)
def test_what_gets_no_answer_goes_nowhere(talk, line):
    talk.send(line)
    assert talk.ask(request("before", "ping"))["id"] == "before"
    assert line not in talk.raw("got")


def test_a_notification_that_carries_a_call_stays_a_notification():
    with stage() as (gateway, _):
        line = b'{"jsonrpc":"2.0","method":"notifications/tools/call","params":{"name":"echo","id":1}}\n'
        gateway.send(line)
        assert gateway.ask(request("after", "ping"))["id"] == "after"
        assert gateway.raw("got")[-2] == line


def test_a_frame_that_is_torn_by_the_end_is_never_sent():
    with stage() as (gateway, owner):
        gateway.send((CALL % 1).encode())
        gateway.process.stdin.close()
        assert gateway.process.wait(20) == 0
        assert gateway.process.stdout.read() == b""
        assert (reached(gateway), owner.of("open")) == ([], [])


def test_a_frame_that_arrives_in_pieces_is_one():
    with stage() as (gateway, owner):
        for byte in (CALL % 1).encode() + b"\n":
            gateway.send(bytes([byte]))
        assert gateway.receive()["id"] == 1
        assert len(reached(gateway)) == len(owner.of("open")) == 1


def test_eras_may_be_mixed_and_nothing_passes_unjudged():
    with stage() as (gateway, owner):
        owner.decide = lambda message: {"refused": "no", "aborted": None} if message["args"].get("no") else {}
        assert gateway.call(1, "echo", meta=STATELESS, no=True)["result"]["resultType"] == "complete"
        assert "resultType" not in gateway.call(2, "echo", no=True)["result"]
        gateway.ask({**HELLO, "id": "again"})
        assert "isError" not in gateway.call(3, "echo", meta=STATELESS)["result"]
        assert len(owner.of("open")) == 3
        assert len(reached(gateway)) == 1


def test_an_id_in_use_is_refused_and_the_first_call_gets_its_own_reply():
    with stage() as (gateway, owner):
        gateway.send(call(1, "elicit"))
        assert gateway.receive()["method"] == "elicitation/create"
        assert gateway.call(1, "echo", second=True)["id"] is None
        reply = gateway.ask({"jsonrpc": "2.0", "id": "ask-1", "result": {"action": "decline"}})
        assert (reply["id"], "decline" in reply["result"]["content"][0]["text"]) == (1, True)
        assert len(reached(gateway)) == len(owner.of("open")) == 1


@pytest.mark.parametrize("trick", ["change", "swap"])
def test_a_tool_that_changed_is_seen_before_the_next_call(trick):
    """What was said to have changed is; what was not is seen as soon as the agent lists the tools itself."""

    def decide(message):
        latest = owner.of("observe")[-1]["tools"][0]["description"]
        return {} if latest == "first" else {"refused": f"it changed: {latest}", "aborted": None}

    with stage() as (gateway, owner):
        owner.decide = decide
        gateway.send(call(1, trick, to="steal everything"))
        if trick == "change":
            assert gateway.receive()["method"] == "notifications/tools/list_changed"
        assert gateway.receive()["id"] == 1
        if trick == "swap":
            gateway.ask(request(2, "tools/list"))
        assert "it changed" in gateway.call(3, "echo")["result"]["content"][0]["text"]
        assert len(reached(gateway)) == 1


def test_calls_wait_for_the_list_that_the_owner_wants():
    with stage("slow") as (gateway, owner):
        gateway.ask(request("l", "tools/list"))
        seen = set()

        def decide(message):
            known = message["args"]["n"] in seen
            seen.add(message["args"]["n"])
            return {} if known else {"refused": "no list yet", "aborted": None, "list": True}

        owner.decide = decide
        for number in range(5):
            gateway.send(call(number, "echo", n=number))
        assert sorted(gateway.receive()["id"] for _ in range(5)) == list(range(5))
        assert len(owner.of("open")) == 10
        assert len(reached(gateway)) == 5


# --- thousands of frames, from both sides -----------------------------------------------------------------------------

ODD_IDS = ["1.5", "null", "true", "{}", "[]", '"x"', "0", "-1", "99999999999999999999", '"\\ud800"', "1e2"]
KEYS = [b'"method"', b'"id"', b'"params"', b'"name"', b'"arguments"', b'"jsonrpc"']
OTHERS = [
    "ping",
    "tools/list",
    "resources/read",
    "notifications/x",
    "notifications/cancelled",
    "tasks/get",
    "prompts/get",
]


def frame(rng, number):
    """A frame, most often broken in one way or two."""
    method = "tools/call" if rng.random() < 0.6 else rng.choice(OTHERS)
    message = request(f"f{number}", method, name="echo", arguments={"n": number}, uri="a:b")
    if rng.random() < 0.2:
        message["params"]["_meta"] = STATELESS
    if method.startswith("notifications/") and rng.random() < 0.7:
        del message["id"]
    line = json.dumps(message).encode()
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        line = rng.choice(BREAKS)(rng, line) or b"{"
    return line.replace(b"\n", b" ") + rng.choice([b"\n", b"\n", b"\r\n"])


def other_id(rng, line):
    return line.replace(b'"id": "f', b'"id": %s, "was": "' % rng.choice(ODD_IDS).encode())


def other_case(rng, line):
    key = rng.choice(KEYS)
    return line.replace(key, rng.choice([key.upper(), key.title()]))


def twice(rng, line):
    extra = rng.choice([b'"method": "tools/call", ', b'"id": 1.5, ', b'"METHOD": "tools/call", ', b'"params": {}, '])
    return line.replace(b"{", b"{" + extra, 1)


def returns(rng, line):
    at = rng.randrange(len(line))
    return line[:at] + b"\r" + line[at:]


def inside(rng, line):
    return b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":' + rng.choice([b"", b"\r"]) + line + b"\r}}"


def flipped(rng, line):
    at = rng.randrange(len(line))
    return line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]


def cut(rng, line):
    return line[: rng.randrange(len(line))]


def doubled(rng, line):
    return line + rng.choice([b"", b",", b" "]) + line


def batch(rng, line):
    return b"[" + line + b"]"


BREAKS = [other_id, other_case, twice, returns, inside, flipped, cut, doubled, batch]


@pytest.mark.parametrize("seed", range(2))
def test_of_thousands_of_frames_only_what_was_opened_reaches_the_server(seed):
    rng = random.Random(seed)
    lines = [frame(rng, number) for number in range(FRAMES)]
    with stage("noisy", str(seed)) as (gateway, owner):
        owner.decide = lambda message: (
            {"refused": "no", "aborted": None} if message["args"].get("n", 1) % 3 == 0 else {}
        )
        replies = []
        for start in range(0, len(lines), 100):
            part = lines[start : start + 100]
            gateway.send(*part, request(f"end-{start}", "ping"))
            while True:
                message = gateway.receive()
                assert message["jsonrpc"] == "2.0"
                if "method" not in message:
                    replies.append(message)
                    if message["id"] == f"end-{start}":
                        break
        deadline = time.monotonic() + 20
        permitted = [each for each in owner.of("open") if each["args"].get("n", 1) % 3]
        while len(reached(gateway)) < len(permitted) and time.monotonic() < deadline:
            time.sleep(0.01)
        permitted = [each for each in owner.of("open") if each["args"].get("n", 1) % 3]
        got = gateway.raw("got")
        assert len(reached(gateway)) == len(permitted) > FRAMES / 20
        known = set(lines)
        hidden = [line for line in got if b'"mcp-assay-' in line]
        assert {json.loads(line)["method"] for line in hidden} <= {"tools/list"}
        ends = [line for line in got if b'"end-' in line or b'"hello"' in line or b"initialized" in line]
        assert all(line in known for line in got if line not in hidden and line not in ends)
        ids = [reply["id"] for reply in replies if isinstance(reply["id"], str)]
        ours = [number for number in ids if number.startswith("f")]  # those that no break has made another's
        assert len(ours) == len(set(ours)) > FRAMES / 20
        assert not any("mcp-assay-" in number for number in ids)


CARRIED = 1_500
"""Frames for a session that the owner carries: of those that are calls it has only so many."""


@pytest.mark.parametrize("seed", range(2))
def test_where_the_owner_carries_the_session_too_what_reaches_the_server_has_its_line(seed):
    rng = random.Random(seed)
    lines = [frame(rng, number) for number in range(CARRIED)]
    safety = {"disposition": "read_only", "marks": {"echo": {"mark": "read", "tool": "unpinned"}}}
    with short_folder() as folder, Session(folder, [SERVER, folder, "noisy", seed], safety) as session:
        session.gateway.ask(HELLO)
        for start in range(0, len(lines), 100):
            session.gateway.send(*lines[start : start + 100], request(f"end-{start}", "ping"))
            while session.gateway.receive().get("id") != f"end-{start}":
                pass
        session.agent.ask("finish", reached=True, why="done")
        session.agent.ask("next")
        sent = [line for line in session.lines() if line["tool"] != "__blocked__"]
        assert len(reached(session.gateway)) == len(sent) > CARRIED / 20
        known = {*lines, *(each for each in session.gateway.raw("got") if b'"mcp-assay-' in each or b'"end-' in each)}
        begun = [line for line in session.gateway.raw("got") if line not in known]
        assert {json.loads(line)["method"] for line in begun} <= {
            "initialize",
            "notifications/initialized",
            "tools/list",
        }

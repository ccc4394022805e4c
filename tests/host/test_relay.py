"""A relay between ends in memory: who is asked, what goes on, in which order, and what each end is told."""

import json
import math

import pytest

from mcp_assay.frames import Oversized, encode
from mcp_assay.host.base import Unanswered
from mcp_assay.host.relay import MOST_REQUESTS, MOST_UNREAD
from mcp_assay.host.traffic import PASSED
from relay_ends import Asked, Conversation, End

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def talk():
    return Conversation()


def text_of(message):
    assert message["result"]["isError"] is True
    return message["result"]["content"][0]["text"]


# --- what goes through ------------------------------------------------------------------------------------------------


def test_a_call_is_opened_sent_answered_and_closed_in_this_order(talk):
    line = talk.call(1, tool="echo", _meta={"claudecode/toolUseId": "toolu_1"})
    assert talk.server.frames == []
    opened = talk.owner.answer(permit="S1-001", timeout=60)
    assert opened == {
        "do": "open",
        "mcp": "srv",
        "tool": "echo",
        "args": {},
        "kind": "tools/call",
        "join": "toolu_1",
    }
    assert talk.server.frames == [line]
    talk.agent.is_read = False
    talk.time.pass_by(1.5)
    reply = talk.server_says(id=1, result={"content": []})
    assert talk.agent.frames == [reply]
    assert talk.owner.told == []  # the agent does not have it yet
    talk.agent.read()
    assert talk.owner.take() == [
        {
            "do": "close",
            "permit": "S1-001",
            "outcome": "ok",
            "size": len(reply),
            "duration_ms": 1500,
            "result": {"content": []},
        }
    ]
    assert talk.relay.waiting == []


@pytest.mark.parametrize("method", sorted(PASSED))
def test_what_only_looks_goes_through_without_asking(talk, method):
    line = talk.agent_says(id="x", method=method, params={"vendor": 1})
    assert talk.server.frames == [line]
    reply = talk.server_says(id="x", error={"code": -5, "message": "m", "data": [1]})
    assert talk.agent.frames == [reply]
    assert talk.owner.asked == []


@pytest.mark.parametrize("method", ["resources/read", "prompts/get", "completion/complete"])
def test_other_requests_that_are_judged_are_opened_as_what_they_are(talk, method):
    line = talk.agent_says(id=1, method=method, params={"uri": "a:b", "_meta": {}})
    message = talk.owner.answer(permit="S1-001")
    assert (message["kind"], message["args"]) == (method, {"uri": "a:b"})
    assert talk.server.frames == [line]


@pytest.mark.parametrize("method", ["tasks/get", "tools/Call", "tools/call ", "sampling/createMessage", "x", ""])
def test_a_method_that_nobody_judged_is_refused(talk, method):
    talk.agent_says(id=1, method=method)
    assert talk.agent.only()["error"]["code"] == -32601
    assert talk.server.frames == []


def test_notifications_of_both_sides_go_through(talk):
    line = talk.agent_says(method="notifications/tools/call", params={"name": "echo"})
    assert talk.server.frames == [line]
    line = talk.server_says(method="notifications/message", params={"data": 1})
    assert talk.agent.frames == [line]


def test_what_the_server_asks_goes_through_and_so_does_one_answer(talk):
    asked = talk.server_says(id=1, method="elicitation/create", params={})
    assert talk.agent.frames == [asked]
    answer = talk.agent_says(id=1, result={"action": "accept"})
    talk.agent_says(id=1, result={"action": "accept"})
    talk.agent_says(id=2, result={})
    assert talk.server.frames == [answer]


def test_what_is_no_message_of_the_server_s_is_dropped(talk):
    talk.sent(1)
    for line in (b"banner\n", b"\n", b"[]\n", b'{"jsonrpc":"2.0","id":1}\n', b'{"id":1,"result":{}}\n', b"\xff\n"):
        talk.relay.from_server(line)
    talk.server_says(id=None, method="ping")
    talk.server_says(id=True, method="ping")
    assert talk.agent.frames == []


def test_a_reply_counts_only_for_what_was_sent_under_this_very_id(talk):
    talk.call(1)
    odd: list[object] = [1, True, 1.0, "1", None, [], {}]
    for number in odd:
        talk.server_says(id=number, result={"content": []})
    assert talk.agent.frames == []  # the call is not even opened yet
    talk.owner.answer(permit="S1-001")
    for number in odd[1:]:
        talk.server_says(id=number, result={"content": []})
    assert talk.agent.frames == []
    talk.server_says(id=1, result={"content": []})
    talk.server_says(id=1, result={"content": []})
    assert len(talk.agent.frames) == 1


@pytest.mark.parametrize(
    ("reply", "outcome", "more"),
    [
        ({"result": {"isError": True}}, "error", {"result": {"isError": True}}),
        ({"result": {"isError": 1}}, "ok", {"result": {"isError": 1}}),
        ({"error": {"code": 5, "message": "m"}}, "error", {"error_code": 5, "error_text": "m"}),
        ({"error": {"code": 1.5, "message": 7}}, "error", {"error_text": ""}),
        ({"error": "boom", "result": None}, "error", {"error_text": ""}),
        ({"result": 5}, "error", {"error_text": "answered with a result that is no object"}),
    ],
)
def test_a_close_says_what_came_of_the_call(talk, reply, outcome, more):
    talk.sent(1)
    line = talk.server_says(id=1, **reply)
    assert talk.agent.frames == [line]
    (closed,) = talk.owner.take()
    assert closed.pop("duration_ms") == 0
    assert closed == {"do": "close", "permit": "S1-001", "outcome": outcome, "size": len(line), **more}


def test_a_result_that_cannot_be_told_is_handed_on_and_closed_without_it(talk):
    talk.sent(1)
    line = b'{"jsonrpc":"2.0","id":1,"result":{"n":1e999}}\n'
    talk.relay.from_server(line)
    assert talk.agent.frames == [line]
    assert "result" not in talk.owner.told[0]


# --- what does not ----------------------------------------------------------------------------------------------------


def test_a_refused_call_is_a_tool_error_with_the_reason(talk):
    talk.call(1, _meta=META)
    talk.owner.answer(refused="this server is skipped", aborted=None)
    message = talk.agent.only()
    assert text_of(message) == "this server is skipped"
    assert message["result"]["resultType"] == "complete"
    assert (talk.server.frames, talk.owner.told, talk.relay.waiting) == ([], [], [])


@pytest.mark.parametrize("answer", [{}, {"permit": None}, {"permit": 5}, {"ok": True}, {"refused": None}])
def test_an_answer_that_is_no_permit_is_a_no(talk, answer):
    talk.call(1)
    talk.owner.answer(**answer)
    assert text_of(talk.agent.only())
    assert talk.server.frames == []


def test_an_id_in_use_is_refused_without_answering_under_it(talk):
    talk.sent(1)
    talk.call(1, tool="other")
    talk.agent_says(id=1, method="ping")
    assert {answer["id"] for answer in talk.agent.take()} == {None}
    assert (talk.server.frames, talk.owner.asked) == ([], [])
    talk.server_says(id=1, result={})
    talk.sent(1)  # and free again


def test_arguments_that_cannot_be_said_are_not_sent(talk):
    talk.relay.from_agent(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"n":1e999}}}\n'
    )
    assert "cannot be written down" in text_of(talk.agent.only())
    assert (talk.server.frames, talk.relay.waiting) == ([], [])


def test_too_many_requests_at_once_are_refused(talk):
    for number in range(MOST_REQUESTS):
        talk.agent_says(id=number, method="ping")
    talk.agent_says(id="one more", method="ping")
    talk.call("a call more")
    first, second = talk.agent.take()
    assert first["error"]["message"] == text_of(second) == "too many requests at once"


def test_a_server_that_does_not_read_is_sent_no_more(talk):
    talk.server.backlog = MOST_UNREAD + 1
    talk.call(1)
    talk.agent_says(id=2, method="ping")
    talk.agent_says(method="notifications/x")
    assert [message["id"] for message in talk.agent.take()] == [1, 2]
    assert (talk.server.frames, talk.owner.asked) == ([], [])


def test_blank_lines_are_nothing_and_long_ones_are_answered(talk):
    talk.relay.from_agent(b"\r\n")
    assert talk.agent.frames == []
    talk.relay.from_agent(Oversized(10))
    assert talk.agent.only()["error"]["code"] == -32600


# --- time -------------------------------------------------------------------------------------------------------------


def test_a_call_that_is_not_answered_in_time_is_called_off(talk):
    talk.call(1)
    talk.owner.answer(permit="S1-001", timeout=5)
    talk.server.take()
    talk.time.pass_by(4.99)
    assert talk.agent.frames == []
    talk.time.pass_by(0.02)
    assert talk.server.only()["params"]["requestId"] == 1
    assert text_of(talk.agent.only()) == "no answer within 5 s"
    assert [closed["outcome"] for closed in talk.owner.take()] == ["timeout"]
    talk.call(1)  # its late reply would be taken for this one's
    assert talk.agent.only()["id"] is None
    talk.server_says(id=1, result={})
    assert (talk.agent.frames, talk.owner.told) == ([], [])
    talk.sent(1)


def test_time_stands_still_while_the_server_waits_for_the_agent(talk):
    talk.sent(1)
    talk.time.pass_by(50)
    talk.server_says(id="e", method="elicitation/create")
    talk.time.pass_by(1000)
    talk.agent_says(id="e", result={})
    talk.time.pass_by(9)
    assert [message.get("method") for message in talk.agent.take()] == ["elicitation/create"]
    talk.time.pass_by(2)
    assert text_of(talk.agent.only()) == "no answer within 60 s"
    assert [closed["duration_ms"] for closed in talk.owner.take()] == [60_000]


def test_a_ping_of_the_server_holds_nothing_and_one_that_it_takes_back_holds_no_longer(talk):
    talk.sent(1)
    talk.server_says(id="p", method="ping")
    talk.server_says(id="e", method="elicitation/create")
    talk.server_says(method="notifications/cancelled", params={"requestId": "e"})
    talk.agent_says(id="e", result={})
    assert talk.server.frames == []
    talk.agent.take()
    talk.time.pass_by(61)
    assert text_of(talk.agent.only())


def test_an_owner_who_does_not_answer_is_a_no_and_a_late_permit_is_given_back(talk):
    talk.call(1)
    talk.time.pass_by(61)
    assert "in time" in text_of(talk.agent.only())
    talk.owner.answer(permit="S1-001")
    assert talk.server.frames == []
    assert [(closed["permit"], closed["outcome"]) for closed in talk.owner.take()] == [("S1-001", "cancelled")]


# --- cancellation -----------------------------------------------------------------------------------------------------


def test_a_call_that_the_agent_cancels_is_closed_and_its_reply_dropped(talk):
    talk.sent(1)
    line = talk.agent_says(method="notifications/cancelled", params={"requestId": 1, "reason": "why not"})
    assert talk.server.frames == [line]
    assert [closed["outcome"] for closed in talk.owner.take()] == ["cancelled"]
    talk.server_says(id=1, result={})
    talk.time.pass_by(100)
    assert (talk.agent.frames, talk.owner.told) == ([], [])


def test_a_call_that_is_cancelled_before_it_is_permitted_is_never_sent(talk):
    talk.call(1)
    talk.agent_says(method="notifications/cancelled", params={"requestId": 1})
    talk.owner.answer(permit="S1-001")
    assert talk.server.frames == []
    assert [closed["outcome"] for closed in talk.owner.take()] == ["cancelled"]


@pytest.mark.parametrize("number", [2, "1", True, None, [], {}])
def test_only_what_waits_can_be_cancelled(talk, number):
    talk.sent(1)
    talk.agent_says(method="notifications/cancelled", params={"requestId": number})
    assert (talk.server.frames, talk.owner.told) == ([], [])


# --- replies that cannot be used --------------------------------------------------------------------------------------


def test_a_reply_that_is_no_json_ends_its_call(talk):
    talk.sent(1)
    talk.sent(2, permit="S1-002")
    talk.relay.from_server(b'{"jsonrpc":"2.0","id":2,"result":{"content":NaN}}\n')
    message = talk.agent.only()
    assert (message["id"], text_of(message)) == (2, "answered with a reply that cannot be parsed as JSON")
    assert [(closed["permit"], closed["outcome"]) for closed in talk.owner.take()] == [("S1-002", "error")]


def test_a_reply_that_is_too_long_is_that_of_whoever_waits_alone(talk):
    talk.sent(1)
    talk.agent_says(id=2, method="ping")
    talk.relay.from_server(Oversized(10))
    assert talk.agent.frames == []
    talk.server_says(id=2, result={})
    talk.agent.take()
    talk.relay.from_server(Oversized(10))
    assert "larger than 10 bytes" in text_of(talk.agent.only())
    talk.agent_says(id=3, method="ping")
    talk.relay.from_server(Oversized(10))
    assert talk.agent.only()["error"]["code"] == -32603


# --- the tools, before a call -----------------------------------------------------------------------------------------


def test_the_tools_are_listed_before_the_first_call_and_the_agent_does_not_see_it():
    talk = Conversation(listed=False)
    line = talk.call(1)
    listing = talk.server.only()
    assert (listing["method"], talk.owner.asked) == ("tools/list", [])
    talk.call(2)
    assert talk.server.frames == []
    talk.server_says(id=listing["id"], result={"tools": [{"name": "echo"}]})
    assert talk.owner.take() == [{"do": "observe", "tools": [{"name": "echo"}]}]
    assert [message["args"] for message, _ in talk.owner.asked] == [{}, {}]
    talk.owner.answer(permit="S1-001")
    assert talk.server.frames == [line]
    assert talk.agent.frames == []


def test_they_are_listed_again_after_a_change_that_the_server_tells(talk):
    line = talk.server_says(method="notifications/tools/list_changed")
    assert talk.agent.frames == [line]
    talk.call(1)
    listing = talk.server.only()
    talk.server_says(method="notifications/tools/list_changed")
    talk.server_says(id=listing["id"], result={"tools": []})
    talk.owner.answer(refused="no such tool any more")
    talk.call(2)
    assert talk.server.only()["id"] != listing["id"]


def test_they_are_listed_when_the_owner_wants_them_and_then_opened_once_more(talk):
    line = talk.call(1)
    talk.owner.answer(refused="no list yet", aborted=None, list=True)
    talk.server_says(id=talk.server.only()["id"], result={"tools": []})
    assert [message["do"] for message in talk.owner.take()] == ["observe"]
    talk.owner.answer(permit="S1-001")
    assert talk.server.frames == [line]


def test_an_owner_who_is_never_content_is_a_no(talk):
    talk.call(1)
    talk.owner.answer(refused="no list yet", list=True)
    talk.server_says(id=talk.server.only()["id"], result={"tools": []})
    talk.owner.answer(refused="no list yet", list=True)
    assert text_of(talk.agent.only()) == "no list yet"


def test_a_stateless_call_is_preceded_by_a_stateless_list():
    talk = Conversation(listed=False)
    talk.call(1, _meta={**META, "claudecode/toolUseId": "x"})
    assert talk.server.only()["params"] == {"_meta": META}


def test_an_id_of_our_own_is_never_the_agent_s(talk):
    talk.server_says(method="notifications/tools/list_changed")
    talk.call(1)
    ours = talk.server.only()["id"]
    talk.agent.take()
    talk.agent_says(id=ours, method="ping")
    assert talk.agent.only()["id"] is None
    talk.agent_says(method="notifications/cancelled", params={"requestId": ours})
    assert talk.server.frames == []


# --- rounds -----------------------------------------------------------------------------------------------------------

ASKS = {"resultType": "input_required", "inputRequests": {"a": {}}, "requestState": "s"}
GOES_ON = {"_meta": META, "inputResponses": {"a": {}}, "requestState": "s"}


def test_a_retry_is_judged_again_and_is_the_same_call(talk):
    talk.sent(1, _meta=META)
    talk.time.pass_by(1)
    talk.server_says(id=1, result=ASKS)
    assert talk.owner.told == []
    talk.time.pass_by(3600)
    line = talk.call(2, **GOES_ON)
    assert talk.owner.answer(permit="S1-001", timeout=60)["again"] == "S1-001"
    assert talk.server.frames == [line]
    talk.time.pass_by(1)
    talk.server_says(id=2, result={"resultType": "complete"})
    (closed,) = talk.owner.take()
    assert (closed["permit"], closed["outcome"], closed["duration_ms"]) == ("S1-001", "ok", 2000)


def test_a_retry_that_is_refused_gives_the_permit_back(talk):
    talk.sent(1, _meta=META)
    talk.server_says(id=1, result=ASKS)
    talk.agent.take()
    talk.call(2, **GOES_ON)
    talk.owner.answer(refused="no", aborted=None)
    assert text_of(talk.agent.only()) == "no"
    assert [(closed["permit"], closed["outcome"]) for closed in talk.owner.take()] == [("S1-001", "cancelled")]


@pytest.mark.parametrize("change", [{"arguments": {"n": 1}}, {"requestState": "t"}, {"name": "other"}])
def test_a_retry_that_is_not_the_same_is_a_call_of_its_own(talk, change):
    talk.sent(1, _meta=META)
    talk.server_says(id=1, result=ASKS)
    talk.call(2, **{**GOES_ON, **change})
    assert "again" not in talk.owner.answer(refused="no")


def test_a_retry_goes_on_with_a_call_only_once(talk):
    talk.sent(1, _meta=META)
    talk.server_says(id=1, result=ASKS)
    talk.call(2, **GOES_ON)
    talk.call(3, **GOES_ON)
    assert ["again" in message for message, _ in talk.owner.asked] == [True, False]


# --- what ends --------------------------------------------------------------------------------------------------------


def test_when_the_server_is_lost_everyone_who_waits_is_told(talk):
    talk.sent(1)
    talk.agent_says(id=2, method="ping")
    talk.relay.server_lost("the server exited with status 3")
    talk.relay.server_lost("again")
    call, ping = talk.agent.take()
    assert text_of(call) == ping["error"]["message"] == "the server exited with status 3"
    assert [closed["outcome"] for closed in talk.owner.take()] == ["lost"]


def test_a_call_of_a_lost_server_gets_its_line_and_is_lost(talk):
    talk.relay.server_lost("the server exited with status 3")
    talk.call(1)
    talk.owner.answer(permit="S1-001")
    assert text_of(talk.agent.only()) == "the server exited with status 3"
    assert [closed["outcome"] for closed in talk.owner.take()] == ["lost"]
    talk.agent_says(id=2, method="tools/list")
    assert talk.agent.only()["error"]["message"] == "the server exited with status 3"
    assert talk.server.frames == []


def test_a_server_that_is_lost_while_it_is_listed_offers_nothing():
    talk = Conversation(listed=False)
    talk.call(1)
    talk.server.take()
    talk.relay.server_lost("the server exited with status 3")
    assert talk.owner.take() == [{"do": "observe", "tools": []}]
    talk.owner.answer(refused="it offers no such tool")
    assert text_of(talk.agent.only()) == "it offers no such tool"


def test_when_the_owner_is_lost_no_call_is_sent_any_more_and_what_was_sent_is_answered(talk):
    talk.sent(1)
    talk.call(2)
    talk.owner.lost = "the owner has ended"
    talk.owner.asked.clear()
    talk.relay.owner_lost()
    talk.call(3)
    talk.agent_says(id=4, method="resources/read", params={"uri": "a:b"})
    second, third, fourth = talk.agent.take()
    assert text_of(second) == text_of(third) == fourth["error"]["message"] == "the owner has ended"
    line = talk.server_says(id=1, result={})
    assert talk.agent.frames == [line]
    listing = talk.agent_says(id=5, method="tools/list")
    assert talk.server.frames == [listing]
    assert (talk.owner.asked, talk.owner.told) == ([], [])


def test_frames_are_not_written_anew(talk):
    odd = b'{ "params" : {"arguments":{"n":1.50},"name":"\\u00e9"},"method":"tools/call", "id":1,"jsonrpc":"2.0"}\r\n'
    talk.relay.from_agent(odd)
    talk.owner.answer(permit="S1-001")
    assert talk.server.frames == [odd]
    reply = b'{"result":{"n":1E400000,"x":0.10 },\t"id": 1,"jsonrpc":"2.0"}\r\n'
    talk.relay.from_server(reply)
    assert talk.agent.frames == [reply]
    assert math.isinf(json.loads(reply)["result"]["n"])
    assert encode({"a": 1}) == b'{"a":1}\n'


# --- calls as tasks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meta", [{}, META])
@pytest.mark.parametrize("result", [{"resultType": "task", "taskId": "7"}, {"task": {"taskId": "7"}}])
def test_a_task_that_a_server_makes_of_a_call_is_told_as_a_call_whose_effect_is_unknown(talk, meta, result):
    talk.sent(1, _meta=meta)
    talk.server_says(id=1, result=result)
    told = talk.agent.only()
    assert "as a task" in text_of(told)
    assert ("resultType" in told["result"]) == bool(meta)
    assert talk.owner.take()[0]["outcome"] == "lost"
    talk.sent(1)  # its id may be used again


def test_a_call_that_is_asked_for_as_a_task_is_not_opened(talk):
    talk.call(1, task={"ttl": 1000})
    assert "without a task" in text_of(talk.agent.only())
    assert (talk.owner.asked, talk.server.frames) == ([], [])


# --- another owner, another server ------------------------------------------------------------------------------------


def test_an_owner_is_looked_for_at_each_request_while_there_is_none_and_only_then():
    sought = []
    talk = Conversation(listed=False, seek=lambda: sought.append(1))
    talk.agent_says(id="l", method="ping")
    assert sought == []
    talk.owner.lost = "gone"
    talk.agent_says(id="m", method="ping")
    talk.agent_says(method="notifications/initialized")
    assert "gone" in text_of_call(talk, "n")
    assert len(sought) == 2


def text_of_call(talk, number):
    talk.agent.take()
    talk.call(number)
    return text_of(talk.agent.only())


def test_another_owner_hears_nothing_of_what_the_first_permitted(talk):
    talk.sent(1)
    talk.sent(2)
    talk.server_says(id=2, result={"resultType": "input_required", "requestState": "s"})
    second = Asked()
    talk.relay.change(second)
    talk.server_says(id=1, result={"content": []})
    assert [each["id"] for each in talk.agent.take()] == [2, 1]
    assert second.told == talk.owner.told == []
    talk.owner = second
    talk.call(3, inputResponses={}, requestState="s")
    assert [each["method"] for each in talk.server.take()] == ["tools/list"]  # which it has not seen


def test_a_round_that_was_another_owner_s_is_not_gone_on_with(talk):
    talk.sent(1)
    second = Asked()
    talk.relay.change(second)
    talk.server_says(id=1, result={"resultType": "input_required", "requestState": "s"})
    talk.agent_says(id="l", method="tools/list")
    talk.server_says(id="l", result={"tools": []})
    talk.call(2, inputResponses={}, requestState="s")
    assert "again" not in second.asked[0][0]


def test_another_server_gets_what_waits_only_after_it_was_greeted(talk):
    talk.agent_says(id="h", method="initialize", params={"protocolVersion": "x", "clientInfo": 1})
    talk.server_says(id="h", result={"protocolVersion": "2025-11-25"})
    talk.sent(1)
    talk.agent.take()
    other, second = End(), Asked()
    talk.relay.change(second, other)
    assert text_of(talk.agent.only()) == "the server was started anew"
    hello = other.only()
    assert hello["params"] == {"protocolVersion": "2025-11-25", "clientInfo": 1}
    line = talk.agent_says(id=2, method="ping")
    assert other.frames == []
    talk.server_says(id=hello["id"], result={"protocolVersion": "2025-11-25"})
    assert other.frames.pop() == line
    assert talk.agent.only()["method"] == "notifications/tools/list_changed"
    talk.server_says(id=hello["id"], result={})  # once is enough
    assert talk.agent.frames == []


@pytest.mark.parametrize("fate", ["late", "lost", "unanswered"])
def test_what_waits_for_a_server_that_never_greets_is_never_sent(talk, fate):
    talk.agent_says(id="h", method="initialize", params={"protocolVersion": "x"})
    talk.server_says(id="h", result={"protocolVersion": "2025-11-25"})
    other = End()
    talk.relay.change(Asked(), other)
    hello = other.only()
    talk.agent.take()
    talk.agent_says(id=2, method="ping")
    if fate == "late":
        talk.time.pass_by(61)
    elif fate == "lost":
        talk.relay.server_lost("it died")
    else:
        talk.relay.from_server(Unanswered(hello["id"], "lost", "it is not there"))
    assert "error" in talk.agent.only()
    talk.server_says(id=hello["id"], result={"protocolVersion": "2025-11-25"})
    assert (other.frames, talk.agent.frames) == ([], [])


# --- what stands for a reply ------------------------------------------------------------------------------------------


def test_a_request_that_will_not_be_answered_is_told_so_and_its_call_closed(talk):
    talk.sent(1)
    talk.agent_says(id=2, method="ping")
    for number in (1, 2, 3):
        talk.relay.from_server(Unanswered(number, "error", "the server said no"))
    call, ping = talk.agent.take()
    assert (text_of(call), ping["error"]["message"]) == ("the server said no", "the server said no")
    assert [(each["outcome"], each["error_text"]) for each in talk.owner.take()] == [("error", "the server said no")]
    talk.sent(1)


def test_a_list_that_will_not_be_answered_is_an_empty_one():
    talk = Conversation(listed=False)
    talk.call(1)
    talk.relay.from_server(Unanswered("mcp-assay-0", "lost", "no"))
    hidden = talk.server.only()
    talk.relay.from_server(Unanswered(hidden["id"], "lost", "no"))
    assert talk.owner.take() == [{"do": "observe", "tools": []}]
    assert len(talk.owner.asked) == 1

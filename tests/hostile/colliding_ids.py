"""Answers with ids that are almost the right one, asks under the id of the call, and answers twice."""

from typing import Any

from peer import Message, send, serve


def call(asked: Message) -> None:
    number = asked["id"]
    wrong: dict[str, Any] = {"content": [{"type": "text", "text": "wrong"}], "isError": True}
    for other in (number - 1, number + 1, str(number), float(number), None, True, 0, [number]):
        send(id=other, result=wrong)
    send(id=number, method="sampling/createMessage", params={})
    send(id=number, method="ping")
    send(id=number, result={"content": [{"type": "text", "text": "right"}]})
    send(id=number, result=wrong)


serve(call)

"""Gives a page of its tools every fifth of a second, without end."""

import time
from itertools import count

from peer import LOOK, Message, reply, serve

pages = count()


def tools(asked: Message) -> None:
    time.sleep(0.2)
    reply(asked, tools=[LOOK], nextCursor=f"page-{next(pages)}")


serve(tools=tools)

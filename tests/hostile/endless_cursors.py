"""Gives a new cursor, and a new tool, with every page of its tools."""

from itertools import count

from peer import LOOK, Message, reply, serve

pages = count()


def tools(asked: Message) -> None:
    page = next(pages)
    reply(asked, tools=[LOOK, {"name": f"get_page_{page}"}], nextCursor=f"page-{page}")


serve(tools=tools)

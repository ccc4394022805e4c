"""Gives the same cursor with every page of its tools."""

from peer import LOOK, reply, serve

serve(tools=lambda asked: reply(asked, tools=[LOOK], nextCursor="again"))

"""Answers a call with a million values, each of its own."""

from peer import reply, serve

serve(lambda asked: reply(asked, content=[], structuredContent={"rows": list(range(1_000_000))}))

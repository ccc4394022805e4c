"""Answers a call with 10 MiB of text."""

from peer import serve, text

serve(lambda asked: text(asked, "word " * (2 << 20)))

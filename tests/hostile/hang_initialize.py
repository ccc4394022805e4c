"""Reads, and never answers anything."""

from peer import serve

serve(initialize=lambda _: None)

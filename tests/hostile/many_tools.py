"""Offers 100,000 tools on one page."""

from peer import LOOK, listed, serve

serve(tools=listed(LOOK, *({"name": f"get_number_{number}", "description": "n"} for number in range(100_000))))

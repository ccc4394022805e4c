"""Offers tools whose names are a mebibyte long, and one that is short."""

from peer import LOOK, listed, serve

serve(tools=listed(LOOK, *({"name": f"get_{'x' * (1 << 20)}_{number}"} for number in range(15))))

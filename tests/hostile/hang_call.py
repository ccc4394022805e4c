"""Never answers a call."""

from peer import serve

serve(call=lambda _: None)

from typing import Any

from critic_lines import evidence, line, refused
from mcp_assay.critic.rules.listings import listings, pages

CURSOR = {"type": "string", "digest": "c", "source": "none"}


def page(ident: str, *, first: bool = False, tool: str = "list_issues", items: int | None = 20) -> dict[str, Any]:
    return line(ident, tool, args={} if first else {"cursor": CURSOR}, result={"items": items})


def test_pages_of_one_list_belong_together() -> None:
    entries = [
        page("S1-001", first=True),
        page("S1-002", first=True, tool="list_labels"),
        page("S1-003"),
        refused("S1-004", "list_issues"),
        page("S1-005", first=True),
        page("S1-006", items=None),
        page("S2-001"),
    ]
    seen = evidence(*entries)
    assert [[call.id for call in each] for each in listings(seen)] == [
        ["S1-001", "S1-003"],
        ["S1-005"],
        ["S1-002"],
        ["S2-001"],
    ]
    assert [call.id for call in pages(seen, seen.calls[2])] == ["S1-001", "S1-003"]
    assert [call.id for call in pages(seen, seen.calls[3])] == ["S1-004"]

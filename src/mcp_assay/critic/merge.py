"""One cause, one finding: what two rules found for the same reason is told once."""

from collections.abc import Iterable
from dataclasses import replace

from mcp_assay.critic.rules import Draft

__all__ = ["merged"]


def merged(drafts: Iterable[Draft]) -> list[Draft]:
    """Drafts in the order of their weight, without those of which an earlier one speaks already.

    That is where all causes of the lighter one are among those of the weightier, which then cites the evidence of both.
    Where the lighter one has a cause of its own, both stay: the weightier one's words would not be true of it.
    """
    kept: list[Draft] = []
    for draft in drafts:
        place = next((place for place, other in enumerate(kept) if _covers(other, draft)), None)
        if place is None:
            kept.append(draft)
        else:
            evidence = tuple(dict.fromkeys((*kept[place].evidence_ids, *draft.evidence_ids)))
            kept[place] = replace(kept[place], evidence_ids=evidence)
    return kept


def _covers(draft: Draft, other: Draft) -> bool:
    """A draft that names no cause is the same as no other."""
    return bool(other.causes) and other.causes <= draft.causes

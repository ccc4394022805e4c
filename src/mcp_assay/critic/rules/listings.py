"""Lists that were read page by page."""

from collections.abc import Iterator

from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import grouped

__all__ = ["is_further", "listings", "pages"]


def listings(evidence: Evidence) -> Iterator[list[Call]]:
    """The pages of each list that was read, in order, within one scenario; one page is a list too."""
    series = grouped(((call.scenario, call.server, call.tool), call) for call in evidence.mcp_calls if _is_list(call))
    for calls in series.values():
        listing: list[Call] = []
        for call in calls:
            if listing and not is_further(call):
                yield listing
                listing = []
            listing.append(call)
        if listing:
            yield listing


def pages(evidence: Evidence, some: Call) -> list[Call]:
    """All pages of the list that this call is a page of; the call alone if it is none."""
    return next((listing for listing in listings(evidence) if some in listing), [some])


def is_further(call: Call) -> bool:
    """Whether it goes on from somewhere."""
    return any(names.is_position(argument.path) for argument in call.args)


def _is_list(call: Call) -> bool:
    return call.served and call.is_read and call.result.items is not None

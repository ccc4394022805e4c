"""A user's marks on tools that no rule can tell, and which of them still stand.

A mark as a read lets a tool be called, so it is given for what the tool says, and is void once it says something else.
It is therefore bound to the tool's digest, as consent to start a server is bound to that server's. A mark as mutating
only takes away: it stands whatever becomes of the tool.
"""

from dataclasses import replace

from mcp_assay.core.model import Manifest, Safety, Tool, Verdict

__all__ = ["UNPINNED", "marked", "stands", "void", "without"]

UNPINNED = "unpinned"
"""Written instead of a digest: the mark is to stand whatever the tool says."""


def marked(safety: Safety, tool: Tool, verdict: Verdict) -> Safety:
    """The disposition with a mark on that tool, as it is now."""
    marks, pins = {**safety.marks, tool.name: verdict}, {**safety.pins, tool.name: tool.digest}
    return replace(safety, marks=marks, pins=pins)


def stands(safety: Safety, tool: Tool) -> bool:
    """Whether the tool has a mark that was given for what it is."""
    if safety.marks.get(tool.name) is Verdict.READ:
        return safety.pins.get(tool.name) in (tool.digest, UNPINNED)
    return tool.name in safety.marks


def void(safety: Safety, manifest: Manifest) -> tuple[str, ...]:
    """The names of tools that the server offers and whose marks were given for another form of them."""
    return tuple(tool.name for tool in manifest.tools if tool.name in safety.pins and not stands(safety, tool))


def without(safety: Safety, names: tuple[str, ...]) -> Safety:
    """The disposition without the marks on these tools."""
    marks = {tool: mark for tool, mark in safety.marks.items() if tool not in names}
    return replace(safety, marks=marks, pins={tool: pin for tool, pin in safety.pins.items() if tool in marks})

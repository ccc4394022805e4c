"""What a run saw of each server, counted from the transcript: nothing seen is not well behaved."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core import naming
from mcp_assay.core.citations import NEUTRAL_TOOLS, extra, server_of
from mcp_assay.core.model import Outcome
from mcp_assay.core.safety import READ_METHOD

__all__ = ["Coverage", "measure"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """One server's share of the transcript.

    ``offered`` and ``called`` are tools, each once; ``calls`` were sent, ``completed`` of them were answered,
    ``errors`` of those with an error; ``blocked`` were refused before they were sent. ``not_drivable`` are tools for
    which no call could be made up.
    """

    server: str
    offered: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    calls: int = 0
    completed: int = 0
    errors: int = 0
    blocked: int = 0
    not_drivable: tuple[str, ...] = ()


def measure(entries: Iterable[Mapping[str, Any]], attached: Sequence[Mapping[str, Any]]) -> tuple[Coverage, ...]:
    """The coverage of each attached server, in their order. ``entries`` are parsed transcript lines."""
    names = [str(server["name"]) for server in attached]
    lines: dict[str, list[Mapping[str, Any]]] = {name: [] for name in names}
    for entry in entries:
        server = server_of(entry, names)
        if server is not None:
            lines[server].append(entry)
    return tuple(_one(server, lines[name], names) for name, server in zip(names, attached, strict=True))


def _one(server: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Coverage:
    sent = [entry for entry in lines if str(entry.get("tool")) not in NEUTRAL_TOOLS]
    answered = [entry for entry in sent if _outcome(entry) in (Outcome.OK, Outcome.ERROR)]
    return Coverage(
        server=str(server["name"]),
        offered=tuple(map(str, server.get("tools") or ())),
        called=tuple(dict.fromkeys(_tool(entry, names) for entry in sent if extra(entry).get("rule") != READ_METHOD)),
        calls=len(sent),
        completed=len(answered),
        errors=sum(_outcome(entry) == Outcome.ERROR for entry in answered),
        blocked=sum(entry.get("tool") == "__blocked__" for entry in lines),
        not_drivable=tuple(map(str, extra(server).get("not_drivable") or ())),
    )


def _outcome(entry: Mapping[str, Any]) -> str | None:
    """How a call ended. A line from elsewhere says it by its ``result_shape`` alone, and null is a call cut short."""
    recorded = extra(entry).get("outcome")
    if recorded is not None:
        return str(recorded)
    shape = entry.get("result_shape")
    if not isinstance(shape, str):
        return None
    return Outcome.ERROR if shape.startswith("error:") else Outcome.OK


def _tool(entry: Mapping[str, Any], names: Sequence[str]) -> str:
    recorded = extra(entry).get("tool")
    if isinstance(recorded, str):
        return recorded
    label = str(entry.get("tool"))
    found = naming.split(label, names)
    return label if found is None else found[1]

"""What is shown before a question: servers, their tools, scenarios. Every foreign word is inert in what comes out."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from mcp_assay.core import inert, redact
from mcp_assay.core.classify import Classified, hints
from mcp_assay.core.model import Manifest, Scenario, ServerConfig, Tool
from mcp_assay.core.phrases import listed
from mcp_assay.core.signs import Sign, Signs

__all__ = [
    "Doubt",
    "doubt_lines",
    "doubts_table",
    "facts",
    "first_sentence",
    "scenario_lines",
    "server_lines",
    "tool_lines",
]

_MOST_TOOLS = 12
_NAME = 60
_COMMAND = 4000  # whoever agrees to run it must see all of it; a longer one ends with "…"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_READ_AT_MOST = 2000


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tool of a server that no rule could tell, and what was found on the way."""

    server: str
    tool: Tool
    found: Classified
    signs: Signs


def facts(server: ServerConfig) -> list[tuple[str, str]]:
    """What there is to know before a server is started, as (label, text): the texts are not inert yet.

    Values of variables and headers never appear, nor what looks like a secret in a command or a URL.
    """
    place = server.source if server.line is None else f"{server.source}:{server.line}"
    runs = ("contacts", redact.url(server.url)) if server.url is not None else ("runs", _argv(server))
    said = [
        ("from", place),
        runs,
        ("in", server.cwd or ""),
        # Its output would become headers: it is run, so it is shown.
        ("helper", " ".join(redact.argv(server.headers_helper, ()))),
        ("sets", ", ".join(server.env)),
        ("headers", ", ".join(server.headers)),
        ("note", server.host_note or ""),
    ]
    return [(label, text) for label, text in said if text]


def server_lines(server: ServerConfig) -> list[str]:
    """A server's name and its facts, in markup."""
    lines = [f"  {label:<9} {inert.terminal(text, _COMMAND)}" for label, text in facts(server)]
    return [f"[bold]{inert.terminal(server.name, _NAME)}[/bold]", *lines]


def tool_lines(manifest: Manifest) -> list[str]:
    """What a server offers, why it could not be listed, and which of it seems to mutate; in markup."""
    lines = []
    if manifest.limitation:
        lines.append(f"  {'tools':<9} could not be listed: {inert.terminal(manifest.limitation, 400)}")
    if manifest.tools or not manifest.limitation:
        lines.append(f"  {'tools':<9} {_names(tool.name for tool in manifest.tools) or 'none'}")
    risky = hints(manifest.tools)
    if risky:
        # "Surface these as a hint to the user"
        hint = "this MCP appears to expose mutating tools — you likely want sandboxed or skip"
        lines.append(f"  [yellow]{'hint':<9}[/yellow] {hint}: {_names(risky)}")
    return lines


def doubts_table(doubts: Sequence[Doubt]) -> Table:
    """Undetermined tools, one row each: what the tool says it does, and what speaks for and against a read."""
    table = Table(show_lines=True)
    for title in ("server", "tool", "it says, and what speaks for and against a read"):
        table.add_column(title, overflow="fold")
    for doubt in doubts:
        names = (inert.terminal(doubt.server, _NAME), inert.terminal(doubt.tool.name, 100))
        table.add_row(*names, "\n".join(_evidence(doubt)))
    return table


def doubt_lines(doubt: Doubt) -> list[str]:
    """One undetermined tool by itself, in markup."""
    name = f"{inert.terminal(doubt.server, _NAME)}: [bold]{inert.terminal(doubt.tool.name, 100)}[/bold]"
    return [name, *(f"  {line}" for line in _evidence(doubt))]


def _evidence(doubt: Doubt) -> Iterator[str]:
    """What it says, then the rule that was reached if it says more than that there is none, then the signs."""
    yield inert.terminal(first_sentence(doubt.tool.description) or "it says nothing about itself", 200)
    if doubt.found.words:
        yield f"undecided: {inert.terminal(f'{doubt.found.rule} ({listed(doubt.found.words)})', 160)}"
    for label, style, seen in (("for", "green", doubt.signs.read), ("against", "yellow", doubt.signs.mutating)):
        if seen:
            yield f"[{style}]{label}:[/{style}] {inert.terminal(_joined(seen), 400)}"


def _joined(seen: Iterable[Sign]) -> str:
    return "; ".join(map(str, seen))


def first_sentence(description: str) -> str:
    """The first sentence of a description, on one line; not inert yet."""
    return " ".join(_SENTENCE_END.split(description[:_READ_AT_MOST].strip(), maxsplit=1)[0].split())


def scenario_lines(scenarios: Iterable[Scenario], weak: Mapping[str, str]) -> list[str]:
    """The list at the approval gate; ``weak`` maps the description of a derived scenario to why its signal is weak."""
    lines = []
    for scenario in scenarios:
        targets = f"  → {_names(scenario.targets_mcps)}" if scenario.targets_mcps else ""
        described = inert.terminal(scenario.description, 400)
        lines.append(f"  [bold]{scenario.id:<3}[/bold] {scenario.source:<8} {described}{targets}")
        if scenario.source == "derived" and scenario.description in weak:
            why = inert.terminal(weak[scenario.description], 300)
            lines.append(f"      [yellow]weak signal[/yellow]  {why}")
    return lines


def _argv(server: ServerConfig) -> str:
    return " ".join(redact.argv(server.command, server.args))


def _names(names: Iterable[str]) -> str:
    return listed([inert.terminal(name, _NAME) for name in names], _MOST_TOOLS)

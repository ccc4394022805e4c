"""Consent to start servers: nothing of theirs runs, and nothing is contacted, before a person has seen what would."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcp_assay.cli.ask import Ask
from mcp_assay.cli.naming_servers import COMMAND_LINE
from mcp_assay.cli.showing import server_lines
from mcp_assay.core import inert
from mcp_assay.core.model import Disposition, Safety, ServerConfig
from mcp_assay.core.phrases import counted
from mcp_assay.core.plan import Plan

__all__ = ["consent", "pinned"]

_REFUSED = "The user chose not to start it."
_ALL_OR_SOME = {
    "all": "start every one of them",
    "choose": "ask for each",
    "none": "start nothing; each of them is treated as skip",
}


async def consent(ask: Ask, plan: Plan, servers: Sequence[ServerConfig], *, trusted: bool = False) -> Plan:
    """Ask which servers may be started. Those that may are pinned by their digest, the others are skipped.

    ``trusted`` makes the plan's ``connect: all`` count, as ``--trust-config`` does.
    """
    open_ones = [server for server in servers if not _is_settled(plan, server, trusted=trusted)]
    if not open_ones:
        return plan
    # Return was perhaps hit once too often; what starts programs is answered after it was read.
    ask.forget()
    ask.say(f"Starting {counted(len(open_ones), 'MCP server')} runs what is shown here, with your rights:")
    for server in open_ones:
        ask.say()
        for line in server_lines(server):
            ask.say(line)
        if _is_changed(plan, server):
            ask.warn("it is not what the plan has pinned")
    ask.say()
    answer = await _at_once(ask, open_ones)
    for server in open_ones:
        may_start = answer == "all"
        if answer == "choose":
            may_start = await ask.agrees(f"Start {inert.terminal(server.name, 60)}?")
        plan = ask.keep(pinned(plan, server) if may_start else _skipped(plan, server))
    return plan


def pinned(plan: Plan, server: ServerConfig) -> Plan:
    """The plan with consent to start this server as it is now."""
    if server.source == COMMAND_LINE:
        return plan
    pins = plan.connect if isinstance(plan.connect, Mapping) else {}
    return replace(plan, connect={**pins, server.name: server.digest})


async def _at_once(ask: Ask, servers: Sequence[ServerConfig]) -> str:
    """``all`` or ``none`` of them; or ``choose``, which a single server is spared."""
    if len(servers) == 1:
        return "choose"
    ask.say(f"Start these {len(servers)} servers?")
    return await ask.word(_ALL_OR_SOME)


def _is_settled(plan: Plan, server: ServerConfig, *, trusted: bool) -> bool:
    if server.source == COMMAND_LINE or plan.skips(server.name):
        return True
    if isinstance(plan.connect, Mapping):
        return plan.connect.get(server.name) == server.digest
    return plan.connect == "all" and trusted


def _is_changed(plan: Plan, server: ServerConfig) -> bool:
    return isinstance(plan.connect, Mapping) and server.name in plan.connect


def _skipped(plan: Plan, server: ServerConfig) -> Plan:
    return replace(
        plan,
        dispositions={**plan.dispositions, server.name: Safety(Disposition.SKIP, notes=_REFUSED, match=plan.match)},
    )

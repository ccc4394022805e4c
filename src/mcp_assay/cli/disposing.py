"""The safety interview: one MCP at a time, its disposition, and the test resources of one that is sandboxed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_assay.cli.ask import Ask
from mcp_assay.cli.consenting import pinned
from mcp_assay.cli.naming_servers import COMMAND_LINE
from mcp_assay.cli.showing import server_lines, tool_lines
from mcp_assay.core import inert, sandbox
from mcp_assay.core.classify import classify
from mcp_assay.core.model import Disposition, Manifest, Match, Safety, Scenario, ServerConfig, Verdict
from mcp_assay.core.phrases import counted, listed
from mcp_assay.core.plan import Plan

__all__ = ["Known", "dispose", "unskip"]

_NAME = 60
_DISPOSITIONS = {
    Disposition.READ_ONLY: "I will only invoke tools that do not mutate state. "
    "If a scenario seems to require mutation, the scenario aborts.",
    Disposition.SANDBOXED: "I may exercise mutating tools, but only against test resources you specify.",
    Disposition.SKIP: "I will not call this MCP at all. Its scenarios will abort with safety_abort.",
}
_RESOURCES = (
    "Which test resources are approved? List them by identifier "
    "(e.g., repo: eval-playground, bucket: test-sandbox, path: /tmp/mcp-eval)."
)
_HOW_TO_LIST = "One a line or separated by commas, in the exact form that the tools expect; an empty line ends."
_DROP_OR_CHANGE = {"drop": "the scenario is not run", "change": "give the MCP another disposition"}


@dataclass(frozen=True, slots=True)
class Known:
    """What was told of the servers so far, by name: how they would be started, and what they offer."""

    servers: Mapping[str, ServerConfig]
    manifests: Mapping[str, Manifest]


async def dispose(ask: Ask, plan: Plan, servers: Sequence[ServerConfig], manifests: Mapping[str, Manifest]) -> Plan:
    """Ask for the disposition of each server that has none yet."""
    # "Do not proceed until every attached MCP has a disposition."
    open_ones = [server for server in servers if server.name not in plan.dispositions]
    for place, server in enumerate(open_ones, start=1):
        ask.say()
        name, *known = server_lines(server)
        ask.say(f"{name}  (MCP {place} of {len(open_ones)})" if len(open_ones) > 1 else name)
        manifest = manifests.get(server.name, Manifest(server.name, limitation="it was not started"))
        for line in [*known, *tool_lines(manifest)]:
            ask.say(line)
        plan = ask.keep(await _answered(ask, plan, server.name, manifest))
    return plan


async def unskip(ask: Ask, plan: Plan, scenario: Scenario, skipped: Sequence[str], known: Known) -> Plan:
    """A scenario targets servers that are skipped: the plan as it is drops it, a changed one keeps it."""
    names = _names(skipped)
    ask.say()
    ask.warn(f"{scenario.id} “{inert.terminal(scenario.description, 200)}” targets {names}, which is to be skipped.")
    ask.say("Drop the scenario, or change the disposition?")
    for word, meaning in _DROP_OR_CHANGE.items():
        ask.say(f"  [bold]{word}[/bold]: {meaning}")
    answer = (await ask.line("drop / change: ")).strip().lower()
    # "If the user does not answer with one of those two options in their next response, default to dropping the
    # scenario and inform them."
    if answer != "change":
        ask.say(f"  {'Dropped' if answer == 'drop' else 'That is neither drop nor change: it is dropped'}.")
        return plan
    changed = plan
    for name in skipped:
        changed = await _reopened(ask, changed, name, known)
        if changed.skips(name):
            # "Do not proceed with a scenario targeting a skip MCP under any circumstances."
            ask.say("  It stays skipped, so the scenario is dropped.")
            return plan
    return changed


async def _reopened(ask: Ask, plan: Plan, name: str, known: Known) -> Plan:
    """The plan with another disposition for a server that was skipped, and with consent to start it if need be."""
    manifest, server = known.manifests.get(name), known.servers.get(name)
    if server is not None:
        for line in server_lines(server):
            ask.say(line)
    if manifest is not None and manifest.tools:
        for line in tool_lines(manifest):
            ask.say(line)
    elif server is not None and server.source != COMMAND_LINE:
        if not await ask.agrees(f"To list its tools it must be started. Start {inert.terminal(name, _NAME)}?"):
            return plan
        plan = pinned(plan, server)
    return await _answered(ask, plan, name, manifest or Manifest(name))


async def _answered(ask: Ask, plan: Plan, name: str, manifest: Manifest) -> Plan:
    """The plan with the user's answer to the one question that has no default."""
    ask.say(f"For {inert.terminal(name, _NAME)} — should I treat this as read_only, sandboxed, or skip?")
    disposition = Disposition(await ask.word({str(word): meaning for word, meaning in _DISPOSITIONS.items()}))
    safety = Safety(disposition, match=plan.match)
    if disposition is Disposition.SANDBOXED:
        safety = replace(safety, test_resources=await _resources(ask))
    for warning in _consequences(plan, manifest, safety):
        ask.warn(warning)
    return replace(plan, dispositions={**plan.dispositions, name: safety})


async def _resources(ask: Ask) -> tuple[str, ...]:
    """At least one identifier, each as it was typed but for blanks around it."""
    # "Store the identifiers verbatim in test_resources[]."
    ask.say(_RESOURCES)
    ask.say(f"  {_HOW_TO_LIST}")
    found: list[str] = []
    while True:
        parts = await ask.parts("resource: ")
        if not parts and found:
            break
        if not parts:
            ask.say("  At least one is needed: without any, nothing could be changed.")
        found += [name.strip() for part in parts for name in part.split(",") if name.strip()]
    kept = tuple(dict.fromkeys(found))
    ask.say(f"  {counted(len(kept), 'test resource')}:")
    for name in kept:
        ask.say(f"    {inert.terminal(name, 400)}")
    return kept


def _consequences(plan: Plan, manifest: Manifest, safety: Safety) -> Iterator[str]:
    """What the answer means for the tools that are offered, in markup."""
    verdicts = {
        tool.name: classify(tool, manifest.server, plan.rules, manifest.tools).verdict for tool in manifest.tools
    }
    if safety.disposition is Disposition.READ_ONLY:
        refused = [name for name, verdict in verdicts.items() if verdict is Verdict.MUTATING]
        if refused:
            yield f"refused under read_only, since mutating: {_names(refused)}"
    if safety.disposition is not Disposition.SANDBOXED:
        return
    yield "sandboxed restricts the arguments of calls, not what the server's process does with them"
    held = [tool for tool in manifest.tools if verdicts[tool.name] is not Verdict.READ]
    hopeless = [tool.name for tool in held if not sandbox.could_match(tool, safety.test_resources)]
    if hopeless and safety.match is Match.STRICT:
        yield f"no parameter of {_names(hopeless)} can name a test resource: calls of it will always be refused"


def _names(names: Sequence[str]) -> str:
    return listed([inert.terminal(name, _NAME) for name in names])

"""Which scenarios? Typed one a line, taken from a file, or a tour of the tools."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mcp_assay.cli.ask import Ask
from mcp_assay.core import inert
from mcp_assay.core.model import Manifest
from mcp_assay.core.phrases import counted
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import MAX_SCENARIOS, RawScenario, numbered
from mcp_assay.errors import UserError
from mcp_assay.planfile import load_scenarios

__all__ = ["describe"]

_QUESTION = (
    "What scenarios should I exercise? Describe the tasks you want me to try — "
    "I'll attempt each one using the attached MCPs and log every call I make."
)
_EXAMPLES = (
    'Examples: "Find all open issues mentioning X and summarize them." '
    '"Create a new branch, open a PR, request review." "Search the knowledge base for Y and cross-reference with Z."'
)
_HOW = f"1 to {MAX_SCENARIOS}, one a line; an empty line ends. @FILE takes them from a file."
_TYPED = "the scenarios typed in"


async def describe(ask: Ask, plan: Plan, manifests: Mapping[str, Manifest]) -> Plan:
    """Collect scenarios, or the file that holds them, or agreement to a tour. Raises UserError if there is nothing."""
    ask.say()
    ask.say(_QUESTION)
    ask.say(_EXAMPLES)
    ask.say(f"  {_HOW}")
    typed: list[str] = []
    # "Collect 1 to 8 user scenarios."
    while len(typed) < MAX_SCENARIOS:
        parts = await ask.parts(f"S{len(typed) + 1}: ")
        if not parts:
            break
        if parts[0].startswith("@"):
            file = _file(ask, parts, typed, manifests)
            if file is not None:
                return replace(plan, scenarios_file=str(file))
            continue
        typed += _fitting(ask, parts, MAX_SCENARIOS - len(typed))
        ask.say(f"  {_left(MAX_SCENARIOS - len(typed))}")
    if not typed:
        return await _tour(ask, plan)
    scenarios = (RawScenario(text, source=_TYPED, entry=entry) for entry, text in enumerate(typed, start=1))
    return replace(plan, scenarios=tuple(scenarios))


async def _tour(ask: Ask, plan: Plan) -> Plan:
    if await ask.agrees("No scenario. Shall I take a tour instead, and call each permitted tool once?"):
        return replace(plan, tour=True)
    # "Fewer than 1: nothing to evaluate — stop and tell the user."
    raise UserError("fewer than 1 scenario: nothing to evaluate")


def _file(ask: Ask, parts: list[str], typed: list[str], manifests: Mapping[str, Manifest]) -> Path | None:
    """The file that was named, if its scenarios can be used; else why not is said."""
    if typed or len(parts) > 1:
        ask.say("  A file stands alone: name it first, or go on typing.")
        return None
    try:
        file = Path(parts[0].removeprefix("@").strip()).expanduser().absolute()
        found = numbered(load_scenarios(file)[0], manifests)
    except (UserError, RuntimeError) as bad:  # RuntimeError: a home folder that is not known
        for line in str(bad).split("\n"):
            ask.say(f"  {inert.terminal(line, 600)}")
        return None
    ask.say(f"  {counted(len(found), 'scenario')} from {inert.terminal(str(file), 400)}")
    return file


def _fitting(ask: Ask, parts: list[str], room: int) -> list[str]:
    for text in parts[room:]:
        ask.say(f"  Left out, since at most {MAX_SCENARIOS} can run: {inert.terminal(text, 200)}")
    return parts[:room]


def _left(room: int) -> str:
    return f"up to {room} more" if room else f"that is {MAX_SCENARIOS}, the most that can run"

"""Tools that no rule could tell: shown with their evidence, and marked by a person, all at once or one by one."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcp_assay.cli.ask import Ask
from mcp_assay.cli.showing import Doubt, doubt_lines, doubts_table
from mcp_assay.core import marks
from mcp_assay.core.classify import classify
from mcp_assay.core.model import Manifest, Verdict
from mcp_assay.core.phrases import counted
from mcp_assay.core.plan import Plan
from mcp_assay.core.signs import signs

__all__ = ["mark"]

_AT_ONCE = 30
"""Rows of one table: nobody marks what they have not seen, so a longer list is shown in parts."""

_LEAVE = "leave"
_LEFT = "as they are: a call under read_only ends its scenario, under sandboxed it is held as mutating"
_ONE = {"read": "it changes nothing", "mutating": "it changes something", _LEAVE: "as it is"}
_ALL = {
    "read": "all of these change nothing",
    "mutating": "all of these change something",
    "each": "decide one by one",
    _LEAVE: _LEFT,
}


async def mark(ask: Ask, plan: Plan, manifests: Mapping[str, Manifest]) -> Plan:
    """Ask about the undetermined tools of all servers that may be called and that have no mark yet."""
    doubts = list(_doubts(plan, manifests))
    for start in range(0, len(doubts), _AT_ONCE):
        part = doubts[start : start + _AT_ONCE]
        ask.say()
        ask.say(_heading(len(doubts), start))
        ask.say(doubts_table(part))
        answer = await ask.word(_ALL)
        if answer == _LEAVE:
            break
        for doubt in part:
            verdict = await _verdict(ask, doubt) if answer == "each" else Verdict(answer)
            plan = ask.keep(_marked(plan, doubt, verdict))
    return plan


def _doubts(plan: Plan, manifests: Mapping[str, Manifest]) -> Iterator[Doubt]:
    for server, manifest in manifests.items():
        if server not in plan.dispositions or plan.skips(server):
            continue
        for tool in manifest.tools:
            found = classify(tool, server, plan.rules, manifest.tools)
            if found.verdict is Verdict.UNDETERMINED and not marks.stands(plan.dispositions[server], tool):
                yield Doubt(server, tool, found, signs(tool, server, manifest.tools))


def _heading(total: int, start: int) -> str:
    shown = "" if total <= _AT_ONCE else f" ({start + 1}-{min(start + _AT_ONCE, total)} of {total})"
    return f"{counted(total, 'tool')} that may read or mutate{shown}; no rule could tell:"


async def _verdict(ask: Ask, doubt: Doubt) -> Verdict | None:
    """What the person says about one tool; None leaves it as it is."""
    for line in doubt_lines(doubt):
        ask.say(line)
    answer = await ask.word(_ONE)
    return None if answer == _LEAVE else Verdict(answer)


def _marked(plan: Plan, doubt: Doubt, verdict: Verdict | None) -> Plan:
    if verdict is None:
        return plan
    safety = marks.marked(plan.dispositions[doubt.server], doubt.tool, verdict)
    return replace(plan, dispositions={**plan.dispositions, doubt.server: safety})

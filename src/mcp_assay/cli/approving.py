"""The approval gate: the full list, and the two words that let it run. Everything else is an edit request."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mcp_assay.cli.ask import Ask
from mcp_assay.cli.showing import scenario_lines
from mcp_assay.core import edits, inert
from mcp_assay.core.derive import list_digest
from mcp_assay.core.edits import Edit
from mcp_assay.core.model import Scenario
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario, approval
from mcp_assay.interviewer import Proposal

__all__ = ["approve"]

_QUESTION = """\
Approve this scenario list? Reply with exactly one of:

• approve — proceed with this list as-is
• user-only — drop all derived scenarios and proceed with user scenarios only
• An edit request: describe the changes ("drop S3", "rewrite S2 to ...", "add one for ...")

Any other response will be treated as an edit request. Execution does not start until you type approve or user-only."""
_NO_EDIT = (
    'That is neither an approval nor an edit that can be read. Describe the specific edit ("drop S3", '
    '"rewrite S2 to ...", "add one for ..."), or type exactly "approve" or "user-only".'
)
_KEEP_OR_DROP = {"keep": "it stays on the list", "drop": "it is taken off the list"}
_EDITED = "the list as it was edited"
_MOST_GAPS = 12


async def approve(ask: Ask, plan: Plan, proposal: Proposal) -> tuple[Plan, tuple[Scenario, ...]]:
    """Ask until one of the two words is typed. Returns the plan with all that was decided, and what may run."""
    weak = {item.description: proposal.weak[item.id] for item in proposal.scenarios if item.id in proposal.weak}
    scenarios = await _accepted(ask, list(proposal.scenarios), weak)
    _tell_gaps(ask, proposal.gaps)
    while True:
        # "the approval gate is the last defense": a word typed before the list was shown approves nothing.
        ask.forget()
        _present(ask, scenarios, weak)
        ask.say(_QUESTION)
        token, edit = await _reply(ask)
        if edit is None:
            break
        scenarios, problem = edits.apply(edit, scenarios)
        if problem:
            ask.warn(f"nothing was changed: {inert.terminal(problem, 300)}")
    if token is Approval.USER_ONLY:
        scenarios = _renumbered(scenario for scenario in scenarios if not _is_derived(scenario))
    return _recorded(plan, proposal.scenarios, scenarios, token), tuple(scenarios)


async def _accepted(ask: Ask, scenarios: list[Scenario], weak: Mapping[str, str]) -> list[Scenario]:
    """The list without the derived scenarios on a weak signal that were not accepted."""
    # "note the weak signal at the approval gate — the user must actively accept it."
    for scenario in [item for item in scenarios if _is_derived(item) and item.description in weak]:
        ask.say()
        for line in scenario_lines([scenario], weak):
            ask.say(line)
        ask.say("It was derived from a weak signal. Keep it on the list, or drop it?")
        if await ask.word(_KEEP_OR_DROP) == "drop":
            scenarios = [item for item in scenarios if item is not scenario]
    return _renumbered(scenarios)


async def _reply(ask: Ask) -> tuple[Approval, Edit | None]:
    """One of the two tokens and no edit, or an edit that could be read."""
    while True:
        typed = await ask.line("approve, user-only or an edit: ")
        # "The match is literal string equality on the trimmed-lowercased token."
        token = approval(typed)
        edit = edits.parse(typed) if token is Approval.EDIT else None
        if token is not Approval.EDIT or edit is not None:
            return token, edit
        # "Ask the user to either describe the specific edit or type exactly "approve" / "user-only"."
        ask.say(_NO_EDIT)


def _present(ask: Ask, scenarios: Sequence[Scenario], weak: Mapping[str, str]) -> None:
    ask.say()
    for line in scenario_lines(scenarios, weak):
        ask.say(line)
    ask.say(f"  this list: {list_digest(scenarios)}")
    ask.say()


def _tell_gaps(ask: Ask, gaps: Sequence[str]) -> None:
    if gaps:
        ask.say()
        ask.say("No edge case could be derived for:")
    for gap in gaps[:_MOST_GAPS]:
        ask.say(f"  {inert.terminal(gap, 300)}")
    if len(gaps) > _MOST_GAPS:
        ask.say(f"  and {len(gaps) - _MOST_GAPS} more, which the report lists")


def _recorded(plan: Plan, proposed: Sequence[Scenario], kept: Sequence[Scenario], token: Approval) -> Plan:
    """The plan that would have answered so: approval, the derived list it holds for, and the user's list if edited."""
    derived = [scenario for scenario in kept if _is_derived(scenario)]
    plan = replace(plan, approval=token, derive=list_digest(derived) if derived else None)
    users = _raw(kept)
    if users == _raw(proposed):
        return plan
    return replace(plan, scenarios=users, scenarios_file=None, tour=False)


def _raw(scenarios: Sequence[Scenario]) -> tuple[RawScenario, ...]:
    """The user's own scenarios as a plan holds them."""
    own = [scenario for scenario in scenarios if not _is_derived(scenario)]
    return tuple(
        RawScenario(item.description, item.targets_mcps, item.steps, _EDITED, entry)
        for entry, item in enumerate(own, start=1)
    )


def _is_derived(scenario: Scenario) -> bool:
    return scenario.source == "derived"


def _renumbered(scenarios: Iterable[Scenario]) -> list[Scenario]:
    return [replace(scenario, id=f"S{number}") for number, scenario in enumerate(scenarios, start=1)]

"""An evaluation that is there already: go on with it, start anew beside it, or leave it alone."""

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcp_assay.core.plan import NONE, Plan
from mcp_assay.core.session import State, Status
from mcp_assay.errors import StoreError, UserError
from mcp_assay.interviewer import Existing, Interviewer
from mcp_assay.order import Order
from mcp_assay.planfile import load, parse_plan
from mcp_assay.store.evaldir import EvalDir, retire

__all__ = ["Found", "begin", "other_budgets", "plan_of", "settle", "sha256_of"]

_UNSAID = (Status.DISCOVERING, Status.INTERVIEWING, Status.SCOPING)
"""Statuses in which answers may still change."""

_RESUME = (Existing.RESUME, "go on where it stopped")
_RESTART = (Existing.RESTART, "start anew; the old folder is renamed, never deleted")
_REPARSE = (Existing.REPARSE, "parse the critic's output that is there again (cheap, and always the same)")
_RECRITIQUE = (Existing.RECRITIQUE, "run the critic again from scratch")
_LEAVE = (Existing.LEAVE, "leave it, and choose another --name")


def begin(order: Order, state: State) -> None:
    """What a fresh state says of what was asked for."""
    state.config["call_budget_per_scenario"] = order.call_budget
    state.config["wallclock_budget_minutes"] = order.wallclock_minutes
    state.config["scenarios_file"] = str(order.scenarios_file) if order.scenarios_file else None
    plan = order.plan
    state.assay = {
        "version": 1,
        "driver": plan.driver,
        "evidence": "gate",
        "rules": plan.rules,
        "match": plan.match,
        "isolation": plan.isolation or NONE,
        "plan": {"file": plan.source and str(Path(plan.source).absolute()), "sha256": plan.sha256},
        "notes": [],
    }


def other_budgets(order: Order, state: State) -> str | None:
    """What was attempted so far was attempted under the budgets that it began with: a note if others are asked for."""
    config = state.config
    kept = (config["call_budget_per_scenario"], config["wallclock_budget_minutes"])
    if not order.budgets_asked or kept == (order.call_budget, order.wallclock_minutes):
        return None
    return (
        f"it goes on with the budgets that it began with, {kept[0]} calls and {kept[1]:g} minutes; "
        "others need a new name, or --restart"
    )


class Place(Protocol):
    """The part of an order that says where."""

    @property
    def base(self) -> Path: ...

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Found:
    """The open and locked folder; the state to go on with, or None for a fresh start."""

    folder: EvalDir
    state: State | None = None
    choice: Existing = Existing.RESTART


async def settle(order: Place, key: bytes, interviewer: Interviewer, stack: ExitStack, now: str) -> Found:
    """Open the folder, and if it holds something, ask what to do about it. Raises UserError or StoreError."""
    folder = stack.enter_context(EvalDir(order.base, order.name, create=True))
    folder.lock()
    if folder.is_fresh():
        return Found(folder)
    state, choice = await _choose(folder, key, interviewer)
    if choice is Existing.LEAVE:
        raise UserError(f"{folder.path} was left as it is; choose another --name")
    if choice is not Existing.RESTART:
        return Found(folder, state, choice)
    retire(order.base, order.name, "".join(char for char in now if char.isalnum()))
    fresh = stack.enter_context(EvalDir(order.base, order.name, create=True))
    fresh.lock()
    return Found(fresh)


async def _choose(folder: EvalDir, key: bytes, interviewer: Interviewer) -> tuple[State | None, Existing]:
    try:
        state, signed = folder.load_state(key)
    except StoreError as bad:
        question = f"{bad}; it cannot be resumed"
        return None, await interviewer.existing(question, (_RESTART, _LEAVE), Existing.LEAVE)
    if not signed:
        question = f"{folder.path}: its state was not signed by this user, so it cannot be resumed"
        return None, await interviewer.existing(question, (_RESTART, _LEAVE), Existing.LEAVE)
    if state.status is Status.COMPLETE:
        question = f"{folder.path} already holds an evaluation, and it is finalized"
        return state, await interviewer.existing(question, (_RESTART, _LEAVE), Existing.LEAVE)
    question = f"{folder.path} already holds an evaluation; it is {state.status}"
    choices, default = _choices(folder, state)
    choice = await interviewer.existing(question, choices, default)
    if choice is not Existing.RESTART and choice is not Existing.LEAVE and state.status in _UNSAID:
        state.status = Status.DISCOVERING
    return state, choice


def _choices(folder: EvalDir, state: State) -> tuple[Sequence[tuple[Existing, str]], Existing]:
    # "If it does and critic_findings[] in state is empty, offer three options: (1) re-parse … (2) re-spawn … (3)"
    if state.status is Status.CRITIQUING and folder.exists("critic-output.md") and not state.critic_findings:
        return (_REPARSE, _RECRITIQUE, _RESTART), Existing.REPARSE
    return (_RESUME, _RESTART, _LEAVE), Existing.RESUME


def plan_of(given: Plan, state: State, folder: EvalDir) -> Plan:
    """The plan to go on with: the one that was given, else the one that the evaluation began with.

    Raises UserError if it changed after its scenarios were approved.
    """
    kept = state.assay.get("plan") or {}
    name, sha256 = kept.get("file"), kept.get("sha256")
    if given.source is None and name:
        given = parse_plan(folder.read(name), name) if "/" not in name else load(Path(name))
    if state.status not in _UNSAID and given.sha256 != sha256:
        raise UserError(f"{given.source or name}: not the plan that was approved; start anew with --restart")
    return given


def sha256_of(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

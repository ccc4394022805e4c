"""A plan as plain values again: what an interview writes down, so that it can be repeated unattended."""

from collections.abc import Mapping
from typing import Any

from mcp_assay.core.limits import CALL_TIMEOUT, START_TIMEOUT
from mcp_assay.core.model import Disposition, Match, Rules, Safety, Step
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import RawScenario

__all__ = ["as_values"]


def as_values(plan: Plan) -> dict[str, Any]:
    """The plan as its file would hold it, in the order of the reference; what equals a default is left out."""
    said: dict[str, Any] = {
        "name": plan.name,
        "project": plan.project,
        "out": plan.out,
        "connect": dict(plan.connect) if isinstance(plan.connect, Mapping) else plan.connect,
        "dispositions": {name: _disposition(plan, name, kept) for name, kept in plan.dispositions.items()},
        "scenarios": plan.scenarios_file or [_scenario(item) for item in plan.scenarios],
        "tour": plan.tour,
        "derive": plan.derive,
        "approval": plan.approval and str(plan.approval),
        "call_budget": plan.call_budget,
        "wallclock_budget": plan.wallclock_budget,
        "match": None if plan.match is Match.STRICT else str(plan.match),
        "rules": None if plan.rules is Rules.EXTENDED else str(plan.rules),
        "allow": list(plan.allow),
        "fail_on": plan.fail_on,
        "driver": plan.driver,
        "model": plan.model,
        "critic": None if plan.critic == "rules" else plan.critic,
        "isolation": plan.isolation,
        "start_timeout": None if plan.start_timeout == START_TIMEOUT else plan.start_timeout,
        "call_timeout": None if plan.call_timeout == CALL_TIMEOUT else plan.call_timeout,
    }
    unkept = {} if plan.host_record else {"host_record": False}
    return {key: value for key, value in said.items() if value} | unkept


def _disposition(plan: Plan, name: str, safety: Safety) -> str | dict[str, Any]:
    more: dict[str, Any] = {
        "test_resources": list(safety.test_resources),
        "notes": safety.notes,
        "match": None if safety.match is plan.match else str(safety.match),
        "marks": {tool: _mark(safety, tool) for tool in safety.marks},
        "env": list(plan.env.get(name, ())),
        "network": safety.network,
    }
    kept = {key: value for key, value in more.items() if value}
    if not kept and safety.disposition is not Disposition.SANDBOXED:
        return str(safety.disposition)
    return {"disposition": str(safety.disposition), **kept}


def _mark(safety: Safety, tool: str) -> str | dict[str, str]:
    mark = str(safety.marks[tool])
    return {"mark": mark, "tool": safety.pins[tool]} if tool in safety.pins else mark


def _scenario(item: RawScenario) -> dict[str, Any]:
    said: dict[str, Any] = {
        "description": item.description,
        "targets_mcps": list(item.targets_mcps),
        "steps": [_step(step) for step in item.steps],
    }
    return {key: value for key, value in said.items() if value}


def _step(step: Step) -> dict[str, Any]:
    said: dict[str, Any] = {
        "tool": step.tool,
        "args": dict(step.args),
        "save": dict(step.save),
        "expect": dict(step.expect),
        "justification": step.justification,
    }
    return {key: value for key, value in said.items() if value}

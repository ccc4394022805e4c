"""What an evaluation's state keeps of its interview, and what of it is read back when it goes on."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_assay.core import drift
from mcp_assay.core.model import Disposition, Manifest, Match, Rules, Safety, ServerConfig, Tool, Verdict
from mcp_assay.core.plan import Plan, build
from mcp_assay.core.plandump import as_values
from mcp_assay.core.session import State
from mcp_assay.errors import StoreError, UserError
from mcp_assay.store.evaldir import EvalDir

__all__ = [
    "drifted",
    "manifests",
    "pinned",
    "pinned_plan",
    "record",
    "recorded",
    "require_none_named",
    "require_same",
    "terms",
]

_COMMAND_LINE = "command line"
_DRIFT = 12
"""Sentences about what changed of one server that are kept: the state is written whole at every call."""


def terms(plan: Plan) -> dict[str, Any]:
    """What of a plan its session rests on, to be pinned; ``pinned_plan`` reads it back.

    Its scenarios stay where they are: their steps hold arguments.
    """
    return {key: value for key, value in as_values(plan).items() if key not in ("connect", "scenarios")}


def pinned_plan(folder: EvalDir, state: State) -> Plan:
    """The plan as it was when its scenarios were approved. Raises StoreError if it is not there as it was."""
    values = folder.load_plan(state.assay.get("terms_sha256"))
    if values is None:
        raise StoreError(f"{folder.path}: what was pinned of the plan is missing or changed; start anew with --restart")
    return build(values, source=str(folder.path), sha256="")


def record(name: str, safety: Safety) -> dict[str, Any]:
    """One entry of ``safety_dispositions[]``."""
    # "Store the identifiers verbatim in test_resources[]."
    return {
        "mcp_name": name,
        "disposition": safety.disposition,
        "test_resources": list(safety.test_resources),
        "notes": safety.notes,
        "assay": {
            "match": safety.match,
            "marks": {tool: str(mark) for tool, mark in safety.marks.items()},
            "pins": dict(safety.pins),
            "network": safety.network,
        },
    }


def recorded(item: Mapping[str, Any]) -> Safety:
    """A disposition as ``record`` wrote it down."""
    ours = item["assay"]
    return Safety(
        Disposition(item["disposition"]),
        tuple(item["test_resources"]),
        item["notes"],
        Match(ours["match"]),
        {tool: Verdict(mark) for tool, mark in ours["marks"].items()},
        ours.get("network", False),
        ours.get("pins", {}),
    )


def drifted(item: dict[str, Any], pinned: Manifest, now: Manifest, rules: Rules) -> bool:
    """What changed of a server's tools since its interview, into that entry. Whether this is the first of it."""
    told: list[str] = item["assay"].get("drift", [])
    if pinned.digest == now.digest or len(told) >= _DRIFT:
        return False
    found = drift.compare(pinned, now, rules, most=_DRIFT)
    if found:
        # A server may change more than once in a run, and back again: all of it is told.
        item["assay"]["drift"] = list(dict.fromkeys([*told, *drift.sentences(found)]))[:_DRIFT]
    return bool(found) and not told


def require_none_named(state: State) -> None:
    """An evaluation of servers that were named on the command line is not about those of the configuration.

    Raises UserError naming them.
    """
    named = [entry["name"] for entry in state.attached_mcps if entry["source"] == _COMMAND_LINE]
    if named:
        problems = "\n".join(f"- {name}: name it again: --server {name}=…" for name in named)
        raise UserError(f"{state.eval_name} cannot go on with other servers\n{problems}")


def require_same(servers: Sequence[ServerConfig], state: State) -> None:
    """The servers must be those that were interviewed. Raises UserError naming what changed."""
    now = {server.name: server.digest for server in servers}
    problems = []
    for entry in state.attached_mcps:
        name, source = entry["name"], entry["source"]
        if name not in now:
            gone = f"it is gone from {source}"
            problems.append(f"- {name}: {f'name it again: --server {name}=…' if source == _COMMAND_LINE else gone}")
        elif now[name] != entry["assay"]["digest"]:
            problems.append(f"- {name}: its command or settings are not those that were interviewed")
    if problems:
        raise UserError(f"{state.eval_name} cannot go on with other servers\n" + "\n".join(problems))


def pinned(folder: EvalDir, state: State) -> Mapping[str, Manifest]:
    """The manifests of the interview. Raises StoreError if they are not those that the state names."""
    found = manifests(folder, state)
    if found is None:
        raise StoreError(f"{folder.path}: the pinned tool manifests are missing or changed; start anew with --restart")
    return found


def manifests(folder: EvalDir, state: State) -> Mapping[str, Manifest] | None:
    """The manifests of the interview; None if they are missing, or not those that the state names."""
    pinned = folder.load_manifests(state.assay.get("manifests_sha256"))
    if pinned is None:
        return None
    try:
        limits = {entry["name"]: entry.get("assay", {}).get("limitation") for entry in state.attached_mcps}
        return {
            name: Manifest(name, tuple(Tool.from_raw(raw) for raw in tools), limits.get(name))
            for name, tools in pinned.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        raise StoreError(f"{folder.shown}: state.json or the pinned manifests are not of our form") from None

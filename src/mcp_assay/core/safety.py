"""May this call be sent? One total function over what the user decided and what the server declared.

    disposition   the call is                      effect
    skip          any                              refused, the scenario goes on
    read_only     mutating                         refused, the scenario goes on
    read_only     undetermined                     refused, the scenario aborts
    sandboxed     mutating or undetermined,        refused, the scenario aborts
                  no test resource matches
    read_only or  to a tool that is not as it was  refused, the scenario aborts
    sandboxed     when the user was asked
    any           unknown server or tool, one that refused, the scenario goes on
                  vanished, no disposition, fault
    read_only or  no tool's: a resource, a prompt  permitted
    sandboxed     or a completion is asked for

Under ``rules: extended`` a tool that reads mutates in a call whose arguments do (a ``DELETE`` in its ``sql``).

"The safety check runs before every dispatch, against the raw pre-dispatch args."
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_assay.core import sandbox
from mcp_assay.core.classify import Classified, classify
from mcp_assay.core.languages.judge import by_arguments
from mcp_assay.core.model import Disposition, Manifest, Method, Rules, Safety, Tool, ToolCall, Verdict
from mcp_assay.core.naming import fold, is_mcp

__all__ = ["NO_MCP", "READ_METHOD", "SKIPPED", "Allow", "Block", "Policy", "by_rules", "decide", "stricter", "verdict"]

SKIPPED = "MCP disposition is 'skip'"
NO_MCP = "no attached MCP covers this step"
READ_METHOD = "read-method"
"""The rule by which what is asked for is no tool's call, and so a read."""

_CHANGED = "manifest-changed"
_ENCODE = json.JSONEncoder(allow_nan=False).encode


def _as_written(path: str) -> str:
    return path


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything a decision rests on.

    ``pinned`` are the manifests of the interview; ``live`` maps a server to the digests of the tools that it offers
    now, where it has said since that they changed. ``allow`` names the non-MCP tools that the plan permits.
    ``realpath`` resolves links in an absolute path: the one look at the world, handed in from the edge. ``known`` holds
    what the rules say of pinned tools, by server and tool, so that it is not found out anew for each call.
    """

    safety: Mapping[str, Safety]
    pinned: Mapping[str, Manifest]
    rules: Rules = Rules.EXTENDED
    allow: frozenset[str] = frozenset()
    realpath: Callable[[str], str] = _as_written
    live: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    known: Mapping[tuple[str, str], Classified] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Allow:
    verdict: Verdict | None
    rule: str | None


@dataclass(frozen=True, slots=True)
class Block:
    """``reason`` goes into the blocked line and to the driver; it holds no argument's value."""

    reason: str
    aborts: bool = False
    verdict: Verdict | None = None
    rule: str | None = None


def decide(call: ToolCall, policy: Policy) -> Allow | Block:  # noqa: PLR0911 - one return for each row of the table
    """Allow or Block. A fault inside is for the caller to turn into a Block: in doubt means no."""
    if not _is_json(call.args):
        return Block("the arguments are no JSON object (NaN, infinity, or a value that JSON has no form for)")
    if call.mcp is None:
        return _other(call, policy)
    safety = stricter(call.mcp, policy.safety)
    if call.mcp not in policy.pinned:
        return Block("no attached MCP has this name")
    if safety is None:
        # "An MCP with no disposition is a safety failure, not a default."
        return Block("this MCP has no safety disposition")
    if safety.disposition is Disposition.SKIP:
        return Block(SKIPPED)
    if call.method is not Method.CALL:
        return Allow(Verdict.READ, READ_METHOD)
    tool = policy.pinned[call.mcp].get(call.tool)
    if tool is None:
        return Block("the MCP offered no tool of this name when it was interviewed")
    live = policy.live.get(call.mcp)
    if live is not None and call.tool not in live:
        return Block("the MCP no longer offers this tool")
    return _judge(call, tool, safety, policy)


def verdict(server: str, tool: Tool, safety: Safety | None, policy: Policy) -> Classified:
    """Read, mutating or undetermined, and why: the rules, then the user's mark, then whether the tool is the same."""
    live = policy.live.get(server)
    if live is not None and live.get(tool.name) != tool.digest:
        return Classified(Verdict.UNDETERMINED, _CHANGED)
    pinned = policy.pinned.get(server)
    known = policy.known.get((server, tool.name))
    found = known or classify(tool, server, policy.rules, pinned.tools if pinned else ())
    mark = safety.marks.get(tool.name) if safety else None
    if mark is Verdict.MUTATING or (mark is Verdict.READ and found.verdict is Verdict.UNDETERMINED):
        return Classified(mark, "marked-by-user")
    return found


def by_rules(pinned: Mapping[str, Manifest], rules: Rules) -> dict[tuple[str, str], Classified]:
    """What the rules say of each pinned tool, for ``Policy.known``."""
    return {
        (server, tool.name): classify(tool, server, rules, manifest.tools)
        for server, manifest in pinned.items()
        for tool in manifest.tools
    }


def stricter(server: str, safety: Mapping[str, Safety]) -> Safety | None:
    """The server's disposition; of servers whose names fold alike, the strictest of theirs.

    Two sandboxes that fold alike share only the resources that both list.
    """
    alike = [kept for name, kept in safety.items() if fold(name) == fold(server)]
    if server not in safety:
        return None
    for disposition in (Disposition.SKIP, Disposition.READ_ONLY):
        strict = next((kept for kept in alike if kept.disposition is disposition), None)
        if strict is not None:
            return strict
    common = [entry for entry in safety[server].test_resources if all(entry in kept.test_resources for kept in alike)]
    own = safety[server]
    return Safety(own.disposition, tuple(common), own.notes, own.match, own.marks)


def _judge(call: ToolCall, tool: Tool, safety: Safety, policy: Policy) -> Allow | Block:
    found = verdict(str(call.mcp), tool, safety, policy)
    if found.rule == _CHANGED:
        # What was decided about it, its mark and its test resources, was decided about another tool.
        why = f"the tool is not the one of the interview ({_CHANGED})"
        return Block(why, aborts=True, verdict=found.verdict, rule=found.rule)
    by_args = None
    if found.verdict is Verdict.READ and policy.rules is Rules.EXTENDED:
        by_args = by_arguments(tool, str(call.mcp), call.args)
        found = by_args or found
    if found.verdict is Verdict.READ:
        # sandboxed: "If the call is classified as a read, permit without the resource-matching check."
        return Allow(found.verdict, found.rule)
    if safety.disposition is Disposition.READ_ONLY:
        doubtful = found.verdict is Verdict.UNDETERMINED
        what = "cannot be told to be a read" if doubtful else "may mutate"
        who = "call" if by_args else "tool"
        return Block(f"read_only: the {who} {what} ({_why(found)})", doubtful, found.verdict, found.rule)
    held = sandbox.check(call.args, tool.input_schema, safety.test_resources, safety.match, realpath=policy.realpath)
    if held.ok:
        return Allow(found.verdict, found.rule)
    return Block(f"sandboxed: {held.why}", aborts=True, verdict=found.verdict, rule=found.rule)


def _why(found: Classified) -> str:
    return f"{found.rule}: {', '.join(found.words)}" if found.words else found.rule


def _other(call: ToolCall, policy: Policy) -> Allow | Block:
    if is_mcp(call.tool):
        return Block("no attached MCP has this name")
    if not (call.justification or "").strip():
        # "justification is required when is_mcp: false. It must (a) name the specific MCP tool … or explicitly state"
        return Block(f'a justification is required: name the MCP tool considered, or say "{NO_MCP}"')
    if call.tool not in policy.allow:
        return Block("the plan does not allow this non-MCP tool")
    return Allow(None, None)


def _is_json(args: Mapping[str, Any]) -> bool:
    try:
        _ENCODE(args)
    except (TypeError, ValueError, RecursionError):
        return False
    return all(isinstance(name, str) for name in args)

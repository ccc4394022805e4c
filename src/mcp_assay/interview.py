"""Phases 2 and 3 answered by a plan: dispositions, marks, scenarios and their literal approval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from mcp_assay.core import marks, redact, sandbox
from mcp_assay.core.classify import classify
from mcp_assay.core.model import (
    Disposition,
    Manifest,
    Match,
    Safety,
    Scenario,
    ServerConfig,
    Step,
    Tool,
    Verdict,
)
from mcp_assay.core.naming import fold, is_mcp, split
from mcp_assay.core.phrases import listed
from mcp_assay.core.plan import Plan, unanswered
from mcp_assay.core.problems import did_you_mean
from mcp_assay.core.scenarios import RawScenario, drop_skipped, numbered
from mcp_assay.core.signs import signs
from mcp_assay.errors import InputError, UserError
from mcp_assay.planfile import digest_of, load_scenarios, parse_plan, parse_scenarios

__all__ = [
    "Intake",
    "advice",
    "attached",
    "check_marks",
    "describe",
    "entry",
    "pinned_steps",
    "require_answers",
    "restored",
    "scenarios",
    "skip_targets",
    "standing",
    "undetermined",
]


@dataclass(frozen=True, slots=True)
class Intake:
    """The scenarios that will run, the file they came from with its digest, and what was left out and why.

    ``not_drivable``: by server, the tools that may be called but cannot be, and why.
    """

    scenarios: tuple[Scenario, ...]
    source: str
    sha256: str | None
    notes: tuple[str, ...] = ()
    not_drivable: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def require_answers(
    plan: Plan,
    servers: Sequence[ServerConfig],
    needed: frozenset[str],
    *,
    named: bool,
    trusted: bool,
    has_scenarios: bool,
) -> None:
    """Before anything starts, all that is missing is told at once. ``needed`` are the plan's keys that matter.

    Raises UserError.
    """
    missing = unanswered(plan, servers, named=named, trusted=trusted, has_scenarios=has_scenarios)
    wanted = list(dict.fromkeys(line for line in missing if line.split(":")[0] in needed))
    if wanted:
        where = plan.source or "an unattended evaluation needs a plan (--plan FILE)"
        raise UserError(f"{where}: unanswered\n" + "\n".join(f"- {line}" for line in wanted))


def check_marks(plan: Plan, manifests: Mapping[str, Manifest]) -> None:
    """Marks must name tools that are there; one as a read says of which, and pardons no mutating one.

    Raises UserError.
    """
    problems = []
    for server, safety in plan.dispositions.items():
        manifest = manifests.get(server)
        if manifest is None or manifest.limitation:
            continue
        for name in safety.marks:
            problems += [f"- dispositions.{server}.marks.{name}: {why}" for why in _wrong(plan, manifest, name, safety)]
    if problems:
        raise UserError(f"{plan.source}: marks that cannot be\n" + "\n".join(problems))


def standing(plan: Plan, manifests: Mapping[str, Manifest]) -> tuple[Plan, tuple[str, ...]]:
    """The plan without the marks that were given for other tools than are there, and a note for each of these."""
    dispositions, notes = dict(plan.dispositions), []
    for server, safety in plan.dispositions.items():
        lapsed = marks.void(safety, manifests[server]) if server in manifests else ()
        dispositions[server] = marks.without(safety, lapsed)
        notes += [
            f"{server}: the mark of {name} as read is void: the tool is not the one it was for" for name in lapsed
        ]
    return replace(plan, dispositions=dispositions), tuple(notes)


def undetermined(plan: Plan, manifests: Mapping[str, Manifest]) -> Iterator[dict[str, Any]]:
    """The tools that no rule and no mark has told: ``mcp``, ``tool``, ``digest``, and the signs ``read``, ``mutating``.

    Texts of the server stand in the signs as inline code; the names are as they came.
    """
    for server, manifest in manifests.items():
        safety = plan.dispositions.get(server)
        if safety is None or safety.disposition is Disposition.SKIP:
            continue
        for tool in manifest.tools:
            if _verdict(plan, manifest, tool, safety) is Verdict.UNDETERMINED:
                seen = signs(tool, server, manifest.tools)
                told = {"read": [str(sign) for sign in seen.read], "mutating": [str(sign) for sign in seen.mutating]}
                yield {"mcp": server, "tool": tool.name, "digest": tool.digest, **told}


def attached(server: ServerConfig) -> dict[str, Any]:
    """One entry of ``attached_mcps[]``, before its tools are listed."""
    return {
        "name": server.name,
        "source": server.source,
        # "command — the command string from the config", but for what looks like a secret in it.
        "command": server.command and redact.argv(server.command, ())[0],
        "tools": [],
        "assay": {"digest": server.digest, "transport": server.transport, "host_note": server.host_note},
    }


def describe(item: dict[str, Any], manifest: Manifest) -> None:
    """What its server offered, into that entry."""
    item["tools"] = [tool.name for tool in manifest.tools]
    item["assay"] |= {
        "limitation": manifest.limitation,
        "notes": list(manifest.notes),
        "protocol": manifest.protocol,
        "manifest": manifest.digest,
    }


def advice(
    plan: Plan,
    manifests: Mapping[str, Manifest],
    doubtful: Sequence[Mapping[str, Any]] = (),
    *,
    detailed: bool = False,
) -> Iterator[str]:
    """What a person would be told: hints, tools that stay undetermined, tools that could never match.

    ``doubtful`` are the ``undetermined`` tools; with ``detailed`` each is told with all that it takes to mark it.
    """
    for name, manifest in manifests.items():
        safety = plan.dispositions[name]
        if safety.disposition is Disposition.SKIP:
            continue
        kinds: dict[Verdict, list[Tool]] = {verdict: [] for verdict in Verdict}
        for tool in manifest.tools:
            kinds[_verdict(plan, manifest, tool, safety)].append(tool)
        yield from _about(name, safety, kinds)
    if doubtful and not detailed:
        yield "--until interview tells what speaks for and against each undetermined tool, and how to mark it"
    for found in doubtful if detailed else ():
        yield from _evidence(found)


def scenarios(plan: Plan, file: Path | None, manifests: Mapping[str, Manifest]) -> Intake:
    """Read, check and number the scenarios. One that targets a skip MCP is dropped, and said so. Raises UserError."""
    raw, source, sha256 = _raw(plan, file)
    found = numbered(raw, manifests)
    if sha256 is None:  # typed by a person just now: no file holds them
        found = [replace(scenario, entry=0) for scenario in found]
    _require_tools(found, manifests, source)
    kept, dropped = drop_skipped(found, {name: safety.disposition for name, safety in plan.dispositions.items()})
    if not kept:
        raise UserError(f"{source}: every scenario targets an MCP whose disposition is skip: nothing to evaluate")
    notes = [f"A scenario was dropped because it targets a skip MCP: {item.description}" for item in dropped]
    return Intake(tuple(kept), source, sha256, tuple(notes))


def skip_targets(
    plan: Plan, file: Path | None, manifests: Mapping[str, Manifest]
) -> list[tuple[Scenario, tuple[str, ...]]]:
    """The scenarios that target servers which are to be skipped, each with those servers' names."""
    raw, _, _ = _raw(plan, file)
    found = numbered(raw, manifests) if raw else []
    targets = [(item, tuple(name for name in item.targets_mcps if plan.skips(name))) for item in found]
    return [(item, skipped) for item, skipped in targets if skipped]


def entry(scenario: Scenario, taken: Intake) -> dict[str, Any]:
    """One entry of ``scenarios[]``. The arguments of its steps stay in the file that they came from."""
    file = {"file": str(Path(taken.source).absolute()), "sha256": taken.sha256, "entry": scenario.entry}
    return {
        "id": scenario.id,
        "source": scenario.source,
        "description": scenario.description,
        "targets_mcps": list(scenario.targets_mcps),
        "assay": {
            "steps_from": file if scenario.entry and scenario.steps else None,
            "steps": _kinds(scenario.steps),
            "step_count": len(scenario.steps),
        },
    }


def _kinds(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Each tool with its argument names, once: the state is written whole at every call, so it must stay small."""
    kinds = dict.fromkeys((step.tool, *sorted(step.args)) for step in steps)
    return [{"tool": tool, "args": args} for tool, *args in kinds]


def pinned_steps(found: Sequence[Scenario]) -> dict[str, list[Any]]:
    """The steps that stand in no file of the user's, by scenario: ours to keep."""
    return {item.id: [asdict(step) for step in item.steps] for item in found if item.steps and not item.entry}


def restored(items: Sequence[Mapping[str, Any]], pinned: Mapping[str, Any]) -> list[Scenario]:
    """The scenarios as ``entry`` wrote them down, with their steps read again from where they are kept.

    Raises UserError if a file has changed since: what was approved is not what it holds now.
    """
    kept = [item["assay"]["steps_from"] for item in items]
    files = {file["file"]: file["sha256"] for file in kept if file is not None}  # each is read once
    found = {file: _reread(Path(file), sha256) for file, sha256 in files.items()}
    return [_restored(item, pinned, found) for item in items]


def _restored(
    item: Mapping[str, Any], pinned: Mapping[str, Any], files: Mapping[str, Sequence[RawScenario]]
) -> Scenario:
    kept, steps = item["assay"]["steps_from"], tuple(Step(**step) for step in pinned.get(item["id"], ()))
    if kept is not None:
        steps = files[kept["file"]][kept["entry"] - 1].steps
    number = kept["entry"] if kept else 0
    return Scenario(item["id"], item["source"], item["description"], tuple(item["targets_mcps"]), steps, number)


def _reread(file: Path, sha256: str) -> Sequence[RawScenario]:
    data = file.read_bytes() if file.is_file() else b""
    if digest_of(data) != sha256:
        raise UserError(f"{file}: has changed since its scenarios were approved; start anew with --restart")
    try:
        return parse_scenarios(data, str(file))
    except InputError:
        return parse_plan(data, str(file)).scenarios


def _raw(plan: Plan, file: Path | None) -> tuple[Sequence[RawScenario], str, str | None]:
    chosen = file or (Path(plan.scenarios_file) if plan.scenarios_file else None)
    if chosen is None:
        return plan.scenarios, plan.source or "the plan", plan.sha256
    found, sha256 = load_scenarios(chosen)
    return found, str(chosen), sha256


def _require_tools(found: Sequence[Scenario], manifests: Mapping[str, Manifest], source: str) -> None:
    """A step whose tool its server does not offer is a slip of the pen, told before anything runs."""
    problems = []
    for scenario in found:
        for number, step in enumerate(scenario.steps, 1):
            server, tool = (split(step.tool, manifests) if is_mcp(step.tool) else None) or ("", "")
            offered = [fold(known.name) for known in manifests[server].tools] if server else []
            if offered and tool not in offered:
                close = did_you_mean(tool, offered)
                problems.append(f"- {scenario.id} step {number}: {server} offers no {tool}{close}")
    if problems:
        raise UserError(f"{source}: steps that cannot be\n" + "\n".join(problems))


def _evidence(found: Mapping[str, Any]) -> Iterator[str]:
    """What a person would be shown of an undetermined tool before they mark it, and the digest that binds the mark."""
    tool = f"{found['mcp']}: {found['tool']}"
    yield f"{tool}: for a read: {'; '.join(found['read']) or 'nothing'}"
    yield f"{tool}: against: {'; '.join(found['mutating']) or 'nothing'}"
    yield f"{tool}: to mark it: {{mark: read or mutating, tool: {found['digest']}}}"


def _wrong(plan: Plan, manifest: Manifest, name: str, safety: Safety) -> Iterator[str]:
    tool = manifest.get(name)
    if tool is None:
        yield f"no such tool{did_you_mean(name, [known.name for known in manifest.tools])}"
        return
    if safety.marks[name] is not Verdict.READ or name in marks.void(safety, manifest):
        return
    found = classify(tool, manifest.server, plan.rules, manifest.tools)
    if found.verdict is Verdict.MUTATING:
        yield f"it is mutating by its own words ({found.rule}); a mark cannot pardon that"
    elif found.verdict is Verdict.UNDETERMINED and not marks.stands(safety, tool):
        yield f"once you have read what it says now, bind it to that: {{mark: read, tool: {tool.digest}}}"


def _verdict(plan: Plan, manifest: Manifest, tool: Tool, safety: Safety) -> Verdict:
    found = classify(tool, manifest.server, plan.rules, manifest.tools).verdict
    return safety.marks.get(tool.name, found) if found is Verdict.UNDETERMINED else found


def _about(name: str, safety: Safety, kinds: Mapping[Verdict, list[Tool]]) -> Iterator[str]:
    risky = [tool.name for tool in kinds[Verdict.MUTATING]]
    if risky and safety.disposition is Disposition.READ_ONLY:
        yield f"{name}: mutating and refused under read_only: {listed(risky)}"
    doubtful = [tool.name for tool in kinds[Verdict.UNDETERMINED]]
    if doubtful:
        reads = safety.disposition is Disposition.READ_ONLY
        effect = "calling one aborts the scenario" if reads else "held as mutating"
        yield f"{name}: undetermined and unmarked: {listed(doubtful)} ({effect})"
    if safety.disposition is Disposition.SANDBOXED and safety.match is Match.STRICT:
        held = kinds[Verdict.MUTATING] + kinds[Verdict.UNDETERMINED]
        hopeless = [tool.name for tool in held if not sandbox.could_match(tool, safety.test_resources)]
        if hopeless:
            yield f"{name}: no parameter of {listed(hopeless)} can name a test resource; they will always be refused"

"""What a reader must know before trusting a report, as sentences: first what is wrong with the critique, then with the
run, then how the evidence was taken.

A caveat's text is plain, with names in backticks. It may hold untrusted words all the same: a renderer passes it
through ``inert.prose`` or escapes it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core import inert
from mcp_assay.core.citations import extra
from mcp_assay.core.model import AbortReason, Disposition
from mcp_assay.core.phrases import listed
from mcp_assay.core.session import State
from mcp_assay.report.coverage import Coverage

__all__ = ["NOTED", "Caveat", "collect"]

NOTED = re.compile(
    r"^[-*\s]*((?:Manifest unreadable|Rules not judged|\d+ transcript lines? not judged): \S.*?)\s*$", re.ASCII
)
"""A line of the critic's summary that the report repeats among its caveats."""

_EVIDENCE = {
    "gate": "every MCP call passed a gate outside the model, which wrote it down before sending it",
    "hooks": "calls that passed no gateway were allowed and told of by the host's hooks, so what was refused was "
    "refused only if the host honours its hooks, and a call that bypassed them was not seen",
    "imported": "the transcript was written elsewhere; nothing here vouches that it is complete",
}
_CRITIQUE = {
    "rules": "this tool's own rules, no model",
    "file": "a critic's output given as a file",
    "claude-code": "a model in a session of its own, beside this tool's own rules, whose findings it could only raise "
    "or add to",
}
_ISOLATION = {
    "none": "a server's process was not restricted: it could read and change what you can, this evaluation included, "
    "reach the network, and leave processes behind",
    "bwrap": "a server's process saw no home folder and no evaluation, could change no file but its test resources, "
    "was held to limits, and ended with all that it started; what else is on this machine it could read",
}
_AGENTS = ("host", "claude-code")
_DRIFTED = "some of its tools were not those of the interview; from when that was seen, what changed was refused."
_SHELLS = frozenset({"Bash", "PowerShell", "REPL"})
_ABORTS: Mapping[str, str] = {
    AbortReason.CALL_BUDGET: "call budget exceeded",
    AbortReason.WALLCLOCK: "session wallclock exceeded",
    AbortReason.SAFETY_ABORT: "a call beyond what was permitted was attempted, and refused",
}


@dataclass(frozen=True, slots=True)
class Caveat:
    """``kind`` is a short kebab-case name; ``raw`` are texts to show as they came, each in a block of its own."""

    kind: str
    text: str
    raw: tuple[str, ...] = ()


def collect(
    state: State, coverage: Sequence[Coverage], active: str | None, surface: Sequence[Mapping[str, Any]] = ()
) -> tuple[Caveat, ...]:
    """All caveats of a run, in the order of the report. ``active`` is the time at work where it is not the duration,
    ``surface`` what the manifests alone show.
    """
    parts = [_critique(state), _scenarios(state), _notes(state), _servers(state)]
    if state.attached_mcps:
        parts += [_coverage(coverage), _surface(surface), _evidence(state, active)]
    return tuple(caveat for part in parts for caveat in part)


def _critique(state: State) -> Iterator[Caveat]:
    if state.missing_critic_summary:
        yield Caveat("missing-summary", "The critic's output has no `## Summary` block.")
    # Beside a model's summary, what the rules had to say of their own limits.
    told = f"{state.critic_summary}\n{state.assay.get('rules_summary') or ''}"
    for line in dict.fromkeys(told.split("\n")):
        if noted := NOTED.match(line):
            kind = "manifest-unreadable" if noted[1].startswith("Manifest") else "not-judged"
            yield Caveat(kind, noted[1])
    if dropped := state.critic_findings_dropped_raw:
        yield Caveat("dropped", _dropped(len(dropped)), tuple(map(str, dropped)))
    for name in dict.fromkeys(state.unmapped_mcp_names):
        why = "which is not an attached MCP; routed to Unattributed"
        yield Caveat("unmapped", f"critic attributed findings to '{inert.line(str(name))}' {why}")
    about = {entry["id"]: f"{entry['id']} ({_cited(entry['summary'])})" for entry in state.critic_findings}
    for item in state.dangling_citations:
        finding = about.get(item["finding_id"], item["finding_id"])
        yield Caveat("dangling", f"{finding} cites {inert.code(item['cited_id'])}: {inert.line(item['reason'], 400)}")


def _dropped(number: int) -> str:
    if number == 1:
        return "Dropped: 1 heading of the critic could not be read as a finding; its text:"
    return f"Dropped: {number} headings of the critic could not be read as findings; their text:"


def _scenarios(state: State) -> Iterator[Caveat]:
    about = {str(scenario["id"]): str(scenario.get("description", "")) for scenario in state.scenarios}
    for entry in state.execution:
        name = str(entry["scenario_id"])
        told = f"{name} ({_cited(about[name])})" if about.get(name) else name
        if entry["status"] == "aborted":
            yield Caveat("aborted", f"{told} was aborted: {_why_aborted(entry)}.")
        elif extra(entry).get("reached") is False:
            yield Caveat("not-reached", f"{told} did not reach its goal: {_why_unreached(entry)}.")
        elif extra(entry).get("reached") is None and extra(entry).get("reason"):
            yield Caveat("goal-not-judged", f"{told}: {_why_unreached(entry)}.")


def _why_aborted(entry: Mapping[str, Any]) -> str:
    code, reason = entry.get("abort_reason"), extra(entry).get("reason")
    known = _ABORTS.get(code) if isinstance(code, str) else None
    return "; ".join(dict.fromkeys(filter(None, [known, _sentence(reason)]))) or "no reason was recorded"


def _why_unreached(entry: Mapping[str, Any]) -> str:
    failed = extra(entry).get("failed") or []
    return "; ".join(map(_sentence, failed)) or _sentence(extra(entry).get("reason")) or "no reason was recorded"


def _cited(text: str) -> str:
    """A few words that say which scenario or finding is meant."""
    return f"\u201c{inert.line(text, 80)}\u201d"


def _sentence(text: object) -> str:
    return inert.line(str(text or ""), 400).rstrip(". ")


def _notes(state: State) -> Iterator[Caveat]:
    if outside := len(state.assay.get("outside_calls") or []):
        calls = "1 call" if outside == 1 else f"{outside} calls"
        yield Caveat("outside-calls", f"{calls} outside any scenario: refused, and kept in `state.json`.")
    for key, kind in (("notes", "note"), ("host_notes", "host-note")):
        for note in state.assay.get(key) or []:
            yield Caveat(kind, inert.line(str(note), 600))


def _servers(state: State) -> Iterator[Caveat]:
    """Per server: what could not be enumerated, and notes of the configuration and of the host."""
    blind = [server for server in state.attached_mcps if not server["tools"]]
    if blind:
        yield Caveat("not-enumerable", f"Tools not enumerable: {', '.join(_limited(server) for server in blind)}.")
    for server in state.attached_mcps:
        ours, name = extra(server), inert.code(server["name"])
        if server["tools"] and ours.get("limitation"):
            yield Caveat("limitation", f"{name}: {_sentence(ours['limitation'])}.")
        if drifted := ours.get("drift"):
            yield Caveat("drift", f"{name}: {_DRIFTED}")
            for sentence in drifted:
                yield Caveat("drift", f"{name}: {inert.line(str(sentence), 1500)}.")
        for note in ours.get("notes") or []:
            yield Caveat("note", f"{name}: {inert.line(str(note), 600)}")
        if ours.get("host_note"):
            yield Caveat("host-note", f"{name}: {inert.line(str(ours['host_note']), 600)}")


def _limited(server: Mapping[str, Any]) -> str:
    name, why = inert.code(server["name"]), _sentence(extra(server).get("limitation"))
    return f"{name} ({why})" if why else name


def _coverage(coverage: Sequence[Coverage]) -> Iterator[Caveat]:
    for server in coverage:
        yield Caveat("coverage", f"Coverage of {inert.code(server.server)}: {_counts(server)}.")


def _counts(seen: Coverage) -> str:
    errors = f" ({seen.errors} with an error)" if seen.errors else ""
    tools = f"tools offered {len(seen.offered)}, called {len(seen.called)}"
    counts = f"{tools}; calls sent {seen.calls}, completed {seen.completed}{errors}, blocked {seen.blocked}"
    if not seen.not_drivable:
        return counts
    return f"{counts}; not drivable: {', '.join(map(inert.code, seen.not_drivable))}"


def _surface(surface: Sequence[Mapping[str, Any]]) -> Iterator[Caveat]:
    """Where to find what no call has shown; it is no finding, so how much of it there is stands only there."""
    open_ = [inert.code(str(table["server"])) for table in surface if table["counts"]]
    if open_:
        told = "what their manifests leave open (undescribed parameters, and the like) without a call that shows it"
        yield Caveat("surface", f"Surface of {listed(open_)}: {told} is no finding; it is in `report.json`, `surface`.")


def _evidence(state: State, active: str | None) -> Iterator[Caveat]:
    ours = state.assay
    taken, judged = _explained(ours.get("evidence"), _EVIDENCE), _explained(ours.get("critique"), _CRITIQUE)
    yield Caveat("evidence", f"Evidence: {taken}. Critique: {judged}.")
    if any(extra(entry).get("driver") in _AGENTS for entry in state.execution):
        yield Caveat("driver", "Driver: an agent in its own host; whether a goal was reached is what the agent said.")
        yield from _around(ours)
    yield from _compared(state)
    isolated = _explained(ours.get("isolation"), _ISOLATION)
    yield Caveat("isolation", " ".join([*_sandbox(state), f"Process isolation: {isolated}.", *_reaching(state)]))
    if active is not None:
        yield Caveat("active-time", f"Active time: {active}; the duration above counts the pauses too.")
    digest = ours.get("transcript_sha256")
    yield Caveat("digest", f"Transcript digest: {_stated(digest)}.")


def _compared(state: State) -> Iterator[Caveat]:
    """Where the record of the agent's host and the gate's transcript do not tell of the same calls."""
    for entry in state.execution:
        said, name = extra(entry).get("host") or {}, str(entry["scenario_id"])
        if made := said.get("unreported"):
            ids = ", ".join(inert.code(str(item)) for item in made)
            yield Caveat("not-reported", f"{name}: made but not reported: the host's record does not mention {ids}.")
        if unseen := said.get("unseen"):
            tools = ", ".join(inert.code(str(item)) for item in unseen)
            yield Caveat("not-made", f"{name}: reported but not made: the gate saw no call for {tools}.")


def _around(ours: Mapping[str, Any]) -> Iterator[Caveat]:
    """How an agent in its own host could have come around the gate."""
    if ours.get("canary") == "refused":
        yield Caveat("canary", "Hooks: the host was tried at the start, and it refused the call that it had to refuse.")
    if shells := sorted(_SHELLS & set(ours.get("allow") or ())):
        names = ", ".join(map(inert.code, shells))
        told = "it could start a server by itself, and calls outside the gate cannot be excluded"
        yield Caveat("shell", f"Shell: the agent was allowed to run programs ({names}): {told}.")


def _sandbox(state: State) -> list[str]:
    """One sentence for each way of matching: a disposition may have its own, else it has the evaluation's."""
    names: dict[str, list[str]] = {}
    for kept in state.safety_dispositions:
        if kept["disposition"] == Disposition.SANDBOXED:
            match = _stated(extra(kept).get("match") or state.assay.get("match"))
            names.setdefault(match, []).append(inert.code(kept["mcp_name"]))
    return [
        f"Sandboxed: {', '.join(held)}, match {match}; this restricts a call's arguments, not the server's process."
        for match, held in names.items()
    ]


def _reaching(state: State) -> Iterator[str]:
    """Of isolated servers, those that had the network; and those that nothing here can isolate."""
    if state.assay.get("isolation") in (None, "none"):
        return
    granted = [kept["mcp_name"] for kept in state.safety_dispositions if extra(kept).get("network")]
    remote = [server["name"] for server in state.attached_mcps if extra(server).get("transport") not in (None, "stdio")]
    here = [name for name in granted if name not in remote]
    yield f"With the network: {', '.join(map(inert.code, here))}." if here else "None of them had the network."
    if remote:
        yield f"Remote, so not isolated: {', '.join(map(inert.code, remote))}."


def _explained(word: object, meanings: Mapping[str, str]) -> str:
    meaning = meanings.get(word) if isinstance(word, str) else None
    return f"{_stated(word)} ({meaning})" if meaning else _stated(word)


def _stated(word: object) -> str:
    return "not stated" if word is None else inert.code(str(word))

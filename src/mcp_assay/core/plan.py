"""The plan of an unattended evaluation: the answer to every question, and which of them are still missing.

A missing answer is never replaced by one that permits more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_assay.core.limits import CALL_TIMEOUT, START_TIMEOUT
from mcp_assay.core.model import Disposition, Match, Rules, Safety, ServerConfig, Verdict
from mcp_assay.core.problems import did_you_mean
from mcp_assay.core.scenarios import Approval, RawScenario

__all__ = ["BWRAP", "NONE", "UNPINNED", "Plan", "build", "unanswered"]

CONNECT_ALL = "all"
UNPINNED = "unpinned"
"""``derive: unpinned``: whatever is derived is approved with the list."""
NONE, BWRAP = "none", "bwrap"
"""What ``isolation`` may say."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a plan file says; None or empty is what it does not say.

    ``connect`` is ``"all"`` or maps servers to their digests; ``env`` maps servers to the names of variables that they
    may see. Either ``scenarios_file`` or ``scenarios`` is given, or neither; ``tour`` then takes each server's tools
    once. ``derive`` is the digest of the derived list that is approved, or ``unpinned``; None derives nothing.
    ``model`` is what the driver's host is to use; with ``host_record`` the host's event stream is kept. Paths are
    resolved against the file's folder. ``source`` is the file as the user named it, ``sha256`` its bytes' digest.
    """

    name: str | None = None
    project: str | None = None
    out: str | None = None
    connect: str | Mapping[str, str] | None = None
    dispositions: Mapping[str, Safety] = field(default_factory=dict)
    env: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scenarios: tuple[RawScenario, ...] = ()
    scenarios_file: str | None = None
    tour: bool = False
    derive: str | None = None
    approval: Approval | None = None
    call_budget: int | None = None
    wallclock_budget: float | None = None
    match: Match = Match.STRICT
    rules: Rules = Rules.EXTENDED
    allow: tuple[str, ...] = ()
    fail_on: str | None = None
    driver: str = "script"
    model: str | None = None
    critic: str = "rules"
    host_record: bool = True
    isolation: str | None = None
    start_timeout: float = START_TIMEOUT
    call_timeout: float = CALL_TIMEOUT
    source: str | None = None
    sha256: str | None = None

    def skips(self, server: str) -> bool:
        """Whether this server is answered with ``skip``: it is never started."""
        safety = self.dispositions.get(server)
        return safety is not None and safety.disposition is Disposition.SKIP


def build(value: Mapping[str, Any], *, source: str, sha256: str, scenarios: Sequence[RawScenario] = ()) -> Plan:
    """A Plan of a loaded file that fits the plan's schema, its paths resolved.

    ``scenarios`` are those that the file itself holds, parsed.
    """
    match = Match(value.get("match", Match.STRICT))
    answers = {server: _answer(given) for server, given in value.get("dispositions", {}).items()}
    file = value.get("scenarios")
    return Plan(
        name=value.get("name"),
        project=value.get("project"),
        out=value.get("out"),
        connect=value.get("connect"),
        dispositions={server: _safety(answer, match) for server, answer in answers.items()},
        env={server: tuple(answer["env"]) for server, answer in answers.items() if answer.get("env")},
        scenarios=tuple(scenarios),
        scenarios_file=file if isinstance(file, str) else None,
        tour=value.get("tour", False),
        derive=value.get("derive"),
        approval=Approval(value["approval"]) if "approval" in value else None,
        call_budget=int(value["call_budget"]) if "call_budget" in value else None,  # 5.0 is a whole number in JSON
        wallclock_budget=value.get("wallclock_budget"),
        match=match,
        rules=Rules(value.get("rules", Rules.EXTENDED)),
        allow=tuple(value.get("allow", ())),
        fail_on=value.get("fail_on"),
        driver=value.get("driver", "script"),
        model=value.get("model"),
        critic=value.get("critic", "rules"),
        host_record=value.get("host_record", True),
        isolation=value.get("isolation"),
        start_timeout=value.get("start_timeout", START_TIMEOUT),
        call_timeout=value.get("call_timeout", CALL_TIMEOUT),
        source=source,
        sha256=sha256,
    )


def unanswered(
    plan: Plan,
    attached: Sequence[ServerConfig],
    *,
    named: bool = False,
    trusted: bool = False,
    has_scenarios: bool = False,
) -> list[str]:
    """Every answer that is missing or void, as sentences that name the plan's key to add; empty if none is.

    ``named``: the servers were given on the command line, which is consent to start them. ``trusted``: so was
    ``--trust-config``. ``has_scenarios``: so was a scenarios file.
    """
    missing = [_no_disposition(plan, server.name) for server in attached if server.name not in plan.dispositions]
    if not named:
        for server in attached:
            missing += _no_consent(plan, server, trusted=trusted)
    if not (plan.scenarios or plan.scenarios_file or has_scenarios or plan.tour):
        missing.append("scenarios: add a file or a list of 1 to 8 scenarios, or `tour: true`")
    if plan.approval not in (Approval.APPROVE, Approval.USER_ONLY):
        missing.append("approval: add `approval: approve` once you have read the scenarios and agree to all of them")
    return missing


def _no_disposition(plan: Plan, server: str) -> str:
    # "An MCP with no disposition is a safety failure, not a default."
    return f"dispositions: add {server!r} with read_only, sandboxed or skip{did_you_mean(server, plan.dispositions)}"


def _no_consent(plan: Plan, server: ServerConfig, *, trusted: bool) -> list[str]:
    """Starting a server runs its command, so the consent is bound to what would run."""
    if plan.skips(server.name):
        return []
    if plan.connect == CONNECT_ALL:
        return [] if trusted else ["connect: `all` needs --trust-config on the command line, or pin each server"]
    pins = plan.connect if isinstance(plan.connect, Mapping) else {}
    if server.name not in pins:
        return [f"connect: add {server.name!r} with the digest {server.digest}, once you have seen what it runs"]
    if pins[server.name] != server.digest:
        return [f"connect: {server.name!r} is not what was pinned; if the change is yours, pin {server.digest}"]
    return []


def _answer(given: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"disposition": given} if isinstance(given, str) else given


def _safety(answer: Mapping[str, Any], match: Match) -> Safety:
    given = answer.get("marks", {})
    marks = {tool: {"mark": mark} if isinstance(mark, str) else mark for tool, mark in given.items()}
    return Safety(
        Disposition(answer["disposition"]),
        tuple(answer.get("test_resources", ())),
        answer.get("notes", ""),
        Match(answer.get("match", match)),
        {tool: Verdict(mark["mark"]) for tool, mark in marks.items()},
        answer.get("network", False),
        {tool: mark["tool"] for tool, mark in marks.items() if "tool" in mark},
    )

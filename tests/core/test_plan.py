from typing import Any

import pytest

from mcp_assay.core.model import Disposition, Match, Rules, Safety, ServerConfig, Verdict
from mcp_assay.core.plan import Plan, build, unanswered
from mcp_assay.core.scenarios import Approval, RawScenario

TRACKER, NOTES = ServerConfig("tracker", "c.json", command="t"), ServerConfig("notes", "c.json", command="n")
READ_ONLY, SKIP = Safety(Disposition.READ_ONLY), Safety(Disposition.SKIP)
COMPLETE = Plan(
    connect={"tracker": TRACKER.digest, "notes": NOTES.digest},
    dispositions={"tracker": READ_ONLY, "notes": READ_ONLY},
    scenarios=(RawScenario("x"),),
    approval=Approval.APPROVE,
)


def made(**value: Any) -> Plan:
    return build(value, source="p.yaml", sha256="sha256:0")


def with_changes(**changes: Any) -> Plan:
    return Plan(
        **{
            name: changes.get(name, getattr(COMPLETE, name))
            for name in ("connect", "dispositions", "scenarios", "approval")
        }
    )


def test_an_empty_plan_answers_nothing_and_permits_nothing() -> None:
    plan = made()
    assert (plan.dispositions, plan.env, plan.allow, plan.connect, plan.approval) == ({}, {}, (), None, None)
    assert (plan.match, plan.rules, plan.driver) == (Match.STRICT, Rules.EXTENDED, "script")
    assert (plan.isolation, plan.start_timeout, plan.call_timeout) == (None, 30, 60)
    assert not plan.skips("tracker")


def test_a_full_plan() -> None:
    plan = made(
        name="n",
        project="p",
        out="o",
        connect="all",
        dispositions={
            "a": {
                "disposition": "sandboxed",
                "test_resources": ["repo: x"],
                "notes": "n",
                "marks": {"t": "mutating", "u": {"mark": "read", "tool": "sha256:1"}},
                "env": ["A", "B"],
                "network": True,
            },
            "b": "skip",
            "c": {"disposition": "read_only", "match": "strict"},
        },
        scenarios="s.yaml",
        approval="user-only",
        call_budget=5.0,
        wallclock_budget=0.5,
        match="literal",
        rules="spec",
        allow=["Bash"],
        fail_on="major",
        driver="script",
        isolation="bwrap",
        start_timeout=5,
        call_timeout=0.5,
    )
    assert plan.dispositions == {
        "a": Safety(
            Disposition.SANDBOXED,
            ("repo: x",),
            "n",
            Match.LITERAL,
            {"t": Verdict.MUTATING, "u": Verdict.READ},
            network=True,
            pins={"u": "sha256:1"},
        ),
        "b": Safety(Disposition.SKIP, match=Match.LITERAL),
        "c": Safety(Disposition.READ_ONLY, match=Match.STRICT),
    }
    assert (plan.env, plan.allow, plan.connect) == ({"a": ("A", "B")}, ("Bash",), "all")
    assert (plan.name, plan.project, plan.out, plan.scenarios_file, plan.scenarios) == ("n", "p", "o", "s.yaml", ())
    assert (plan.approval, plan.rules, plan.fail_on) == (Approval.USER_ONLY, Rules.SPEC, "major")
    assert (plan.call_budget, plan.wallclock_budget) == (5, 0.5)
    assert (plan.isolation, plan.start_timeout, plan.call_timeout) == ("bwrap", 5, 0.5)
    assert plan.skips("b")
    assert not plan.skips("a")


def test_scenarios_that_the_file_holds_are_kept() -> None:
    plan = build({"scenarios": [{}]}, source="p", sha256="s", scenarios=[RawScenario("x")])
    assert (plan.scenarios, plan.scenarios_file) == ((RawScenario("x"),), None)


def test_a_complete_plan_leaves_nothing_unanswered() -> None:
    assert unanswered(COMPLETE, [TRACKER, NOTES]) == []


def test_everything_that_is_missing_is_listed_at_once_with_the_key_to_add() -> None:
    missing = unanswered(Plan(), [TRACKER, NOTES])
    assert [sentence.split(":")[0] for sentence in missing] == [
        "dispositions",
        "dispositions",
        "connect",
        "connect",
        "scenarios",
        "approval",
    ]
    assert TRACKER.digest in missing[2]
    assert "'notes'" in missing[3]


def test_a_misspelt_server_is_pointed_at() -> None:
    plan = with_changes(dispositions={"trakcer": READ_ONLY, "notes": READ_ONLY})
    assert unanswered(plan, [TRACKER, NOTES]) == [
        "dispositions: add 'tracker' with read_only, sandboxed or skip; did you mean 'trakcer'?"
    ]


def test_a_changed_server_is_not_what_was_pinned() -> None:
    changed = ServerConfig("tracker", "c.json", command="something-else")
    [sentence] = unanswered(COMPLETE, [changed, NOTES])
    assert sentence.startswith("connect: 'tracker' is not what was pinned")
    assert changed.digest in sentence


def test_connect_all_works_only_with_trust_on_the_command_line() -> None:
    plan = with_changes(connect="all")
    assert [sentence.split(":")[0] for sentence in set(unanswered(plan, [TRACKER, NOTES]))] == ["connect"]
    assert unanswered(plan, [TRACKER, NOTES], trusted=True) == []
    assert unanswered(with_changes(connect=None), [TRACKER, NOTES], trusted=True) != []


def test_a_skipped_server_is_never_started_and_needs_no_pin() -> None:
    plan = with_changes(connect={"tracker": TRACKER.digest}, dispositions={"tracker": READ_ONLY, "notes": SKIP})
    assert unanswered(plan, [TRACKER, NOTES]) == []


def test_naming_servers_on_the_command_line_is_consent_to_start_them_and_to_nothing_else() -> None:
    plan = with_changes(connect=None, dispositions={"tracker": READ_ONLY})
    assert [sentence.split(" ")[0] for sentence in unanswered(plan, [TRACKER, NOTES], named=True)] == ["dispositions:"]


def test_a_scenarios_file_on_the_command_line_answers_for_the_plans() -> None:
    plan = with_changes(scenarios=())
    assert unanswered(plan, [TRACKER, NOTES])[0].startswith("scenarios: ")
    assert unanswered(plan, [TRACKER, NOTES], has_scenarios=True) == []


@pytest.mark.parametrize("token", [None, Approval.EDIT])
def test_nothing_but_the_two_tokens_approves(token: Approval | None) -> None:
    assert unanswered(with_changes(approval=token), [TRACKER, NOTES])[0].startswith("approval: ")
    assert unanswered(with_changes(approval=Approval.USER_ONLY), [TRACKER, NOTES]) == []

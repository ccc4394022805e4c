import pytest

import report_case
from mcp_assay.report.coverage import Coverage, measure

TRACKER = {"name": "tracker", "tools": ["get", "set"]}
ODD = {"name": "odd.name", "tools": []}


def test_calls_are_counted_per_server_in_the_servers_order() -> None:
    tracker, cloud, wiki, mailer = measure(report_case.ENTRIES, report_case.state().attached_mcps)
    assert tracker == Coverage(
        "tracker",
        offered=("list_issues", "get_issue", "create_issue", "delete_issue"),
        called=("list_issues", "get_issue", "create_issue"),
        calls=6,
        completed=4,
        errors=1,
        blocked=1,
        not_drivable=("delete_issue",),
    )
    assert (cloud.calls, cloud.completed, cloud.errors) == (1, 1, 0)
    assert wiki == Coverage("wiki", offered=("search",))
    assert mailer == Coverage("mailer")


@pytest.mark.parametrize(
    ("shape", "completed", "errors"),
    [("object{id}", 1, 0), ("error:403", 1, 1), (None, 0, 0), (7, 0, 0)],
)
def test_a_line_from_elsewhere_is_judged_by_its_shape(shape: object, completed: int, errors: int) -> None:
    entries = [{"id": "S1-001", "tool": "mcp__odd_name__do_it", "result_shape": shape}]
    _, odd = measure(entries, [TRACKER, ODD])
    assert (odd.calls, odd.called, odd.completed, odd.errors) == (1, ("do_it",), completed, errors)


@pytest.mark.parametrize("outcome", ["pending", "unknown", "timeout", "lost", "cancelled"])
def test_a_call_that_got_no_answer_is_not_completed(outcome: str) -> None:
    (seen,) = measure([report_case.line("S1-001", "mcp__tracker__get", "tracker", outcome)], [TRACKER])
    assert (seen.calls, seen.completed) == (1, 0)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"tool": "Bash"},
        {"tool": None},
        {"tool": "mcp__gone__x"},
        {"tool": "__budget_abort__", "assay": {"mcp": "tracker"}},
    ],
)
def test_lines_that_are_no_call_to_an_attached_server_count_for_nobody(entry: dict[str, object]) -> None:
    assert measure([entry], [TRACKER]) == (Coverage("tracker", offered=("get", "set")),)


def test_what_is_no_tools_call_is_a_call_and_no_tool() -> None:
    entry = report_case.line("S1-001", "mcp__tracker__resources_read", "tracker", "ok")
    entry["assay"] |= {"tool": "resources/read", "rule": "read-method"}
    (seen,) = measure([entry], [TRACKER])
    assert (seen.calls, seen.completed, seen.called) == (1, 1, ())

import pytest

from critic_lines import evidence, line, outside
from mcp_assay.critic.rules.response_shape.per_server import hands_on_documents, hands_on_writings, showing


@pytest.mark.parametrize(
    ("name", "document", "writing"),
    [
        ("read_text_file", True, True),
        ("getFileContents", True, True),
        ("fetch", True, True),
        ("get_logs", True, True),
        ("get_message", False, True),
        ("get-annotated-message", False, True),
        ("list_files", False, False),
        ("list_messages", False, False),
        ("get_file_info", False, False),
        ("search_documents", False, False),
        ("read_graph", False, False),
        ("get_issue", False, False),
    ],
)
def test_tools_that_hand_on_what_others_wrote(name: str, document: bool, writing: bool) -> None:
    [call] = evidence(line("S1-001", name)).calls
    assert (hands_on_documents(call), hands_on_writings(call)) == (document, writing)


def test_calls_are_gathered_server_by_server() -> None:
    seen = evidence(line("S1-001"), line("S1-002", mcp="docs"), line("S1-003"), outside("S1-004"))
    assert [[call.id for call in calls] for calls in showing(seen, lambda _: True)] == [
        ["S1-001", "S1-003"],
        ["S1-002"],
    ]

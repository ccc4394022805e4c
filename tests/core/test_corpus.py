import json
from typing import Any

import pytest

from mcp_assay.core import corpus
from mcp_assay.core.model import Rules


def line(**fields: Any) -> str:
    return json.dumps({"server": "srv", **fields})


def test_a_set_is_read_judged_and_counted() -> None:
    entries = corpus.read(
        [
            line(tool="get_row", description="Gets a row", annotations={}, input_schema={}, label="read"),
            "",
            line(tool="row_list", description=None, annotations=None, input_schema=None, label="read"),
            line(tool="create_row", label="mutate", more=1),
            line(tool="row_list", label="unclear", server="other"),
        ]
    )
    verdicts = list(corpus.judge(entries, Rules.EXTENDED))
    # The list of "srv" has a sibling that creates rows, the one of "other" has none.
    assert [found.rule for found in verdicts] == ["permit-prefix", "permit-suffix", "denylist-token", "no-rule"]
    assert corpus.confusion(entries, verdicts) == {
        "read": {"read": 2, "mutating": 0, "undetermined": 0},
        "mutate": {"read": 0, "mutating": 1, "undetermined": 0},
        "unclear": {"read": 0, "mutating": 0, "undetermined": 1},
    }


def test_without_labels_nothing_is_counted() -> None:
    entries = corpus.read([line(tool="get_row")])
    assert corpus.confusion(entries, list(corpus.judge(entries, Rules.SPEC))) == {}


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("{", "line 2"),
        ("[]", "a tool is an object"),
        (line(), "key 'tool'"),
        (line(tool=""), "key 'tool'"),
        (line(tool="x", label="maybe"), "key 'label': must be one of read, mutate, unclear"),
        ("[" * 100_000, "line 2"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(bad: str, why: str) -> None:
    with pytest.raises(ValueError, match="line 2") as caught:
        corpus.read([line(tool="get_row"), bad])
    assert why in str(caught.value)

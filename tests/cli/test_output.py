"""JSON on stdout: the value as it is, in letters that do nothing."""

import json
from typing import Any

import pytest

from mcp_assay.cli.output import print_json


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "\x1b[2J\u202e\u200b\ud800",
        "::error::x\n::error::y",
        "##[error]x",
        "###[error]x",
        "##vso[x]",
        "# ## ####",
    ],
)
def test_the_value_survives_and_the_text_is_inert(capsys: pytest.CaptureFixture[str], text: str) -> None:
    value: dict[str, Any] = {text: [text, {"a": text}]}
    print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert printed.isascii()
    assert printed.replace("\n", "").isprintable()
    assert "##" not in printed
    assert not any(line.strip().startswith("::") for line in printed.splitlines())

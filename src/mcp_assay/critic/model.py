"""What a model that judges is told: the specification's prompt, and the critic's own instructions from the plugin."""

import importlib.resources
from collections.abc import Sequence
from pathlib import Path

from mcp_assay.core import inert

__all__ = ["brief", "instructions"]

_BRIEF = """\
Transcript: {folder}/transcript.jsonl
State: {folder}/state.json
Manifests: {folder}/{manifests}
Findings of the rules: {folder}/rules-output.md
Attached MCPs: {names}

Read all of these inputs before forming findings. For each attached MCP, consult its pinned manifest for tool
descriptions and parameter schemas before making `glue_code` severity judgments; read no configuration files. Emit
findings in the format specified in your agent instructions. Every finding must cite ≥1 transcript id.
"""


def brief(folder: Path, names: Sequence[str], manifests: str = ".assay/manifests.json") -> str:
    """The critic's whole brief: what it reads lies in ``folder``, the manifests at a path under it."""
    return _BRIEF.format(folder=folder, manifests=manifests, names=", ".join(map(inert.line, names)))


def instructions() -> str:
    """The instructions of the plugin's critic agent, without what only its host reads."""
    file = importlib.resources.files("mcp_assay").joinpath("host/plugin/agents/friction-critic.md")
    _, _, rest = file.read_text(encoding="utf-8").partition("---\n")
    return rest.partition("---\n")[2].strip()

"""What may be called: each server's tools under its disposition, and how each of them could be driven."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mcp_assay.core import safety, sandbox
from mcp_assay.core.classify import Classified
from mcp_assay.core.fill import fill
from mcp_assay.core.model import Disposition, Manifest, Rules, Safety, Tool, Verdict
from mcp_assay.core.supply import Supply

__all__ = ["Surface", "surfaces"]


@dataclass(frozen=True)
class Surface:
    """One server that is not skipped. ``decided`` is the strictest of those whose names fold alike."""

    server: str
    tools: tuple[Tool, ...]
    decided: Safety
    rules: Rules
    policy: safety.Policy = field(repr=False)

    def verdict(self, tool: Tool) -> Classified:
        return safety.verdict(self.server, tool, self.decided, self.policy)

    @property
    def resources(self) -> tuple[str, ...]:
        """The test resources of a sandboxed server; none of another."""
        return self.decided.test_resources if self.decided.disposition is Disposition.SANDBOXED else ()

    @cached_property
    def reads(self) -> tuple[Tool, ...]:
        return tuple(tool for tool in self.tools if self.verdict(tool).verdict is Verdict.READ)

    @cached_property
    def _names_of_reads(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.reads)

    def is_read(self, tool: Tool) -> bool:
        return tool.name in self._names_of_reads

    @cached_property
    def supply(self) -> Supply:
        return Supply(self.server, self.reads, self.resources)

    def permits(self, tool: Tool, given: Mapping[str, Any] | None = None) -> bool:
        """Whether a call could pass: it reads, or it is sandboxed and its arguments can be covered by test resources.

        What an earlier result supplies is not known yet; the call itself is decided on when it is made.
        """
        if self.is_read(tool):
            return True
        if self.decided.disposition is not Disposition.SANDBOXED:
            return False
        args = fill(self.server, tool, given or {}, resources=self.resources).args
        return sandbox.check(args, tool.input_schema, self.resources, self.decided.match).ok


def surfaces(manifests: Mapping[str, Manifest], dispositions: Mapping[str, Safety], rules: Rules) -> dict[str, Surface]:
    """The surfaces of all servers but those that are skipped or have no disposition."""
    # "Filter out MCPs whose disposition is skip before considering derivation candidates."
    found = {}
    policy = safety.Policy(dispositions, manifests, rules)
    for server, manifest in manifests.items():
        decided = safety.stricter(server, dispositions)
        if decided is not None and decided.disposition is not Disposition.SKIP:
            found[server] = Surface(server, manifest.tools, decided, rules, policy)
    return found

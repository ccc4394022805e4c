"""Calls that a better tool, or a better answer, would have spared."""

from mcp_assay.critic.rules.base import Rule
from mcp_assay.critic.rules.redundant_calls import (
    list_then_get,
    page_for_one_item,
    polling,
    same_read_again,
    twin_tools,
    unnamed_creation,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    list_then_get.RULE,
    twin_tools.RULE,
    same_read_again.RULE,
    polling.RULE,
    page_for_one_item.RULE,
    unnamed_creation.RULE,
)

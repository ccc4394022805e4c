"""Was code needed where MCP should have done, and is that said honestly?"""

from mcp_assay.critic.rules.base import Rule
from mcp_assay.critic.rules.glue_code import (
    code_over_results,
    fallback_after_error,
    generic_justification,
    passed_over,
    transform_between,
    unknown_tool_considered,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    transform_between.RULE,
    fallback_after_error.RULE,
    code_over_results.RULE,
    passed_over.RULE,
    generic_justification.RULE,
    unknown_tool_considered.RULE,
)

"""Does what a server returns fit what a client can use? Judged for every driver where the server alone made it so."""

from mcp_assay.critic.rules.base import Rule
from mcp_assay.critic.rules.response_shape import (
    error_in_success,
    error_without_cause,
    heavy_items,
    json_in_text,
    list_without_identifiers,
    more_data_than_cursor,
    schema_not_kept,
    unlimited_result,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    json_in_text.RULE,
    error_in_success.RULE,
    error_without_cause.RULE,
    schema_not_kept.RULE,
    more_data_than_cursor.RULE,
    unlimited_result.RULE,
    heavy_items.RULE,
    list_without_identifiers.RULE,
)

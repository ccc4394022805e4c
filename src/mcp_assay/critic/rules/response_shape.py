"""Does what a server returns fit what a client can use? Judged for every driver: the server alone made the result."""

from collections.abc import Callable, Iterator

from mcp_assay.core.model import Dimension, Severity, Tool
from mcp_assay.critic.evidence import Call, Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Cost, Draft, Rule, grouped, listed

__all__ = ["RULES"]


def _per_server(evidence: Evidence, shows: Callable[[Call], bool]) -> Iterator[tuple[str, list[Call]]]:
    """Each server with those of its successful calls that show the thing: one server is one cause."""
    shown = ((call.server, call) for call in evidence.mcp_calls if call.ok and shows(call))
    yield from grouped(shown).items()


def _draft(rule: str, severity: Severity, calls: list[Call], summary: str, recommendation: str) -> Draft:
    return Draft(
        rule=rule,
        severity=severity,
        dimension=Dimension.RESPONSE_SHAPE,
        mcp=calls[0].server,
        summary=summary,
        evidence_ids=tuple(call.id for call in calls),
        recommendation=recommendation,
        cost=Cost.of(calls),
    )


def _tools(calls: list[Call]) -> str:
    return listed(call.tool for call in calls)


# --- json-in-text ------------------------------------------------------------------------------------------------


def _json_in_text(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        result, tool = call.result, evidence.described(call)
        undeclared = tool is None or tool.output_schema is None
        return result.text_is_json is True and result.structured is False and undeclared

    for _, calls in _per_server(evidence, shows):
        yield _draft(
            JSON_IN_TEXT,
            Severity.MINOR if len(calls) > 1 else Severity.SUGGESTION,
            calls,
            f"JSON comes back as plain text from {_tools(calls)}, so clients must parse strings",
            "Declare an outputSchema and return the object as structuredContent beside the text.",
        )


# --- error-in-success --------------------------------------------------------------------------------------------


def _error_in_success(evidence: Evidence) -> Iterator[Draft]:
    for _, calls in _per_server(evidence, lambda call: call.result.error_in_success is True):
        # In data a failure has a field of its own; in prose it is only that the text begins like one.
        told = any(call.result.structured or call.result.text_is_json for call in calls)
        yield _draft(
            ERROR_IN_SUCCESS,
            Severity.MAJOR if told else Severity.MINOR,
            calls,
            f"A failure is reported as a success by {_tools(calls)}",
            "Set isError on a result that reports a failure; a client that trusts the flag goes on with an error text.",
        )


# --- schema-not-kept ---------------------------------------------------------------------------------------------


def _schema_not_kept(evidence: Evidence) -> Iterator[Draft]:
    for _, calls in _per_server(evidence, lambda call: call.result.schema_valid is False):
        yield _draft(
            SCHEMA_NOT_KEPT,
            Severity.MAJOR,
            calls,
            f"Results do not fit the outputSchema that the server declared for {_tools(calls)}",
            "Return structuredContent that fits the declared outputSchema, or correct the schema.",
        )


# --- more-data-than-cursor ---------------------------------------------------------------------------------------


def _more_data_than_cursor(evidence: Evidence) -> Iterator[Draft]:
    def severity(call: Call) -> Severity | None:
        tool = evidence.described(call)
        return None if tool is None else _stuck(call, tool)

    for _, calls in _per_server(evidence, lambda call: severity(call) is not None):
        certain = any(severity(call) is Severity.MAJOR for call in calls)
        yield _draft(
            MORE_DATA_THAN_CURSOR,
            Severity.MAJOR if certain else Severity.MINOR,
            calls,
            f"A list was cut short with no way to ask for the rest: {_tools(calls)}",
            "Return a next cursor (and accept it), or offer an offset or page parameter.",
        )


def _stuck(call: Call, tool: Tool) -> Severity | None:
    """How badly the caller is stuck before the rest of a list: MAJOR if there certainly is a rest and no way to it."""
    result = call.result
    if result.next_cursor is not False or any(names.is_position(argument.path) for argument in call.args):
        return None  # it may go on from the cursor; or this may be the last of several pages
    positions = [name for name in names.parameters(tool) if names.is_position(name)]
    if any(not names.is_cursor(name) for name in positions):
        return None
    if result.total is not None and result.items is not None:
        certain = result.total > result.items
        return (Severity.MINOR if _may_ask_for_more(call, tool) else Severity.MAJOR) if certain else None
    # A full page alone says little: without a next cursor it is how a list that pages by cursor ends, and where the
    # limit can be raised the caller has a way to see.
    guessed = result.at_limit is True and not positions and not _may_ask_for_more(call, tool)
    return Severity.MINOR if guessed else None


def _may_ask_for_more(call: Call, tool: Tool) -> bool:
    """Whether the tool has a limit parameter that may be higher than what came back."""
    limits = [schema for name, schema in names.parameters(tool).items() if names.is_limit(name)]
    return any(names.maximum(schema) > (call.result.items or 0) for schema in limits)


JSON_IN_TEXT = "json-in-text"
ERROR_IN_SUCCESS = "error-in-success"
SCHEMA_NOT_KEPT = "schema-not-kept"
MORE_DATA_THAN_CURSOR = "more-data-than-cursor"

RULES = (
    Rule(
        JSON_IN_TEXT,
        Dimension.RESPONSE_SHAPE,
        ANY,
        needs_manifests=False,
        rationale="A JSON object inside a text block has no declared form, so every client guesses and parses.",
        judge=_json_in_text,
    ),
    Rule(
        ERROR_IN_SUCCESS,
        Dimension.RESPONSE_SHAPE,
        ANY,
        needs_manifests=False,
        rationale="A failure without isError looks like data, and an agent builds on it.",
        judge=_error_in_success,
    ),
    Rule(
        SCHEMA_NOT_KEPT,
        Dimension.RESPONSE_SHAPE,
        ANY,
        needs_manifests=False,
        rationale='The protocol has it: "Servers MUST provide structured results that conform to this schema."',
        judge=_schema_not_kept,
    ),
    Rule(
        MORE_DATA_THAN_CURSOR,
        Dimension.RESPONSE_SHAPE,
        ANY,
        needs_manifests=True,
        rationale="A caller that sees part of a list and no way on either misses the rest or believes it has all.",
        judge=_more_data_than_cursor,
    ),
)

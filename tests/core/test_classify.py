from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.claims import LIMIT
from mcp_assay.core.classify import classify, hints
from mcp_assay.core.model import Rules, Tool, Verdict
from mcp_assay.core.words import DENYLIST, MUTATING_VERBS, PERMIT_LIST

READ, MUTATING, UNDETERMINED = Verdict.READ, Verdict.MUTATING, Verdict.UNDETERMINED
BOTH = pytest.mark.parametrize("rules", list(Rules))


def verdict(
    name: str, description: str = "", *, server: str = "srv", rules: Rules = Rules.EXTENDED, **annotations: Any
) -> Verdict:
    return classify(Tool(name, description, annotations=annotations), server, rules).verdict


def judged(name: str, description: str = "", *siblings: str, **properties: Any) -> tuple[Verdict, str]:
    schema = {"type": "object", "properties": properties}
    tool = Tool(name, description, schema)
    found = classify(tool, "srv", Rules.EXTENDED, [tool, *map(Tool, siblings)])
    return found.verdict, found.rule


@pytest.mark.parametrize(
    ("name", "by_spec", "by_extended"),
    [
        ("get_closed_issues", READ, READ),
        ("list_closed_issues", READ, READ),
        ("LIST_ITEMS", READ, READ),
        ("get_or_create_issue", MUTATING, MUTATING),
        ("create_issue", MUTATING, MUTATING),
        ("exists", READ, READ),
        ("fetch", READ, READ),
        ("notify_team", UNDETERMINED, UNDETERMINED),
        ("", UNDETERMINED, UNDETERMINED),
        ("_", UNDETERMINED, UNDETERMINED),
        ("_get_item", UNDETERMINED, READ),
        ("listItems", UNDETERMINED, READ),
        ("list-items", UNDETERMINED, READ),
        ("items.list", UNDETERMINED, UNDETERMINED),
        ("search.items", UNDETERMINED, READ),
        ("removeItem", UNDETERMINED, MUTATING),
        ("fetchOrInsertRow", UNDETERMINED, MUTATING),
        ("fetch-or-remove", UNDETERMINED, MUTATING),
        ("fetch.then.send", UNDETERMINED, MUTATING),
        ("get_IDremove", READ, MUTATING),
        ("undelete_row", UNDETERMINED, MUTATING),
        ("drop_table", UNDETERMINED, MUTATING),
        ("get_and_clear_log", READ, MUTATING),
        ("get_post", READ, READ),
        ("list_resets", READ, READ),
        ("count_reset", READ, UNDETERMINED),
        ("status_toggle", READ, UNDETERMINED),
        ("subscribe", UNDETERMINED, MUTATING),
    ],
)
def test_names_are_split_as_the_rule_set_says(name: str, by_spec: Verdict, by_extended: Verdict) -> None:
    assert verdict(name, rules=Rules.SPEC) is by_spec
    assert verdict(name, rules=Rules.EXTENDED) is by_extended


@BOTH
@pytest.mark.parametrize("first", sorted(PERMIT_LIST))
@pytest.mark.parametrize("denied", sorted(DENYLIST))
def test_no_permitted_prefix_outweighs_a_denylist_token(first: str, denied: str, rules: Rules) -> None:
    assert verdict(f"{first}_{denied}_thing", rules=rules) is MUTATING
    assert verdict(f"{first}_thing", rules=rules) is READ


@pytest.mark.parametrize(
    ("description", "by_spec", "by_extended"),
    [
        ("Looks at one row.", READ, READ),
        ("Fetches a row, or else will create it.", MUTATING, MUTATING),
        ("Read-only, but can delete rows too.", MUTATING, MUTATING),
        ("Returns the set of rows.", MUTATING, READ),
        ("Does not create, update or delete anything.", MUTATING, READ),
        ("Does not delete the row but creates a copy.", MUTATING, MUTATING),
        ("Returns rows that were deleted or updated.", READ, READ),
        ("Returns recent updates and workflow runs.", READ, READ),
        ("See create_row for making one.", READ, READ),
        ("Fetches a note. Marks it as seen; this cannot be undone.", READ, MUTATING),
        ("Fetches a note, which is then marked for good.", READ, MUTATING),
        ("Irreversible: pops the next job.", READ, MUTATING),
        ("Gets the row and moves it to the bin.", READ, MUTATING),
        ("Creates a branch.", READ, MUTATING),
        ("Gets a file. Saves it to the local disk.", READ, MUTATING),
        ("Gets the next job, removing it from the queue.", READ, MUTATING),
        ("The message will be deleted afterwards.", READ, MUTATING),
        ("Updates the cache", READ, MUTATING),
    ],
)
def test_a_description_that_mentions_mutation_denies_a_name_that_passes(
    description: str, by_spec: Verdict, by_extended: Verdict
) -> None:
    assert verdict("get_row", description, rules=Rules.SPEC) is by_spec
    assert verdict("get_row", description, rules=Rules.EXTENDED) is by_extended


@pytest.mark.parametrize("phrase", ["read-only", "Read only", "READONLY"])
def test_under_spec_read_only_in_the_description_pardons_a_mutating_name(phrase: str) -> None:
    found = classify(Tool("run_query", f"Strictly {phrase}."), "srv", Rules.SPEC)
    assert (found.verdict, found.rule) == (READ, "description-read-only")


@BOTH
@pytest.mark.parametrize("text", ["This is not read-only.", "This isn't read-only.", "Never read only", "bread-onlyx"])
def test_what_is_said_not_to_be_read_only_is_not(text: str, rules: Rules) -> None:
    assert verdict("run_query", text, rules=rules) is MUTATING
    assert verdict("look", text, rules=rules) is not READ


@pytest.mark.parametrize("name", ["run_query", "deleteRow", "drop_table", "git-push"])
def test_under_extended_nothing_that_a_server_says_pardons_a_mutating_name(name: str) -> None:
    assert verdict(name, "Read-only.", readOnlyHint=True, destructiveHint=False) is MUTATING


def test_under_extended_a_servers_words_lift_what_no_rule_decided() -> None:
    assert verdict("look", readOnlyHint=True) is READ
    assert verdict("look", "Read-only lookup of rows.") is READ
    assert verdict("look", "This tool is strictly read-only.") is READ
    assert verdict("look", "Sets aside a read-only copy.", readOnlyHint=True) is MUTATING
    assert verdict("look", "Makes a read-only copy.") is UNDETERMINED
    assert verdict("look", readOnlyHint="true") is MUTATING
    assert verdict("look", rules=Rules.SPEC, readOnlyHint=True) is UNDETERMINED


@pytest.mark.parametrize("hints_given", [{"readOnlyHint": False}, {"destructiveHint": True}, {"readOnlyHint": "no"}])
def test_under_extended_annotations_veto(hints_given: Mapping[str, Any]) -> None:
    assert verdict("get_row", **hints_given) is MUTATING
    assert verdict("get_row", rules=Rules.SPEC, **hints_given) is READ


@pytest.mark.parametrize(
    ("server", "name", "expected"),
    [
        ("git", "git_list_branches", READ),
        ("git-mcp", "git_list_branches", READ),
        ("My Git", "myGitListBranches", READ),
        ("git", "git_create_branch", MUTATING),
        ("git", "git", UNDETERMINED),
        ("gitlab", "git_list_branches", UNDETERMINED),
        ("run", "run_list", MUTATING),
        ("search", "search_rows", READ),
        ("", "list_rows", READ),
    ],
)
def test_a_leading_server_name_is_no_verb(server: str, name: str, expected: Verdict) -> None:
    assert verdict(name, server=server) is expected


@pytest.mark.parametrize("name", ["get_or_dеlete", "get_or_ｄｅｌｅｔｅ", "gеt_row"])  # noqa: RUF001 - look-alikes are the point
def test_look_alike_letters_never_make_a_read(name: str) -> None:
    assert verdict(name) is not READ


@BOTH
def test_a_description_longer_than_what_is_examined_is_never_a_read(rules: Rules) -> None:
    long = "Looks. " * LIMIT
    assert verdict("get_row", long, rules=rules) is UNDETERMINED
    assert verdict("delete_row", long, rules=rules) is MUTATING
    assert verdict("look", f"Read-only. {long}", rules=rules, readOnlyHint=True) is UNDETERMINED


@BOTH
@given(name=st.text(max_size=40), description=st.text(max_size=200), server=st.text(max_size=10))
def test_classify_is_total_and_gives_the_same_answer_twice(
    name: str, description: str, server: str, rules: Rules
) -> None:
    tool = Tool(name, description)
    assert classify(tool, server, rules) == classify(tool, server, rules)


@given(
    name=st.sampled_from(["get_{}_x", "{}Row", "x-{}-y", "list.{}", "{}"]),
    verb=st.sampled_from(sorted(DENYLIST)),
    description=st.sampled_from(["", "Read-only.", "This tool is read-only"]),
    hint=st.sampled_from([True, False, None]),
    server=st.sampled_from(["", "x", "get", "srv"]),
)
def test_no_denylist_word_in_a_name_ever_reads_under_extended(
    name: str, verb: str, description: str, hint: bool | None, server: str
) -> None:
    assert verdict(name.format(verb), description, server=server, readOnlyHint=hint) is MUTATING


@pytest.mark.parametrize(
    ("name", "description", "siblings", "expected"),
    [
        ("items_list", "Returns the items", (), (READ, "permit-suffix")),
        ("IssueSearch", "Deep search across issues", (), (READ, "permit-suffix")),
        ("order_status", "Get the status of an order", (), (READ, "permit-suffix")),
        ("items_list", "", ("create_items",), (READ, "permit-suffix")),
        ("items_list", "", ("create_notes",), (UNDETERMINED, "no-rule")),
        ("items_list", "Items on a list", ("get_items",), (UNDETERMINED, "no-rule")),
        ("message_read", "", ("create_message",), (UNDETERMINED, "no-rule")),
        ("message_read", "Marks a message as read", (), (MUTATING, "description-denies")),
    ],
)
def test_a_name_that_ends_in_a_reading_verb_needs_support(
    name: str, description: str, siblings: tuple[str, ...], expected: tuple[Verdict, str]
) -> None:
    assert judged(name, description, *siblings) == expected


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        ("hget", "Get the value of a field", (READ, "description-reads")),
        ("directions", "Calculates the way between two points", (READ, "description-reads")),
        ("directions", "The way between two points", (UNDETERMINED, "no-rule")),
        ("order", "Returns an order", (UNDETERMINED, "no-rule")),
        ("download_chart", "Get a chart", (UNDETERMINED, "no-rule")),
        ("hget", "Get a field, and delete it", (MUTATING, "description-denies")),
        ("API-retrieve-row", "Notes | Retrieve a row", (READ, "description-reads")),
        ("verify_name", "Verify if a name exists", (READ, "description-reads")),
        ("verify_name", "Verify a name", (UNDETERMINED, "no-rule")),
        ("recordings", "Summary of the recordings", (READ, "description-reads")),
        ("mr_notes", "List the notes of a merge request", (READ, "description-reads")),
        ("mr_notes", "List the notes, then merge", (MUTATING, "description-denies")),
        ("preview_page", "Preview and deploy the page", (MUTATING, "description-denies")),
        ("preview_and_buy", "Preview the price", (UNDETERMINED, "no-rule")),
        ("index_rebuild", "Lists what the index has", (UNDETERMINED, "no-rule")),
        ("list_labels_sync", "Lists the labels", (UNDETERMINED, "verb-at-the-end")),
        ("checkout", "Check out a branch", (UNDETERMINED, "no-rule")),
        ("log", "Shows the commit logs", (READ, "description-reads")),
        ("log", "Shows a text in the console", (UNDETERMINED, "no-rule")),
        ("page", "Browse to an address", (UNDETERMINED, "no-rule")),
        ("element", "Clicks on an element", (UNDETERMINED, "no-rule")),
    ],
)
def test_a_description_that_reads_lifts_a_name_that_says_nothing(
    name: str, description: str, expected: tuple[Verdict, str]
) -> None:
    assert judged(name, description) == expected


@pytest.mark.parametrize("name", ["body", "content", "message", "sql", "code", "outputPath"])
def test_a_parameter_to_store_or_to_run_keeps_a_description_from_lifting(name: str) -> None:
    assert judged("thing", "Get a thing", id={"type": "string"}) == (READ, "description-reads")
    assert judged("thing", "Get a thing", **{name: {"type": "string"}}) == (UNDETERMINED, "no-rule")


def test_a_name_that_reads_and_a_description_that_acts_decide_nothing() -> None:
    assert judged("get_click", "Clicks on the element") == (UNDETERMINED, "description-acts")
    assert judged("show_box", "Show a notification") == (UNDETERMINED, "description-acts")
    assert judged("get_token", "Issues a new access token") == (UNDETERMINED, "description-acts")
    assert judged("get_export", "Starts an export") == (UNDETERMINED, "description-acts")
    assert verdict("get_export", "Starts an export", readOnlyHint=True) is READ


def test_a_tool_that_runs_what_it_is_given_is_held_against_every_mention_unless_it_says_that_it_reads() -> None:
    also_writes = "Query the database. Use it to insert rows as well."
    assert judged("query", "Query the database", sql={"type": "string"}) == (READ, "permit-prefix")
    assert judged("query", also_writes, id={"type": "string"}) == (READ, "permit-prefix")
    assert judged("query", also_writes, sql={"type": "string"}) == (MUTATING, "description-denies")
    assert judged("query", f"{also_writes} In SQL.", query={}) == (MUTATING, "description-denies")
    assert judged("query", also_writes, query={"description": "In Cypher"}) == (MUTATING, "description-denies")
    assert judged("query", "Run a query", sql={"type": "string"}) == (MUTATING, "description-denies")
    assert judged("query", "Run a read-only query", sql={"type": "string"}) == (READ, "permit-prefix")
    assert judged("read_graph", "Execute a read Cypher query", query={}) == (READ, "permit-prefix")
    assert judged("read_graph", "Execute a read or write Cypher query", query={}) == (MUTATING, "description-denies")
    assert judged("answer", "Returns rows", sql={"type": "string"}) == (UNDETERMINED, "no-rule")
    assert judged("query", "Execute a SELECT query", query={"description": "SQL"}) == (READ, "permit-prefix")
    assert judged("query", "Query the catalogue", query={"type": "string"}) == (READ, "permit-prefix")
    assert judged("search_log", "Execute a search query", query={"type": "string"}) == (READ, "permit-prefix")
    assert judged("search_log", "Execute a SQL query", text={"type": "string"}) == (MUTATING, "description-denies")
    assert judged("search_log", "Execute a job", query={"type": "string"}) == (MUTATING, "description-denies")
    assert judged("query", "Run a search query", sql={"type": "string"}) == (MUTATING, "description-denies")


def test_a_schema_that_offers_a_mutating_action_vetoes() -> None:
    offered = {"enum": ["get", "delete"]}
    assert judged("get_issue", "Get an issue", operation=offered) == (MUTATING, "schema-offers-mutation")
    assert verdict("get_issue") is READ


def test_a_schema_that_always_writes_a_file_vetoes() -> None:
    schema = {"properties": {"outputPath": {}}, "required": ["outputPath"]}
    found = classify(Tool("get_report", "Gets a report", schema), "srv", Rules.EXTENDED)
    assert (found.verdict, found.rule, found.words) == (MUTATING, "schema-saves", ("outputPath",))


def test_an_annotation_is_held_against_what_the_description_claims_and_the_name_says() -> None:
    assert verdict("look", "Deep view. Use drop_row to delete one.", readOnlyHint=True) is READ
    assert verdict("look", "Deletes a row.", readOnlyHint=True) is MUTATING
    assert verdict("look", "Use drop_row to delete one.") is MUTATING
    assert verdict("tap", "On the screen", readOnlyHint=True) is UNDETERMINED
    assert verdict("look", "Taps on the screen", readOnlyHint=True) is UNDETERMINED
    assert verdict("wait_and_tap", "On the screen", readOnlyHint=True) is UNDETERMINED
    assert verdict("turn_on", "A light", readOnlyHint=True) is UNDETERMINED
    assert verdict("reboot_host", "A host", readOnlyHint=True) is MUTATING
    assert verdict("tap", "Returns where the screen was tapped", readOnlyHint=True) is READ


def test_the_rule_and_its_words_are_told() -> None:
    found = classify(Tool("get_or_create_row"), "srv", Rules.SPEC)
    assert (found.rule, found.words) == ("denylist-token", ("create",))
    assert classify(Tool("get_row"), "srv", Rules.EXTENDED).words == ("get",)


def test_hints_name_the_tools_whose_names_contain_a_mutating_word() -> None:
    tools = [Tool(name) for name in ("list_rows", "createRow", "rerun", "SEND", "update_row", "get_row")]
    assert hints(tools) == ("createRow", "rerun", "SEND", "update_row")


@pytest.mark.parametrize("word", ["write", "delete", "create", "update", "push", "publish", "send", "execute", "run"])
def test_each_word_of_the_specifications_hint_is_hinted_at(word: str) -> None:
    assert hints([Tool(f"list_{word}_x"), Tool("list_x")]) == (f"list_{word}_x",)


def test_the_word_lists_do_not_contradict_each_other() -> None:
    assert not PERMIT_LIST & (DENYLIST | MUTATING_VERBS)

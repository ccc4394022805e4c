import time

import pytest

from mcp_assay.core.claims import LIMIT, Description, denylisted


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        # Its first verb, however it is introduced.
        ("Deletes a row.", ["deletes"]),
        ("Delete a row.", ["delete"]),
        ("This tool is used to delete a row.", ["delete"]),
        ("[DANGER] Use this tool to permanently delete rows", ["delete", "permanently"]),
        ("⚠️ Approve the pending request", ["approve"]),
        ("Allows you to set the label", ["set"]),
        # A verb joined to it.
        ("Gets or creates a row.", ["creates"]),
        ("List, create and delete labels", ["create", "delete"]),
        ("Fetches a row, or else will create it.", ["create"]),
        ("Gets a message and marks it", ["marks"]),
        ("Reads the row but removes its lock.", ["removes"]),
        ("Get the file and archive it", ["archive"]),
        ("Validate an order and place it", ["place"]),
        ("Summarize the thread and email it to the team", ["email"]),
        ("Gets a thread, or starts one with the text", ["starts"]),
        ("Checks for a bucket and makes it if there is none", ["makes"]),
        ("Notes | Create a comment", ["create"]),
        # A later sentence of which the tool is the subject.
        ("Gets the next job. Removes it from the queue.", ["removes"]),
        ("Gets a report. It also sends a copy to the team.", ["sends"]),
        ("Checks the topics. Advances each topic's cursor.", ["advances"]),
        ("Returns a row. The server may also delete old rows.", ["delete"]),
        # An effect.
        ("Gets a job; this cannot be undone.", ["cannot be undone"]),
        ("Runs an audit. Full reports are saved to disk.", ["runs", "saved to disk"]),
        ("Gets a note, which will be archived.", ["will be archived"]),
        ("Pops the next job, removing it.", ["pops", ", removing "]),
        ("Returns a password, invalidating the last one", [", invalidating "]),
        ("Lists notes; they are marked as seen once returned", ["; they are marked"]),
        ("Gets a bucket. If there is none, it is created.", [", it is created", "if there is none, it is created"]),
        (
            "Returns the session. If none exists, a new one is opened.",
            ["if none exists, a new one is opened", "a new one is opened"],
        ),
        ("Gets a note. The unread flag is cleared.", [". the unread flag is cleared"]),
        ("Gets a secret, which is destroyed. It is then erased.", [". it is then erased"]),
        ("Gets a note \u2014 deleting it from the server", ["\u2014 deleting "]),
        ("Gets a note. WARNING: modifies its date", ["warning: modifies"]),
        ("Gets a note. Note: this triggers a refresh.", ["triggers"]),
        ("Gets a note; this is a destructive operation.", ["a destructive operation"]),
        ("Gets a note. It has side effects.", ["has side effects"]),
        ("Gets a file, then downloads it to the local disk", ["downloads it to the local"]),
        ("Fetches the next job and claims it.", ["claims"]),
        ("Reads and acknowledges messages.", ["acknowledges"]),
        ("Gets the row (creates it when missing).", ["creates"]),
        ("Get or lazily create the row.", ["create"]),
        ("Fetch the page and cache it on disk.", ["cache"]),
        ("Gets the row, logging the access.", [", logging "]),
        ("Returns a code. The code is consumed on read.", [". the code is consumed"]),
        ("Gets a report. Charges one credit per call.", ["charges"]),
        ("Returns the secret; afterwards it is no longer there.", ["afterwards it is no longer"]),
        ("Not read-only: counts the views.", ["not read-only"]),
        ("Gets the file, downloading it to the local disk.", ["downloading it to the local"]),
        # What runs something is known by what it runs.
        ("Execute a statement", ["execute"]),
    ],
)
def test_what_a_description_claims_for_its_tool(text: str, claimed: list[str]) -> None:
    assert list(Description(text).claims("get_row", read_only=False)) == claimed


@pytest.mark.parametrize(
    "text",
    [
        "List task instances by run ID, with the date of their last update",
        "Returns the next open/close times.",
        "Returns rows. Set verbose to true to include columns.",
        "Gets recently created, updated or deleted rows.",
        "Lists watches. Use remove_watch to remove one.",
        "Lists templates. Use the id with create_case to apply one.",
        "Does not create, update or delete anything.",
        "Gets a config without applying it; never delete anything by it",
        "Gets all members of a sorted set.",
        "Get the notes of a merge request",
        "Explains a statement. The statement is run in a sandbox.",
        "Gets a note. It is not a destructive operation and has no side effects.",
        "Lists notes that are deleted; settings: adds a line with the date",
        "Returns the notes that are marked private, and starts with the newest",
        "Searches an index (e.g. created with create-index-for-model).",
        "Returns rows you can update later.",
        "Shows what users may delete.",
        "Gets the status of a prediction. It may be cancelled at https://example.com/x/cancel once.",
        "Lists rows. Updates are listed apart, and charges by month.",
        "Returns logs as text that\nupdates and queries have left behind.",
        "Execute the SNS `get_row` operation.",
        "Execute a SELECT query",
        "Run a read-only query",
    ],
)
def test_what_is_said_of_other_things_is_no_claim(text: str) -> None:
    assert Description(text).claims("get_row", read_only=False) == ()


def test_to_run_something_is_no_claim_of_a_tool_that_is_said_to_be_read_only() -> None:
    assert Description("Runs the query of the request.").claims("find", read_only=True) == ()
    assert Description("Runs the query of the request.").claims("find", read_only=False) == ("runs",)
    assert Description("Sets up and runs the tests.").claims("find", read_only=True)[0] == "sets"


def test_every_mutating_verb_is_a_mention_but_not_what_is_denied_or_a_noun() -> None:
    assert Description("Looks at rows. Use drop_row to delete one.").mentions() == ("delete",)
    assert Description("Looks at rows. Does not delete or update them.").mentions() == ()
    assert Description("Looks at the members of a sorted set.").mentions() == ()
    assert Description("Submit feedback").mentions() == ("submit",)
    assert Description("Looks. Toggles the lamp").mentions() == ("toggles",)


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Returns one row", "returns"),
        ("This tool retrieves a row.", "retrieves"),
        ("Quickly look up a row", "look"),
        ("Deep search across all helpers", "search"),
        ("Perform a hybrid search combining two filters", "search"),
        ("Extract text from a page", "extract"),
        ("Provides more detailed information on a row", "provides"),
        ("Extract an archive to a folder", None),
        ("Provides access to the account", None),
        ("Perform an action on the page", None),
        ("Capture a payment", None),
        ("A row, by its id", None),
        ("", None),
    ],
)
def test_the_first_sentence_says_whether_a_tool_reads(text: str, verb: str | None) -> None:
    assert Description(text).reads() == verb


@pytest.mark.parametrize(
    ("text", "verb"), [("Clicks on the element", "clicks"), ("Place an order", "place"), ("Gets a click", None)]
)
def test_a_verb_of_acting_is_told(text: str, verb: str | None) -> None:
    assert Description(text).acts() == verb


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Read-only.", True),
        ("Looks at rows. This tool is strictly read only.", True),
        ("A read-only lookup of rows", True),
        ("Run a read-only SQL query", True),
        ("Select one of these operations (read-only)", True),
        ("This is not read-only.", False),
        ("Read-only by default.", False),
        ("Read-only unless `force` is set.", False),
        ("This tool is read-only when `dry_run` is true.", False),
        ("In read-only mode it only looks.", False),
        ("Access: read-only / read-write", False),
        ("Read-only and write queries", False),
        ("Supported operations:\n- GetRow (read-only)\n- PutRow (requires the WRITE permission)", False),
        ("Makes a read-only copy.", False),
    ],
)
def test_a_tool_is_read_only_if_it_says_so_of_itself_and_without_condition(text: str, said: bool) -> None:
    assert (Description(text).read_only() is not None) is said


def test_full_width_letters_hide_no_verb() -> None:
    assert Description("Ｄｅｌｅｔｅｓ the row").claims("get_row", read_only=False) == ("deletes",)  # noqa: RUF001


def test_the_specifications_words_are_whole_words() -> None:
    assert denylisted("Creates; create, SET and set; undelete") == ("create", "set")


@pytest.mark.parametrize(
    "chunk",
    [
        ".",
        "\n",
        "\t",
        " ",
        "and ",
        "save ",
        "not ",
        "this is a ",
        "read-only ",
        "a",
        "a-",
        "mark a ",
        "use this to ",
        "[",
        "will ",
    ],
)
def test_a_hostile_description_is_read_in_bounded_time(chunk: str) -> None:
    text = chunk * (LIMIT // len(chunk))
    began = time.process_time()
    said = Description(text)
    said.claims("x", read_only=False), said.mentions(), said.reads(), said.read_only()
    # A pattern that backtracks would take minutes here.
    assert time.process_time() - began < 5

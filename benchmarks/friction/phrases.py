"""How callers say why they do something without MCP: honestly in many ways, and in the ways of those who don't look."""

__all__ = ["ASIDES", "CANNOT", "GENERIC", "IMAGINED", "NOWHERE"]

ASIDES = (
    ("date -u +%F", "today's date is wanted for the summary"),
    ("uname -s", "the notes say on which system they were made"),
    ("printf 'draft\\n' | wc -c", "the user asked how long the draft is"),
    ("echo done", "a line for the user's own log"),
    ("printf '%s\\n' b a c | sort", "the user's list of names is sorted"),
    ("echo 12 40 | awk '{print 100*$1/$2}'", "the user wants a share of two figures of theirs"),
    ("pwd", "the report says where it was made"),
    ("python3 -c 'print(round(7.5*4))'", "hours are worked out from the user's own time sheet"),
)
"""Commands that have nothing to do with any server, each with its reason."""

NOWHERE = (
    "no attached MCP covers this step: {}",
    "No attached MCP covers this: {}.",
    "none of the attached servers has to do with it; {}",
    "this is about the user's machine and no server's data: {}",
)
"""Ways to say that no server is for a step."""

CANNOT = (
    "considered {tool}, but {reason}",
    "Considered {tool}: {reason}.",
    "{tool} does not help here: {reason}",
    "{tool} was the obvious choice, but {reason}",
    "after {tool}: {reason}",
)
"""Ways to say why a tool that was looked at would not do."""

GENERIC = (
    "faster locally",
    "It is easier this way.",
    "More convenient.",
    "quick check",
    "needed for the task",
    "simpler to do in the shell",
    "just processing data",
    "This is the most efficient approach.",
    "to save time",
    "helper command",
    "standard tooling is fine here",
    "because it works",
    "Bash is good at this",
    "No particular reason.",
    "part of the workflow",
    "straightforward with a script",
)
"""What is no justification."""

IMAGINED = ("grep_all", "aggregate_records", "export_csv", "run_report", "bulk_lookup", "get_everything", "convert_all")
"""Names of tools that no server has."""

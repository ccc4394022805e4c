"""``python -m mcp_assay.policy [--results FOLDER]``: the server over stdio, without the command line's imports.

A client that starts a server waits for it, so this is the command that ``mcp-assay policy config`` prints.
"""

import sys

from mcp_assay.policy import scorecard, stdio
from mcp_assay.policy.protocol import Server

__all__ = ["main"]

_USAGE = "usage: python -m mcp_assay.policy [--results FOLDER]"


def main(arguments: list[str]) -> int:
    match arguments:
        case []:
            results = scorecard.RESULTS
        case ["--results", folder]:
            results = folder
        case _:
            print(_USAGE, file=sys.stderr)  # noqa: T201 - there is no command line here to say it
            return 2
    try:
        stdio.run(Server(scorecard.reader(results)))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

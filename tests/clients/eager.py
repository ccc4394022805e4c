"""Stands in front of a server and makes it ask: it hears of abilities and progress tokens that the client never gave.

The client's own frames pass otherwise as they are, and what the server says passes untouched.
"""

import json
import subprocess
import sys

ABILITIES = {
    "roots": {"listChanged": True},
    "sampling": {},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {"requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}},
}


def spiced(line: bytes) -> bytes:
    message = json.loads(line)
    if message["method"] == "initialize":
        message["params"]["capabilities"] = ABILITIES
    elif message["method"] == "tools/call":
        message["params"]["_meta"] = {"progressToken": message["id"]}
    else:
        return line
    return json.dumps(message).encode() + b"\n"


def main(command: list[str]) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE) as server:
        assert server.stdin is not None
        for line in sys.stdin.buffer:
            # An answer to what the server asked has no method.
            server.stdin.write(spiced(line) if b'"method"' in line else line)
            server.stdin.flush()
        server.stdin.close()


main(sys.argv[1:])

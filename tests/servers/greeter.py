"""Writes a banner (bytes as hex) at the start and before each reply; answers initialize with the JSON given."""

import json
import sys

BANNER, REPLY = bytes.fromhex(sys.argv[1]), json.loads(sys.argv[2])

sys.stdout.buffer.write(BANNER)
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        body = REPLY if message["method"] == "initialize" else {"result": {"tools": []}}
        reply = json.dumps({"jsonrpc": "2.0", "id": message["id"], **body})
        sys.stdout.buffer.write(BANNER + reply.encode() + b"\r\n")
    sys.stdout.buffer.flush()

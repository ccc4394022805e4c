"""Answers initialize, then never reads its input again, and ignores being asked to end."""

import json
import os
import signal
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
number = json.loads(os.read(0, 65_536))["id"]
sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": {"protocolVersion": "2025-11-25"}}) + "\n")
sys.stdout.flush()
time.sleep(600)

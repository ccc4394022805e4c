"""peak.py COMMAND...: run it, silent; print its exit code, seconds, and peak memory in MB, as JSON.

A process of its own because the peak that the kernel keeps for a child begins with that of the parent who started it:
this parent is a bare interpreter. Standard library only.
"""

import json
import os
import sys
import time

_UNIT = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    began = time.monotonic()
    pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)])
    _, status, used = os.wait4(pid, 0)
    seconds = time.monotonic() - began
    code = os.waitstatus_to_exitcode(status)
    print(json.dumps({"code": code, "seconds": seconds, "megabytes": used.ru_maxrss * _UNIT / 1e6}))


main()

"""measured.py FILE WORD...: the command itself, in this process; at its end the peak of its memory goes to FILE, in MB.

The kernel's figure for this process alone: what it started does not count, nor does what started it.
"""

import atexit
import re
import sys
from pathlib import Path

from mcp_assay.cli.main import main


def record(file: Path) -> None:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    file.write_text(str(int(found[1]) // 1024 if found else -1), encoding="utf-8")


if __name__ == "__main__":
    atexit.register(record, Path(sys.argv.pop(1)))
    main()

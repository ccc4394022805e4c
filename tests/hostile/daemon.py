"""Leaves a process behind that has a session of its own and no parent; its id goes to the file that is named first."""

import os
import signal
import sys
import time
from pathlib import Path

from peer import serve

if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    for fd in range(3):
        os.close(fd)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Path(sys.argv[1]).write_text(f"{os.getpid()}\n", encoding="utf-8")
    time.sleep(600)
    os._exit(0)
serve()

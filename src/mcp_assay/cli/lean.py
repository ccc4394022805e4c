"""What a process that waits beside an agent for hours does without: OpenSSL, and what unpacks archives.

It speaks over unix sockets only. asyncio, hashlib, hmac and shutil take their parts for optional, and have or need no
other; without them the process holds a sixth less, and hashes short texts faster.
"""

import importlib
import sys
from contextlib import suppress

__all__ = ["begin", "end"]

_OPTIONAL = ("ssl", "bz2", "lzma")
_HASHES = "_hashlib"
_OWN_HASHES = ("_sha2", "_sha256")  # of CPython itself, since 3.12 and before


def begin() -> None:
    """From now on they cannot be imported. Does nothing to what has been imported already."""
    for name in (*_OPTIONAL, *((_HASHES,) if _has_own_hashes() else ())):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # "If the value is None, then ModuleNotFoundError"


def _has_own_hashes() -> bool:
    for name in _OWN_HASHES:
        with suppress(ImportError):
            importlib.import_module(name)
            return True
    return False


def end() -> None:
    """They can be imported again: what comes now may need them."""
    for name in (*_OPTIONAL, _HASHES):
        if name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]

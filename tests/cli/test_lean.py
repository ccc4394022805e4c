"""A process that does without OpenSSL for a while: each in a process of its own."""

import subprocess
import sys

import pytest

TRIED = "from mcp_assay.cli import lean; lean.begin(); "


def run(script):
    return subprocess.run([sys.executable, "-P", "-c", TRIED + script], capture_output=True, text=True, check=False)


def test_what_hashes_and_signs_gives_the_same():
    script = "import hashlib, hmac; print(hashlib.sha256(b'a').hexdigest(), hmac.digest(b'k', b'a', 'sha256').hex())"
    with_it = run("lean.end(); " + script)
    without = run("import sys; " + script + "; assert not sys.modules['_hashlib'] and not sys.modules['ssl']")
    assert without.stdout == with_it.stdout != ""


@pytest.mark.parametrize("name", ["ssl", "bz2", "lzma", "_hashlib"])
def test_they_cannot_be_imported_until_the_end(name):
    done = run(f"""
try:
    import {name}
except ImportError:
    lean.end()
    import {name}
    print("again")
""")
    assert (done.stdout, done.stderr) == ("again\n", "")


def test_what_an_owner_that_waits_loads_works_without_them():
    done = run("import mcp_assay.cli.gate, sys; print(sys.modules['ssl'], '_ssl' in sys.modules)")
    assert done.stdout == "None False\n", done.stderr


def test_what_was_loaded_before_stays():
    script = "import ssl; from mcp_assay.cli import lean; lean.begin(); import ssl; lean.end(); import ssl"
    assert subprocess.run([sys.executable, "-P", "-c", script], check=False, capture_output=True).returncode == 0

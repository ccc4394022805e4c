#!/bin/sh
# A virtual environment with some packages, pinned by constraints.txt: venv.sh PYTHON FOLDER PACKAGE...
set -eu
python=$1 venv=$2
shift 2

fail() {
    echo "error: $*" >&2
    exit 2
}

[ -n "$python" ] || fail "no python3 found; install Python 3.11 or newer, or say which: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is older than Python 3.11; say which to use: make PYTHON=/path/to/python3.11"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python has no venv or ensurepip; on Debian and Ubuntu: apt-get install python3-venv"

echo "installing into $venv ..."
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt "$@"
# Compiled once here, so that the first run is as fast as the next (some systems do not write bytecode by themselves).
"$venv/bin/python" -m compileall -q "$venv/lib" >/dev/null 2>&1 || true

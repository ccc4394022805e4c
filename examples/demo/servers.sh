#!/bin/sh
# The demo's servers, each in an environment of its own, and a scratch repository: servers.sh PYTHON FOLDER
set -eu
python=$1 demo=$2
mkdir -p "$demo"
for package in mcp-server-time mcp-server-git mcp-server-fetch; do
    sh scripts/venv.sh "$python" "$demo/$package" "$package"
done
sh scripts/venv.sh "$python" "$demo/tracker" mcp

#!/bin/sh
# Ten MCP servers from PyPI and the npm registry, in the versions of docs/explanation/real-servers.md: install.sh FOLDER
# Each of those in Python gets an environment of its own.
set -eu
[ $# -eq 1 ] || { echo "error: say where to install: install.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
servers=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

venv() {
    folder=$servers/$1
    shift
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

venv time mcp-server-time==2026.10.19
venv git mcp-server-git==2026.10.19
venv fetch mcp-server-fetch==2026.10.24
venv sqlite mcp-server-sqlite==2025.4.25 'mcp<2' # with a newer mcp it does not start
venv duckdb mcp-server-motherduck==1.1.0
venv excel excel-mcp-server==2.2.2
sh scripts/npm-install.sh "$servers/npm" @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/server-memory@2026.8.31 @modelcontextprotocol/server-everything@2026.8.31 \
    obsidian-mcp@2.0.1 node@22.23.3 # obsidian-mcp wants a newer Node.js than we do

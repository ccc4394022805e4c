#!/bin/sh
# MCP servers from the npm registry for `make test-clients`: npm-servers.sh FOLDER
set -eu
folder=${1:-}
servers="@modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-everything@2026.8.31"

fail() {
    echo "error: $*" >&2
    exit 2
}

[ -n "$folder" ] || fail "say where to install: npm-servers.sh FOLDER"
for command in npm npx node; do
    command -v "$command" >/dev/null 2>&1 || fail "$command not found; install Node.js 20 or newer"
done
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    fail "node $(node --version) is too old; install Node.js 20 or newer"

# What was installed is written down last, inside the folder that it vouches for.
installed=$folder/node_modules/.installed
[ "$(cat "$installed" 2>/dev/null)" != "$servers" ] || exit 0
echo "installing into $folder ..."
rm -rf "$folder/node_modules"
mkdir -p "$folder"
echo '{"private": true}' >"$folder/package.json"
# shellcheck disable=SC2086 # one argument for each server
npm install --loglevel=error --no-package-lock --no-audit --no-fund --prefix "$folder" $servers >/dev/null ||
    fail "npm could not install $servers; what it said is above"
echo "$servers" >"$installed"

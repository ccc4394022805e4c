#!/bin/sh
# MCP servers and clients from the npm registry for `make test-clients`: npm-servers.sh FOLDER
set -eu
packages="@modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-everything@2026.8.31
@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0
@modelcontextprotocol/conformance@0.2.0-alpha.12"
# The Inspector and the conformance suite want a newer Node.js than we do: this package brings one along.
packages="$packages node@22.23.3"

# shellcheck disable=SC2086 # one argument for each package
exec sh "$(dirname "$0")/npm-install.sh" "${1:-}" $packages

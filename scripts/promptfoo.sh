#!/bin/sh
# Promptfoo as `make test-promptfoo` installs it, told to contact nobody: promptfoo.sh KEPT ARGUMENT...
# KEPT is the folder for its database and settings, which are otherwise in the home.
set -eu
binary=$(dirname "$0")/../build/promptfoo/node_modules/.bin/promptfoo
[ -x "$binary" ] || {
    echo "error: Promptfoo is not installed; run: make test-promptfoo" >&2
    exit 2
}
[ $# -ge 2 ] || {
    echo "error: say where it may keep things and what it is to do: promptfoo.sh KEPT ARGUMENT..." >&2
    exit 2
}
export PROMPTFOO_CONFIG_DIR="$1"
shift
export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1
# It still reports that its telemetry is off. A proxy at a port where nothing listens keeps that here.
unset http_proxy https_proxy no_proxy NO_PROXY
export HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9
# With many errors to log, it crashes while it closes the log.
export PROMPTFOO_DISABLE_DEBUG_LOG=1 PROMPTFOO_DISABLE_ERROR_LOG=1
exec "$binary" "$@"

#!/bin/sh
# Packages from the npm registry into a folder of their own: npm-install.sh FOLDER ARGUMENT...
# The arguments are npm's: packages with their versions, and options.
set -eu
folder=${1:-}

fail() {
    echo "error: $*" >&2
    exit 2
}

[ -n "$folder" ] && [ $# -ge 2 ] || fail "say where to install and what: npm-install.sh FOLDER ARGUMENT..."
shift
for command in npm npx node; do
    command -v "$command" >/dev/null 2>&1 || fail "$command not found; install Node.js 20 or newer"
done
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    fail "node $(node --version) is too old; install Node.js 20 or newer"

# A package that is compiled here needs Node's headers; where they lie beside it, they are not downloaded once more.
prefix=$(node -p 'require("path").dirname(require("path").dirname(process.execPath))')
if [ -z "${npm_config_nodedir:-}" ] && [ -f "$prefix/include/node/node.h" ]; then
    export npm_config_nodedir="$prefix"
fi
export JOBS="${JOBS:-max}"  # of the compiler

# What was installed is written down last, inside the folder that it vouches for.
installed=$folder/node_modules/.installed
[ "$(cat "$installed" 2>/dev/null)" != "$*" ] || exit 0
echo "installing into $folder ..."
rm -rf "$folder/node_modules"
mkdir -p "$folder"
echo '{"private": true}' >"$folder/package.json"
npm install --loglevel=error --no-package-lock --no-audit --no-fund --prefix "$folder" "$@" >/dev/null ||
    fail "npm could not install $*; what it said is above"
echo "$*" >"$installed"

#!/bin/sh
# The demo: a scratch repository, four servers, one plan: run.sh FOLDER MCP-ASSAY [OPTION...]
set -eu
root=$(pwd)
demo=$root/$1 assay=$root/$2
shift 2
work=$demo/work
rm -rf "$work/scratch-repo"
mkdir -p "$work/scratch-repo"
git -C "$work/scratch-repo" init --quiet --initial-branch main
git -C "$work/scratch-repo" config user.name "Demo"
git -C "$work/scratch-repo" config user.email "demo@example.com"
git -C "$work/scratch-repo" config commit.gpgsign false
echo "# Release notes" >"$work/scratch-repo/NOTES.md"
git -C "$work/scratch-repo" add NOTES.md
git -C "$work/scratch-repo" commit --quiet --message "Start the notes"
echo "- The export no longer times out." >>"$work/scratch-repo/NOTES.md"

cd "$work"
exec "$assay" eval --plan "$root/examples/demo/plan.yaml" --project "$work" \
    --server "time='$demo/mcp-server-time/bin/mcp-server-time' --local-timezone UTC" \
    --server "git='$demo/mcp-server-git/bin/mcp-server-git'" \
    --server "fetch='$demo/mcp-server-fetch/bin/mcp-server-fetch'" \
    --server "tracker='$demo/tracker/bin/python' '$root/examples/servers/tracker.py'" "$@"

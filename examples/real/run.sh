#!/bin/sh
# Evaluates ten real servers, each twice, a tour and a goal: run.sh SERVERS MCP-ASSAY [NAME...]
# SERVERS is where install.sh put them. What they may change is made anew in /tmp/mcp-real/work each time.
set -eu
[ $# -ge 2 ] || { echo "error: say where the servers are: run.sh SERVERS MCP-ASSAY [NAME...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
servers=$(cd "$1" && pwd) assay=$(realpath "$(command -v "$2")")
shift 2
[ $# -gt 0 ] || set -- time git fetch sqlite filesystem memory everything duckdb excel obsidian
bin=$servers/npm/node_modules/.bin
world=/tmp/mcp-real work=/tmp/mcp-real/work

command_of() {
    case $1 in
    time | git) echo "'$servers/$1/bin/mcp-server-$1'" ;;
    fetch) echo "'$servers/fetch/bin/mcp-server-fetch' --allow-private-ips" ;;
    sqlite) echo "'$servers/sqlite/bin/mcp-server-sqlite' --db-path $work/shop.db" ;;
    filesystem) echo "'$bin/mcp-server-filesystem' $work/files" ;;
    memory) echo "env MEMORY_FILE_PATH=$work/memory.jsonl '$bin/mcp-server-memory'" ;;
    everything) echo "'$bin/mcp-server-everything'" ;;
    duckdb) echo "'$servers/duckdb/bin/mcp-server-motherduck' --db-path $work/shop.duckdb --read-write" ;;
    excel) echo "'$servers/excel/bin/excel-mcp-server' stdio" ;;
    obsidian) echo "'$bin/node' '$bin/obsidian-mcp' serve --vault notes=$work/vault" ;;
    *) echo "error: no such server here: $1" >&2; exit 2 ;;
    esac
}

names=$*
for name in $names; do
    command=$(command_of "$name")
    for way in tour goal; do
        rm -rf $work
        mkdir -p $world
        "$servers/duckdb/bin/python" "$here/setup.py" $work
        (cd $work/www && exec python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1) &
        pages=$!
        set -- --name "$name-$way" --restart --out $world --project $work --plan "$here/plan.yaml"
        [ $way = tour ] || set -- "$@" --driver script --scenarios "$here/goals/$name.yaml"
        (cd $work && "$assay" eval "$@" --server "$name=$command") >"$world/$name-$way.log" 2>&1 ||
            echo "$name-$way: exit $?"
        kill $pages 2>/dev/null || true
        printf '%s: ' "$name-$way" && tail -n 1 "$world/$name-$way.log"
    done
done

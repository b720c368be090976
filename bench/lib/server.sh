# server: read endpoints at 64 connections while a crawl runs; what that costs the crawl, and how long the lists take.
# The crawl is measured with the limits that a server has by default, the lists without a limit and while one more crawl runs.

readonly read_paths=(projects 'runs/1/pages?limit=100' 'runs/1/pages?type=html&limit=100' projects/1/active-stats active-crawls)
server_pid='' api=''

server() {
    install_wrk
    use_site "${server_pages:-20000}"
    start_nginx off off
    rm -rf "$work/server.db"*
    start_server
    tell 'a first run, to be read'
    server_crawl >/dev/null
    tell "a crawl alone, $rounds rounds"
    repeat "$work/server-alone.json" server_crawl
    tell "a crawl while lists are read at 64 connections, $rounds rounds"
    repeat "$work/server-loaded.json" server_crawl loaded
    stop_server
    tell 'lists without a limit, while a crawl runs'
    start_server --rate-limit 0
    rm -f "$work/server-lists.txt"
    server_crawl loaded >/dev/null
    server_table
    stop_server
    stop_nginx
}

install_wrk() {
    if ! command -v wrk >/dev/null; then
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wrk >/dev/null
    fi
}

start_server() {
    : >"$work/server.start"
    "$binaries/bluesnake" serve --port 0 --db "$work/server.db" --allow-private "$@" >"$work/server.start" 2>"$work/server.log" &
    server_pid=$!
    until grep -q 'http://' "$work/server.start"; do
        kill -0 "$server_pid" 2>/dev/null || fail "the server does not start: $(cat "$work/server.log")"
    done
    api="$(grep -o 'http://[0-9.:]*' "$work/server.start")/api/v1"
}

stop_server() {
    if [ -n "$server_pid" ]; then
        kill "$server_pid" 2>/dev/null || true
        wait "$server_pid" 2>/dev/null || true
    fi
    server_pid=''
}

# server_crawl [loaded]: a new run, asked for over HTTP; its pages and seconds as a line of JSON.
server_crawl() {
    local run state settings load=''
    settings='{"discover": {"mechanisms": "spider"}, "scope": {"check_external": "none"}, "politeness": {"rate": 0, "parallelism": 16, "robots": "ignore"}}'
    run="$(curl -sf "$api/crawl" -H 'Content-Type: application/json' -d "{\"url\": \"$url\", \"mode\": \"fresh\", \"settings\": $settings}" |
        sed 's/.*"runID":\([0-9]*\).*/\1/')"
    if [ "${1:-}" = loaded ]; then
        read_lists &
        load=$!
    fi
    while state="$(curl -sf "$api/runs/$run")" && [[ "$state" == *'"state":"in_progress"'* ]]; do sleep 0.2; done
    if [ -n "$load" ]; then wait "$load"; fi
    python3 -c 'import json, sys
crawl = json.loads(sys.argv[1])["crawls"][-1]
pages, seconds = crawl["urlsVisited"], crawl["crawlDuration"] / 1000
print(json.dumps({"pages": pages, "wall_s": round(seconds, 3), "pages_per_s": round(pages / seconds, 1)}))' "$state"
}

# Reads each list for a second at 64 connections, one after the other; p99 goes to a file.
read_lists() {
    local path
    for path in "${read_paths[@]}"; do
        wrk -t1 -c64 -d1s --latency "$api/$path" >"$work/wrk.txt" || true
        printf '%s %s %s\n' "$path" "$(awk '$1 == "99%" { print $2 }' "$work/wrk.txt")" \
            "$(awk '/Requests\/sec/ { print $2 }' "$work/wrk.txt")" >>"$work/server-lists.txt"
    done
}

server_table() {
    local alone loaded
    alone="$(figure pages_per_s "$work/server-alone.json")"
    loaded="$(figure pages_per_s "$work/server-loaded.json")"
    printf '| crawl | pages/s |\n|---|---|\n| alone | %.0f |\n| while lists are read at 64 connections | %.0f |\n\n' "$alone" "$loaded"
    goal 'throughput under load, of that alone' '≥' 0.8 "$(divided "$loaded" "$alone")" ''
    printf '\n| list | p99 at 64 connections | requests/s |\n|---|---|---|\n'
    sort -u -k1,1 "$work/server-lists.txt" | awk '{ printf "| `%s` | %s | %s |\n", $1, $2, $3 }'
    rm -f "$work/server-lists.txt"
}

# server: how much readers slow a crawl, and how long they wait for lists while one runs.
# The crawl is measured with the server's default rate limit: without one, a client that never pauses takes the CPU
# from it. Lists are timed without the limit, by a client with four connections.

readonly read_paths=(projects 'runs/1/pages?limit=100' 'runs/1/pages?type=html&limit=100' 'runs/1/pages?sort=status&limit=100'
    'runs/1/pages?search=page&limit=100' projects/1/active-stats active-crawls)
readonly saturating=64 moderate=4
server_pid='' api='' load_pid=''

server() {
    install_wrk
    use_site "${server_pages:-20000}"
    start_nginx off off
    rm -rf "$work/server.db"*
    start_server
    log 'a first run, to be read'
    server_crawl >/dev/null
    measure_crawls limited 'the default limit of requests'
    stop_server
    start_server --rate-limit 0
    measure_lists
    stop_server
    stop_nginx
    server_table
}

# measure_crawls NAME WORDS: crawls alone and while all lists are read.
measure_crawls() {
    log "a crawl alone, $2, $rounds rounds"
    repeat "$work/server-$1-alone.json" server_crawl
    log "a crawl while all lists are read at $saturating connections, $2, $rounds rounds"
    repeat "$work/server-$1-loaded.json" server_crawl "$saturating" "${read_paths[@]}"
}

# Each list during its own crawl: p99 in milliseconds and requests per second go to a file.
measure_lists() {
    local path
    : >"$work/server-lists.txt"
    for path in "${read_paths[@]}"; do
        log "$path while a crawl runs"
        server_crawl "$moderate" "$path" >/dev/null
        grep -q '99%' "$work/wrk.txt" || fail "$path could not be read: $(cat "$work/wrk.txt")"
        printf '%s %s %s\n' "$path" "$(milliseconds "$(awk '$1 == "99%" { print $2 }' "$work/wrk.txt")")" \
            "$(awk '/Requests\/sec/ { print $2 }' "$work/wrk.txt")" >>"$work/server-lists.txt"
    done
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
        kill -0 "$server_pid" 2>/dev/null || fail "the server did not start: $(cat "$work/server.log")"
    done
    api="$(grep -o 'http://[0-9.:]*' "$work/server.start" | sed -n 1p)/api/v1"
}

stop_server() {
    stop_load
    stop "$server_pid"
    server_pid=''
}

# server_crawl [CONNECTIONS PATH…]: a new run started over HTTP; its pages and seconds as a line of JSON.
# Meanwhile the paths are read, one after the other on each connection.
server_crawl() {
    local run settings
    settings='{"discover": {"mechanisms": "spider"}, "scope": {"check_external": "none"}, "politeness": {"rate": 0, "parallelism": 16, "robots": "ignore"}}'
    # The previous reader may have used up the rate limit.
    run="$(curl -sf --retry 20 "$api/crawl" -H 'Content-Type: application/json' -d "{\"url\": \"$url\", \"mode\": \"fresh\", \"settings\": $settings}" |
        sed 's/.*"runId":\([0-9]*\).*/\1/')"
    if [ $# -gt 0 ]; then start_load "$@"; fi
    wait_for_run "$run"
    stop_load
    shown_run "$run" | python3 -c 'import json, sys
crawl = json.load(sys.stdin)["crawls"][-1]
pages, seconds = crawl["urlsVisited"], crawl["crawlDuration"] / 1000
print(json.dumps({"pages": pages, "wall_s": round(seconds, 3), "pages_per_s": round(pages / seconds, 1)}))'
}

# Polls the database and not the server, whose rate limit is shared by everything on this machine.
wait_for_run() { while [[ "$(shown_run "$1")" =~ '"state":'\ *'"in_progress"' ]]; do sleep 0.2; done; }
shown_run() { "$binaries/bluesnake" runs show "$1" --db "$work/server.db" --json; }

# start_load CONNECTIONS PATH…: reads until it is stopped; wrk's output goes to wrk.txt.
start_load() {
    local connections="$1" path
    shift
    {
        printf 'local paths, at = {}, 0\n'
        for path in "$@"; do printf 'paths[#paths + 1] = "/api/v1/%s"\n' "$path"; done
        printf 'request = function() at = at %% #paths + 1; return wrk.format("GET", paths[at]) end\n'
    } >"$work/paths.lua"
    wrk -t1 "-c$connections" -d600s --latency -s "$work/paths.lua" "$api" >"$work/wrk.txt" &
    load_pid=$!
}

stop_load() {
    [ -n "$load_pid" ] || return 0
    # wrk prints its figures when it is interrupted.
    kill -INT "$load_pid" 2>/dev/null || true
    wait "$load_pid" || true
    load_pid=''
}

milliseconds() { awk -v time="$1" 'BEGIN { print time * (time ~ /us$/ ? 0.001 : time ~ /ms$/ ? 1 : 1000) }'; }

server_table() {
    local path p99 rate
    printf '| crawl, pages/s | alone | while lists are read at %s connections | share |\n|---|--:|--:|--:|\n' "$saturating"
    printf '| the default limit of requests | %.0f | %.0f | %.2f |\n' "$(figure pages_per_s "$work/server-limited-alone.json")" \
        "$(figure pages_per_s "$work/server-limited-loaded.json")" "$(share_under_load limited)"
    echo
    goal 'throughput under load, of that alone, with the default limit' '≥' 0.8 "$(share_under_load limited)" ''
    printf '\n| list, while a crawl runs | p99 at %s connections, ms | requests/s |\n|---|--:|--:|\n' "$moderate"
    awk '{ printf "| `%s` | %s | %s |\n", $1, $2, $3 }' "$work/server-lists.txt"
    echo
    while read -r path p99 rate; do
        case "$path" in projects | runs/*) goal "p99 of \`$path\`" '≤' 50 "$p99" ' ms' ;; esac
    done <"$work/server-lists.txt"
}

share_under_load() { divided "$(figure pages_per_s "$work/server-$1-loaded.json")" "$(figure pages_per_s "$work/server-$1-alone.json")"; }

# ordering, memory and product-memory: on sites served by testsite and bluesnake-bench.

ordering() {
    log 'ordering (takes some minutes)'
    echo 'Response times log-normal, median 50 ms, 99th percentile 1 s; 64 concurrent requests; medians of three.'
    echo
    "$binaries/bluesnake-bench" ordering --truth "$work/ordering-truth.txt"
}

memory() {
    log 'memory (takes some minutes)'
    "$binaries/bluesnake-bench" memory
    echo
    memory_under_latency
}

readonly latency=(--latency-median-ms 50 --latency-p99-ms 1000)
readonly latency_runs=(64-without-latency 64 256 256-small-window)

# Peaks of the real program while visits wait for their turn, with response times as on the web.
# `MEMORY_PAGES=1000 bench/run memory` is a quick trial.
memory_under_latency() {
    local run binary who
    for run in "${latency_runs[@]}"; do
        serve_slow_web "$run"
        for who in ours ${against:+old}; do
            log "memory of $who, $run"
            binary="$binaries/bluesnake"
            if [ "$who" = old ]; then binary="$against"; fi
            peak_of "$binary" "latency-$run-$who" $(latency_arguments "$run" "$binary")
        done
    done
    stop_testsite
    latency_table
}

# serve_slow_web RUN: sixty links per page, as on real pages.
serve_slow_web() {
    local delay=("${latency[@]}")
    if [ "$1" = 64-without-latency ]; then delay=(); fi
    start_testsite "$binaries/testsite" serve web --pages "${MEMORY_PAGES:-20000}" --most-links 120 "${delay[@]}"
}

latency_arguments() {
    case "$1" in
        64*) echo --parallelism 64 ;;
        256) echo --parallelism 256 ;;
        256-small-window)
            echo --parallelism 256 --set
            if has_groups_by_job "$2"; then echo memory.window_bytes=8388608; else echo limits.window_bytes=8388608; fi
            ;;
    esac
}

latency_table() {
    printf 'The real program, %s pages; response times log-normal, median 50 ms, 99th percentile 1 s.\n\n' "${MEMORY_PAGES:-20000}"
    echo '| | pages | URLs known | peak RSS, MB |'
    echo '|---|--:|--:|--:|'
    for who in ours ${against:+old}; do
        memory_row "$(name_of "$who"), 64 requests at once, without latency" "latency-64-without-latency-$who"
        memory_row "$(name_of "$who"), 64 requests at once" "latency-64-$who"
        memory_row "$(name_of "$who"), 256 requests at once" "latency-256-$who"
        memory_row "$(name_of "$who"), 256 requests at once, a window of 8 MiB" "latency-256-small-window-$who"
    done
    echo
    goal 'peak with latency, 64 requests at once' '≤' 110 "$(peak_mb latency-64-ours)" ' MB'
    goal 'peak with latency, 256 requests at once' '≤' 160 "$(peak_mb latency-256-ours)" ' MB'
    goal 'the same with a window of 8 MiB' '≤' 110 "$(peak_mb latency-256-small-window-ours)" ' MB'
}

# Peaks of the real program, and of the engine with everything kept in memory: that one must grow.
product_memory() {
    log 'memory of the product (takes some minutes)'
    serve_web 20000
    peak_of "$binaries/bluesnake" web-20000 --parallelism 16
    peak_in_memory in-memory-20000
    serve_web 100000
    peak_of "$binaries/bluesnake" web-100000 --parallelism 16
    peak_in_memory in-memory-100000
    start_testsite "$binaries/bluesnake-bench" serve-tree --fan-out 50
    peak_of "$binaries/bluesnake" tree --parallelism 16 --max-urls 20000
    stop_testsite
    memory_table
}

serve_web() { start_testsite "$binaries/testsite" serve web --pages "$1" --page-bytes 5000; }

# peak_of BINARY NAME ARGUMENT…: one crawl, with its default summary.
peak_of() {
    local binary="$1" name="$2" summary="$work/$2.out"
    shift 2
    rm -rf "$work/product.db"*
    # Exit code 3: URLs are still pending, as the limit intends.
    timed "$name" "$binary" crawl "$url" --db "$work/product.db" --progress none "${without_politeness[@]}" $(limits_of "$binary") "$@" >"$summary" || [ $? = 3 ]
    printf '{"pages": %s, "urls_known": %s, "peak_rss_bytes": %s}\n' \
        "$(count_of 'pages in' "$summary")" "$(count_of 'URLs seen' "$summary")" "$(tail -n 1 "$work/$name.time" | awk '{ printf "%.0f", $4 * 1024 }')" >"$work/$name.json"
}

# count_of WORDS FILE: the number before these words of a summary, which may have thousands separators.
count_of() {
    sed -n "s/\([0-9]\),\([0-9]\)/\1\2/g; s/^\(.* \)\?\([0-9]\{1,\}\)  *$1.*/\2/p" "$2" | grep . || fail "the summary in $2 has no number of $1"
}

peak_in_memory() { "$binaries/bluesnake-bench" crawl "$url" --in-memory --parallelism 16 >"$work/$1.json"; }

memory_table() {
    echo '| | pages | URLs known | peak RSS, MB |'
    echo '|---|--:|--:|--:|'
    memory_row '**ours**' web-20000
    memory_row '**ours**' web-100000
    memory_row '**ours**, far more known than visited' tree
    memory_row 'control: everything kept in memory' in-memory-20000
    memory_row 'control: everything kept in memory' in-memory-100000
    echo
    goal 'peak at 20,000 pages' '≤' 75 "$(peak_mb web-20000)" ' MB'
    goal 'peak at 100,000 pages' '≤' 90 "$(peak_mb web-100000)" ' MB'
    goal 'peak with 1,000,000 URLs known' '≤' 130 "$(peak_mb tree)" ' MB'
    goal 'the control at 100,000 pages, so that a leak would be seen' '≥' 200 "$(peak_mb in-memory-100000)" ' MB'
    echo
    printf 'More memory for each further page: %s bytes; of the control: %s bytes. For each further URL known: %s bytes.\n' \
        "$(slope pages web-20000 web-100000)" "$(slope pages in-memory-20000 in-memory-100000)" "$(slope urls_known web-20000 tree)"
}

memory_row() {
    local file="$work/$2.json"
    printf '| %s | %s | %s | %s |\n' "$1" "$(figure pages "$file")" "$(figure urls_known "$file")" "$(peak_mb "$2")"
}

peak_mb() { megabytes "$(figure peak_rss_bytes "$work/$1.json")"; }

# slope FIGURE SMALL LARGE: additional bytes of peak memory per unit, between two crawls.
slope() {
    local small="$work/$2.json" large="$work/$3.json"
    awk -v memory="$(($(figure peak_rss_bytes "$large") - $(figure peak_rss_bytes "$small")))" \
        -v count="$(($(figure "$1" "$large") - $(figure "$1" "$small")))" 'BEGIN { printf "%.0f", memory / count }'
}

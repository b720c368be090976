# product: the real program with everything in its database, beside a floor and beside other crawlers.
#
# Every scenario is a server of the same pages, and every contestant runs in every round, so that other load on the machine
# affects all of them alike. Figures are medians over the rounds; ratios are medians of the ratios within a round.
# `PRODUCT_PAGES=1000 PEERS='wget2 spider' ROUNDS=1 bench/run product` is a quick trial.

readonly scenarios=(plain gzip tls h2 latency) levels=(16 64)
readonly product_pages="${PRODUCT_PAGES:-20000}" latency_pages="$((${PRODUCT_PAGES:-20000} / 5))"
readonly peers="${PEERS:-wget2 spider siteone crawlee scrapy}"

product() {
    install_peers
    for scenario in "${scenarios[@]}"; do
        serve_scenario "$scenario"
        # The floor fetches all known URLs, so it counts the pages that the others have to find.
        page_count="$(run_floor "$scenario-count" 16 | sed 's/.*"pages": *\([0-9]*\).*/\1/')"
        echo "$page_count" >"$work/$scenario.pages"
        for level in "${levels[@]}"; do contest "$scenario" "$level" $(contestants "$scenario"); done
    done
    measure_once
    measure_start_up
    measure_correctness
    product_table
}

install_peers() {
    install_tools
    for peer in $peers; do
        if declare -F "install_$peer" >/dev/null; then "install_$peer"; fi
    done
}

has_peer() { [[ " $peers " == *" $1 "* ]]; }

# contestants SCENARIO: those fast enough to run in every round.
contestants() {
    local old='' peer
    if [ -n "$against" ]; then old=old; fi
    echo floor ours $old
    for peer in wget2 spider; do
        if has_peer "$peer"; then echo "$peer"; fi
    done
}

# serve_scenario NAME: sets $url, $truth and $ca_file.
serve_scenario() {
    stop_nginx
    stop_testsite
    ca_file=''
    use_site "$product_pages"
    truth="$site/truth.txt"
    case "$1" in
        plain) start_nginx off off ;;
        gzip) start_nginx on off ;;
        tls) start_nginx off off ssl ;;
        h2) start_nginx off off 'ssl http2' ;;
        latency)
            truth="$work/latency-truth.txt"
            start_testsite "$binaries/testsite" serve web --pages "$latency_pages" --latency-median-ms 20 --latency-p99-ms 400 --truth "$truth"
            ;;
    esac
}

# contest SCENARIO PARALLELISM CONTESTANT…: adds a line to SCENARIO-PARALLELISM-CONTESTANT.json per round.
contest() {
    local scenario="$1" parallelism="$2" round contestant name order
    shift 2
    for contestant in "$@"; do : >"$work/$scenario-$parallelism-$contestant.json"; done
    for round in $(seq "$rounds"); do
        log "$scenario, $parallelism requests at once, round $round of $rounds"
        # Every other round in the opposite order, so that nobody always follows the same predecessor.
        order=("$@")
        if [ $((round % 2)) = 0 ]; then order=($(printf '%s\n' "$@" | tac)); fi
        for contestant in "${order[@]}"; do
            name="$scenario-$parallelism-$contestant"
            # What the predecessor wrote is not written to disk at this one's expense.
            sync
            "run_$contestant" "$name" "$parallelism" >>"$work/$name.json"
        done
    done
}

# Each run_… NAME PARALLELISM prints a line of figures.
run_ours() { crawl_with "$binaries/bluesnake" "$@"; }
run_old() { crawl_with "$against" "$@"; }

run_floor() {
    rm -rf "$work/floor.db"*
    "$binaries/bluesnake-bench" fetch-parse-store "$truth" --base "$url" --db "$work/floor.db" --parallelism "$2" ${ca_file:+--ca-file "$ca_file"}
}

run_wget2() { measure_wget2 "$@"; }
run_spider() { measure_spider "$1" "$2" bare; }

# crawl_with BINARY NAME PARALLELISM: into a new database, start-up included. The settings are those of bench/src/plan.rs.
crawl_with() {
    local binary="$1" name="$2" parallelism="$3"
    rm -rf "$work/product.db"*
    timed "$name" "$binary" crawl "$url" --db "$work/product.db" --progress none --quiet "${without_politeness[@]}" $(limits_of "$binary") \
        ${ca_file:+--set "fetch.ca_file=$ca_file"} --parallelism "$parallelism"
    figures_of "$name" "$page_count" "$(disk_bytes "$work/product.db")"
}

readonly out_of_reach=1000000000

# has_groups_by_job BINARY: older builds have other names for some settings.
has_groups_by_job() { grep -qa fold_urls "$1"; }

# limits_of BINARY: traps out of reach.
limits_of() {
    local group=limits limit
    if has_groups_by_job "$1"; then group=traps; fi
    for limit in query_variants calendar_dates same_content endless_pages; do
        if grep -qa "$limit" "$1"; then echo --set "$group.$limit=$out_of_reach"; fi
    done
}

readonly without_politeness=(--discover spider --check-external none --robots ignore --rate 0 --allow-private)

# Peers that are too slow for every round, or store more: for comparison, without a goal.
measure_once() {
    local level
    serve_scenario plain
    page_count="$(cat "$work/plain.pages")"
    log "the store's writer alone"
    repeat "$work/store.json" store_alone
    if has_peer spider; then
        log 'spider with a database'
        measure_spider spider-links 16 links >"$work/spider-links.json"
        measure_spider spider-whole 16 whole >"$work/spider-whole.json"
    fi
    for level in "${levels[@]}"; do
        for peer in siteone crawlee scrapy; do
            if has_peer "$peer"; then
                log "$peer, $level requests at once (at most $patience_s s)"
                "measure_$peer" "$peer-$level" "$level" >"$work/$peer-$level.json"
            fi
        done
    done
}

# The store's writer alone, with pages_per_s and bytes_per_page in each line.
store_alone() {
    rm -rf "$work/store.db"*
    "$binaries/bluesnake-bench" store "$url" --db "$work/store.db"
}

measure_start_up() {
    log 'ours on 2,000 pages'
    use_site 2000
    start_nginx off off
    truth="$site/truth.txt"
    page_count="$(run_floor start-up 16 | sed 's/.*"pages": *\([0-9]*\).*/\1/')"
    repeat "$work/product-2000.json" run_ours product-2000 16
}

measure_correctness() {
    log 'correctness, by the log of the server'
    use_site "$product_pages"
    start_nginx off on
    page_count="$(cat "$work/plain.pages")"
    run_ours logged 16 >/dev/null
    stop_nginx
}

product_table() {
    site_facts
    printf 'With latency: %s pages by testsite, response times log-normal, median 20 ms, 99th percentile 400 ms.\n' "$(cat "$work/latency.pages")"
    printf 'Medians of %s rounds; slow peers ran once, for at most %s s.\n\n' "$rounds" "$patience_s"
    echo '| | concurrent requests | CPU, ms per page | wall, s | pages/s | peak RSS, MB | on disk, bytes per page | pages |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|'
    for scenario in "${scenarios[@]}"; do
        for level in "${levels[@]}"; do
            for contestant in $(contestants "$scenario"); do
                product_row "$scenario: $(name_of "$contestant")" "$level" "$scenario-$level-$contestant"
            done
        done
    done
    product_row "plain, 2,000 pages, start-up included: $(name_of ours)" 16 product-2000
    product_row "plain: $(spider_name), each target once, to SQLite" 16 spider-links
    product_row "plain: $(spider_name), all links with words and place, to SQLite" 16 spider-whole
    for peer in siteone crawlee scrapy; do
        for level in "${levels[@]}"; do product_row "plain: $(name_of "$peer")" "$level" "$peer-$level"; done
    done
    echo
    product_goals
    if [ -n "$against" ]; then
        echo
        against_table
    fi
}

name_of() {
    case "$1" in
        floor) echo 'floor: fetch, parse, plain SQLite' ;;
        ours) echo '**ours**' ;;
        old) echo 'ours before' ;;
        spider) printf '%s, stores nothing, no resources' "$(spider_name)" ;;
        *) "$1_name" ;;
    esac
}

# product_row LABEL PARALLELISM NAME: prints nothing if it was not measured.
product_row() {
    local file="$work/$3.json"
    [ -s "$file" ] || return 0
    printf '| %s | %s | %.3f | %.2f | %.0f | %s | %s | %s |\n' "$1" "$2" "$(figure cpu_ms_per_page "$file")" \
        "$(figure wall_s "$file")" "$(figure pages_per_s "$file")" "$(megabytes "$(figure peak_rss_bytes "$file")")" \
        "$(awk -v disk="$(figure disk_bytes "$file")" -v pages="$(figure pages "$file")" 'BEGIN { if (disk > 0) printf "%.0f", disk / pages }')" \
        "$(figure pages "$file")"
}

product_goals() {
    for scenario in "${scenarios[@]}"; do
        for level in "${levels[@]}"; do
            ratio_goal "$scenario" "$level" cpu_ms_per_page floor '≤' 0.9
            if has_peer spider; then
                # No crawler that waits for the server can be faster than it.
                ratio_goal "$scenario" "$level" pages_per_s spider '≥' "$(if [ "$scenario" = latency ]; then echo 0.95; else echo 1; fi)"
            fi
            case "$scenario" in
                plain | gzip) if has_peer wget2; then ratio_goal "$scenario" "$level" pages_per_s wget2 '≥' 0.9; fi ;;
                latency) ratio_goal "$scenario" "$level" pages_per_s floor '≥' 0.9 ;;
            esac
            if [ -n "$against" ]; then ratio_goal "$scenario" "$level" cpu_ms_per_page old '≤' 1.03; fi
        done
    done
    goal '2,000 pages, start-up included' '≤' 0.4 "$(figure wall_s "$work/product-2000.json")" ' s'
    goal 'the writer alone, 60 links a page' '≥' 20000 "$(figure pages_per_s "$work/store.json")" ' pages/s'
    goal 'what it takes on disk' '≤' 3000 "$(figure bytes_per_page "$work/store.json")" ' bytes per page'
    server_log_against_truth
}

# ratio_goal SCENARIO PARALLELISM FIGURE OTHER SIGN BOUND: ours relative to another contestant.
ratio_goal() {
    local what='CPU per page'
    if [ "$3" = pages_per_s ]; then what='pages/s'; fi
    goal "$1, $2 requests at once: $what in relation to $4" "$5" "$6" "$(ratio "$3" "$1-$2-ours" "$1-$2-$4")" ''
}

against_table() {
    local ours old
    printf 'Beside %s, in the same rounds:\n\n' "$(basename "$against")"
    echo '| | concurrent requests | CPU before, ms per page | CPU now | ratio | peak RSS before, MB | now |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    for scenario in "${scenarios[@]}"; do
        for level in "${levels[@]}"; do
            ours="$work/$scenario-$level-ours.json" old="$work/$scenario-$level-old.json"
            printf '| %s | %s | %.3f | %.3f | %.3f | %s | %s |\n' "$scenario" "$level" "$(figure cpu_ms_per_page "$old")" \
                "$(figure cpu_ms_per_page "$ours")" "$(ratio cpu_ms_per_page "$scenario-$level-ours" "$scenario-$level-old")" \
                "$(megabytes "$(figure peak_rss_bytes "$old")")" "$(megabytes "$(figure peak_rss_bytes "$ours")")"
        done
    done
}

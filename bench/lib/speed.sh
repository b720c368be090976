# speed: CPU per page of the engine on a static site, with floors and peers.

speed() {
    install_tools
    install_scrapy
    use_site 20000
    start_nginx off off
    log 'floors: fetch, parse, resolve'
    read_floors
    log "ours, $rounds rounds each"
    measure_engine off
    log 'wget2'
    repeat "$work/wget2.json" measure_wget2 wget2 16
    log "Scrapy (at most $patience_s s)"
    measure_scrapy scrapy 16 >"$work/scrapy.json"
    start_nginx on off
    log 'ours with gzip'
    measure_engine gzip
    log 'correctness, by the log of the server'
    start_nginx off on
    engine --parallelism 16 >"$work/logged.json"
    stop_nginx
    speed_table
}

engine() { "$binaries/bluesnake-bench" crawl "$url" --expect "$site/truth.txt" "$@"; }

read_floors() {
    "$binaries/bluesnake-bench" parse "$site/www" >"$work/parse.json"
    "$binaries/bluesnake-bench" resolve "$site/www" >"$work/resolve.json"
    for parallelism in 16 64; do
        repeat "$work/fetch-$parallelism.json" "$binaries/bluesnake-bench" \
            fetch-only "$site/truth.txt" --base "$url" --parallelism "$parallelism"
    done
    page_count="$(figure pages "$work/fetch-16.json")"
}

# measure_engine NAME: at both parallelisms, with the current server.
measure_engine() {
    for parallelism in 16 64; do
        repeat "$work/engine-$1-$parallelism.json" engine --parallelism "$parallelism"
    done
}

speed_table() {
    site_facts
    printf 'Medians of %s; Scrapy ran once.\n\n' "$rounds"
    echo '| | CPU, ms per page | wall, s | pages/s | peak RSS, MB |'
    echo '|---|--:|--:|--:|--:|'
    row 'floor: fetching alone, parallelism 16' fetch-16
    row 'floor: fetching alone, parallelism 64' fetch-64
    row 'floor: parsing alone, one thread' parse
    row 'resolving the same links alone, by the URL parser' resolve
    row '**ours**, parallelism 16' engine-off-16
    row '**ours**, parallelism 64' engine-off-64
    row '**ours**, parallelism 16, gzip' engine-gzip-16
    row '**ours**, parallelism 64, gzip' engine-gzip-64
    row "$(wget2_name)" wget2
    row "$(scrapy_name)" scrapy
    echo
    speed_goals
    echo
    server_log_against_truth
    printf -- '- by the crawl itself: missing %s, invented %s, wrong status %s\n' "$(figure missing "$work/logged.json")" \
        "$(figure invented "$work/logged.json")" "$(figure wrong_status "$work/logged.json")"
    echo
    wget2_and_scrapy_counts
}

speed_goals() {
    for parallelism in 16 64; do
        goal "CPU per page at parallelism $parallelism" '≤' 0.30 "$(figure cpu_ms_per_page "$work/engine-off-$parallelism.json")" ' ms'
        goal "the same with gzip" '≤' 0.45 "$(figure cpu_ms_per_page "$work/engine-gzip-$parallelism.json")" ' ms'
    done
}

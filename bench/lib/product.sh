# product: the real program with everything in its database, beside the least that this could cost and beside other crawlers.

product() {
    install_tools
    install_scrapy
    install_spider
    install_siteone
    install_crawlee
    use_site 20000
    start_nginx off off
    tell "floor: fetch, parse and store, $rounds rounds each"
    measure_floor
    tell "ours, $rounds rounds each"
    for parallelism in 16 64; do
        repeat "$work/product-$parallelism.json" ours "product-$parallelism" "$page_count" --parallelism "$parallelism"
    done
    measure_writer
    measure_peers
    tell 'ours on 2,000 pages'
    use_site 2000
    start_nginx off off
    repeat "$work/product-2000.json" ours product-2000 "$(small_page_count)" --parallelism 16
    tell 'correctness, by the log of the server'
    use_site 20000
    start_nginx off on
    ours logged "$page_count" --parallelism 16 >/dev/null
    stop_nginx
    product_table
}

measure_floor() {
    for parallelism in 16 64; do
        repeat "$work/floor-$parallelism.json" floor --parallelism "$parallelism"
    done
    page_count="$(figure pages "$work/floor-16.json")"
}

floor() {
    rm -rf "$work/floor.db"*
    "$binaries/bluesnake-bench" fetch-parse-store "$site/truth.txt" --base "$url" --db "$work/floor.db" "$@"
}

small_page_count() {
    floor >"$work/floor-2000.json"
    figure pages "$work/floor-2000.json"
}

# ours NAME PAGES ARGUMENT…: a crawl into a new database, start-up included. The settings are those of bench/src/plan.rs.
ours() {
    local name="$1" pages="$2"
    shift 2
    rm -rf "$work/product.db"*
    timed "$name" "$binaries/bluesnake" crawl "$url" --db "$work/product.db" --progress none --quiet "${without_politeness[@]}" "$@"
    figures_of "$name" "$pages" "$(disk_bytes "$work/product.db")"
}

readonly out_of_reach=1000000000
readonly without_politeness=(
    --discover spider --check-external none --robots ignore --rate 0 --allow-private
    --set discover.check_resources=true --set "limits.query_variants=$out_of_reach"
    --set "limits.calendar_dates=$out_of_reach" --set "limits.same_content=$out_of_reach"
)

# The store's writer alone, with pages_per_s and bytes_per_page in each line.
measure_writer() {
    tell "the store's writer alone"
    repeat "$work/store.json" store_alone
}

store_alone() {
    rm -rf "$work/store.db"*
    "$binaries/bluesnake-bench" store "$url" --db "$work/store.db"
}

measure_peers() {
    tell 'wget2'
    repeat "$work/wget2.json" measure_wget2
    tell 'spider'
    repeat "$work/spider-links.json" measure_spider spider-links links
    repeat "$work/spider.json" measure_spider spider whole
    tell 'SiteOne'
    measure_siteone
    tell 'Crawlee (takes minutes)'
    measure_crawlee
    tell 'Scrapy (takes minutes)'
    measure_scrapy
}

product_table() {
    site_facts
    printf 'Medians of %s; SiteOne, Crawlee and Scrapy ran once, for at most %s s.\n\n' "$rounds" "$patience_s"
    echo '| | CPU, ms per page | wall, s | pages/s | peak RSS, MB | on disk, bytes per page | pages |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    product_row 'floor: fetch, parse, plain SQLite, parallelism 16' floor-16
    product_row 'floor: fetch, parse, plain SQLite, parallelism 64' floor-64
    product_row '**ours**, parallelism 16' product-16
    product_row '**ours**, parallelism 64' product-64
    product_row '**ours**, 2,000 pages, start-up included' product-2000
    product_row "$(wget2_name)" wget2
    product_row "$(spider_name), each target once, to SQLite" spider-links
    product_row "$(spider_name), all links with words and place, to SQLite" spider
    product_row "SiteOne $siteone_version, to memory and JSON" siteone
    product_row "$(crawlee_name)" crawlee
    product_row "$(scrapy_name), stores nothing" scrapy
    echo
    product_goals
    echo
    server_log_against_truth
    echo
    wget2_and_scrapy_counts
}

product_row() {
    local file="$work/$2.json" disk
    disk="$(figure disk_bytes "$file")"
    printf '%s %s | %s |\n' "$(row "$1" "$2")" "$(awk -v disk="$disk" -v pages="$(figure pages "$file")" \
        'BEGIN { if (disk > 0) printf "%.0f", disk / pages }')" "$(figure pages "$file")"
}

product_goals() {
    for parallelism in 16 64; do
        goal "CPU per page at parallelism $parallelism, in relation to the floor" '≤' 2 "$(divided \
            "$(figure cpu_ms_per_page "$work/product-$parallelism.json")" "$(figure cpu_ms_per_page "$work/floor-$parallelism.json")")" ' (aim 1.4)'
    done
    goal_against spider 2
    goal_against SiteOne 10
    goal_against Crawlee 30
    goal_against Scrapy 45
    goal_against wget2 0.9
    goal '2,000 pages, start-up included' '≤' 0.8 "$(figure wall_s "$work/product-2000.json")" ' s'
    writer_goals
}

# goal_against PEER FACTOR: how many times as many pages per second as a peer, both with 16 requests at once.
goal_against() {
    goal "pages/s, in relation to $1" '≥' "$2" \
        "$(divided "$(figure pages_per_s "$work/product-16.json")" "$(figure pages_per_s "$work/${1,,}.json")")" ''
}

writer_goals() {
    if [ ! -e "$work/store.json" ]; then
        echo '- the writer alone ≥ 20000 pages/s and ≤ 3000 bytes per page, with 60 links a page: pending'
        return
    fi
    goal 'the writer alone, 60 links a page' '≥' 20000 "$(figure pages_per_s "$work/store.json")" ' pages/s'
    goal 'what it takes on disk' '≤' 3000 "$(figure bytes_per_page "$work/store.json")" ' bytes per page'
}

# graph: a stored graph of 1,000,000 hosts, 3,000,000 pages and 10,000,000 links, read, ranked, written and resumed by
# the real program; and how fast hosts are woven. GRAPH_HOSTS sets another size.

graph() {
    local db="$work/graph.db" out="$work/graph" nodes="${GRAPH_HOSTS:-1000000}" hosts
    rm -rf "$db" "$db-wal" "$db-shm" "$db.locks" "$out"
    mkdir -p "$out"
    log "storing $nodes hosts with 3 pages and 10 links each"
    "$binaries/bluesnake-bench" fill-graph --db "$db" --nodes "$nodes"
    printf "A weave of %d hosts, %d pages and %d links, %s MB in the database.\n\n" \
        "$nodes" $((nodes * 3)) $((nodes * 10)) "$(($(stat -c %s "$db") / 1000000))"
    echo '| read, ranked and written | wall, s | CPU, s | peak RSS, MB | written, MB |'
    echo '|---|--:|--:|--:|--:|'
    graph_line 'statistics' weave stats 1 --json
    graph_line 'nodes with ranks, CSV' export 1 --table nodes -o "$out/nodes.csv"
    graph_line 'edges, CSV' export 1 --table edges -o "$out/edges.csv"
    graph_line 'nodes with ranks, Parquet' export 1 --table nodes -o "$out/nodes.parquet"
    graph_line 'Common Crawl: vertices, edges, ranks' export 1 --format common-crawl -o "$out/cc"
    graph_line 'GEXF 1.3' export 1 -o "$out/graph.gexf"
    graph_line 'a weave that has nothing to do' weave --progress none --quiet
    echo
    echo 'The goal is minutes, with at most 2 GB. Harmonic centrality is a HyperBall estimate above 10,000 hosts.'
    rm -rf "$db" "$db-wal" "$db-shm" "$db.locks" "$out"
    hosts=2000
    log "weaving $hosts hosts"
    start_testsite "$binaries/testsite" serve web --hosts "$hosts" --pages $((hosts * 3)) --page-bytes 20000
    echo
    echo "| weaving $hosts hosts of one server on this machine | wall, s | CPU, s | peak RSS, MB | pages |"
    echo '|---|--:|--:|--:|--:|'
    graph_weave 16
    graph_weave 128
    stop_testsite
}

# graph_line NAME ARGUMENTS…: runs the program on the graph and prints a row.
graph_line() {
    local name="$1"
    shift
    log "$name"
    /usr/bin/time -o "$work/graph.time" -f '%e %U %S %M' "$binaries/bluesnake" --db "$work/graph.db" "$@" >"$work/graph/stdout"
    awk -v name="$name" -v written="$(du -sb "$work/graph" | cut -f1)" \
        '{ printf "| %s | %.1f | %.1f | %.0f | %.0f |\n", name, $1, $2 + $3, $4 / 1000, written / 1000000 }' "$work/graph.time"
    rm -rf "${work:?}/graph"
    mkdir -p "$work/graph"
}

graph_weave() {
    local db="$work/woven.db" port="${url##*:}"
    port="${port%/}"
    rm -rf "$db" "$db-wal" "$db-shm" "$db.locks"
    /usr/bin/time -o "$work/graph.time" -f '%e %U %S %M' "$binaries/bluesnake" --db "$db" weave "http://h0.test:$port/" \
        --resolve "*.test:127.0.0.1:$port" --allow-private --rate 0 --parallelism "$1" --max-outbound-links 0 --progress none --quiet
    awk -v at="$1" -v pages="$("$binaries/bluesnake" --db "$db" sql 'SELECT count(*) FROM node_pages' --json | grep -oE '[0-9]+' | tail -n 1)" \
        '{ printf "| %s hosts at once | %.1f | %.1f | %.0f | %s |\n", at, $1, $2 + $3, $4 / 1000, pages }' "$work/graph.time"
    rm -rf "$db" "$db-wal" "$db-shm" "$db.locks"
}

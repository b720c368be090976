# audit: a run of 10,000, 100,000 and 1,000,000 URLs is sealed, then every query of its results is asked. It is compared
# with another run of the same site. AUDIT_URLS sets other sizes.

audit() {
    local sizes="${AUDIT_URLS:-10000 100000 1000000}" urls db="$work/audit.db"
    for urls in $sizes; do
        log "storing a run of $urls URLs"
        rm -rf "$db" "$db-wal" "$db-shm" "$db.locks"
        "$binaries/bluesnake-bench" fill-audit --db "$db" --urls "$urls"
        log "sealing it and asking every query"
        "$binaries/bluesnake-bench" audit --db "$db" >"$work/audit-$urls.txt"
        tail -n 1 "$work/audit-$urls.txt" >"$work/audit-$urls.json"
        log "comparing it with another run"
        "$binaries/bluesnake-bench" fill-audit --db "$db" --urls "$urls" --again
        "$binaries/bluesnake-bench" compare --db "$db" --seal 2
        "$binaries/bluesnake-bench" compare --db "$db" >"$work/compare-$urls.json"
    done
    rm -rf "$db" "$db-wal" "$db-shm" "$db.locks"
    echo '| URLs | findings | seal, s | CPU, s | peak RSS, MB | database, MB | slowest first answer, ms | slowest p99, ms |'
    echo '|--:|--:|--:|--:|--:|--:|--:|--:|'
    for urls in $sizes; do audit_row "$urls"; done
    printf '\nTwo such runs, of which one page in fifty differs, compared in a process of its own.\n\n'
    echo '| URLs | changed | compared, s | CPU, s | peak RSS, MB | first window of rows, ms |'
    echo '|--:|--:|--:|--:|--:|--:|'
    for urls in $sizes; do compare_row "$urls"; done
    for urls in $sizes; do
        printf '\nQueries at %s URLs. The first answer makes what later ones reuse; windows are 200 rows anywhere in the list.\n\n' "$urls"
        sed '/^$/,$d' "$work/audit-$urls.txt"
    done
    echo
    for urls in $sizes; do audit_goals "$urls"; done
}

audit_row() {
    local file="$work/audit-$1.json"
    printf '| %s | %s | %.1f | %.1f | %s | %s | %.1f | %.1f |\n' "$1" "$(figure findings "$file")" "$(figure seal_s "$file")" \
        "$(figure seal_cpu_s "$file")" "$(megabytes "$(figure peak_rss_bytes "$file")")" "$(megabytes "$(figure bytes "$file")")" \
        "$(figure worst_first_ms "$file")" "$(figure worst_p99_ms "$file")"
}

compare_row() {
    local file="$work/compare-$1.json"
    printf '| %s | %s | %.1f | %.1f | %s | %.1f |\n' "$1" "$(figure changed "$file")" "$(figure compare_s "$file")" \
        "$(figure compare_cpu_s "$file")" "$(megabytes "$(figure peak_rss_bytes "$file")")" "$(figure rows_ms "$file")"
}

audit_goals() {
    local file="$work/audit-$1.json" seconds=''
    case "$1" in
        100000) seconds=5 ;;
        1000000) seconds=60 ;;
    esac
    if [ -n "$seconds" ]; then goal "sealing $1 URLs" '≤' "$seconds" "$(figure seal_s "$file")" ' s'; fi
    if [ "$1" = 1000000 ]; then
        goal "memory of sealing $1 URLs" '≤' 500 "$(megabytes "$(figure peak_rss_bytes "$file")")" ' MB'
        goal "comparing $1 URLs with $1" '≤' 15 "$(figure compare_s "$work/compare-$1.json")" ' s'
        goal "memory of comparing $1 URLs with $1" '≤' 200 \
            "$(megabytes "$(figure peak_rss_bytes "$work/compare-$1.json")")" ' MB'
    fi
    goal "p99 of every query at $1 URLs" '≤' 50 "$(figure worst_p99_ms "$file")" ' ms'
    goal "first answer of every query but a text search at $1 URLs" '≤' 50 "$(figure worst_first_ms "$file")" ' ms'
}

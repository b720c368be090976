# Figures: a measurement is a line of JSON in bench/work, a file has one line per round, and tables show medians.

# repeat FILE COMMAND…: one line per round.
repeat() {
    local file="$1"
    shift
    : >"$file"
    for _ in $(seq "$rounds"); do "$@" >>"$file"; done
}

# timed NAME COMMAND…: user and system CPU, wall time in seconds and peak memory in kB go to NAME.time.
timed() {
    local name="$1"
    shift
    /usr/bin/time -q -o "$work/$name.time" -f '%U %S %e %M' "$@"
}

# figures_of NAME PAGES DISK_BYTES: the measurements of `timed NAME` as a line of JSON.
figures_of() {
    # time announces a program that exits with an error on an extra line before the figures.
    tail -n 1 "$work/$1.time" | awk -v pages="$2" -v disk="$3" '{
        printf "{\"pages\": %d, \"cpu_ms_per_page\": %.4f, ", pages, ($1 + $2) * 1000 / pages
        printf "\"wall_s\": %.3f, \"pages_per_s\": %.1f, ", $3, pages / $3
        printf "\"peak_rss_bytes\": %.0f, \"disk_bytes\": %.0f}\n", $4 * 1024, disk }'
}

# figure NAME FILE: the median of a figure over the lines of a file; nothing if it is missing.
figure() {
    sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$2" | sort -n | awk '{ all[NR] = $1 } END { if (NR) print all[int((NR + 1) / 2)] }'
}

# figures FIGURE NAME: that figure of every round, one per line.
figures() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$work/$2.json"; }

# ratio FIGURE NAME OTHER: the median of the ratios within the rounds; nothing if one of them was not measured.
ratio() {
    paste <(figures "$1" "$2") <(figures "$1" "$3") | awk '$2 > 0 { print $1 / $2 }' | sort -n |
        awk '{ all[NR] = $1 } END { if (NR) print all[int((NR + 1) / 2)] }'
}

# row LABEL NAME: the figures of NAME.json as a table row.
row() {
    local file="$work/$2.json" memory
    memory="$(figure peak_rss_bytes "$file")"
    printf '| %s | %.3f | %.2f | %.0f | %s |\n' "$1" "$(figure cpu_ms_per_page "$file")" "$(figure wall_s "$file")" \
        "$(figure pages_per_s "$file")" "$(megabytes "$memory")"
}

megabytes() { awk -v bytes="$1" 'BEGIN { if (bytes) printf "%.0f", bytes / 1e6 }'; }
divided() { awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'; }

# goal NAME SIGN BOUND VALUE UNIT: a goal, and whether it is met. The sign is ≤ or ≥. Missing values count as missed.
# `bench/run` fails if a report contains MISSED.
goal() {
    awk -v name="$1" -v sign="$2" -v bound="$3" -v value="$4" -v unit="$5" 'BEGIN {
        met = value != "" && (sign == "≤" ? value + 0 <= bound + 0 : value + 0 >= bound + 0)
        printf "- %s %s %s%s: %s (%s)\n", name, sign, bound, unit, met ? "met" : "MISSED", value == "" ? "not measured" : sprintf("%.4g", value) }'
}

# disk_bytes FILE: its size, including SQLite's files beside it.
disk_bytes() { find "$1"* -maxdepth 0 -type f -exec cat {} + | wc -c; }

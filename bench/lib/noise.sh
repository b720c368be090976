# noise: how many rows an audit of real documentation gives, by check; with --against also those of an older build.
# Two of Debian's documentation packages are served on loopback. Links to other sites are not checked: the report must
# not depend on the network. A finding of a template is one row, with the number of its pages.

readonly noise_packages=(python3.11/html postgresql-doc-15/html)

noise() {
    local folder package name
    log 'packages of documentation'
    folder="$(tools/doc-packages)/usr/share/doc"
    for package in "${noise_packages[@]}"; do
        name="${package%%/*}"
        log "$name"
        start_testsite "$binaries/testsite" folder "$folder/$package"
        audit_rows "$binaries/bluesnake" "$work/noise-$name.csv"
        : >"$work/noise-$name-before.csv"
        if [ -n "$against" ]; then audit_rows "$against" "$work/noise-$name-before.csv"; fi
        stop_testsite
        noise_table "$name"
    done
}

# audit_rows BINARY FILE: crawls the site that is served, and writes the table of issues.
audit_rows() {
    rm -rf "$work/noise.db"* "$2"
    "$1" crawl "$url" --db "$work/noise.db" --check-external none --rate 0 --quiet
    "$1" export 1 --table issues --db "$work/noise.db" -o "$2" >/dev/null
}

noise_table() {
    python3 - "$1" "$work/noise-$1.csv" "$work/noise-$1-before.csv" <<'PYTHON'
import collections, csv, sys

name, now, before = sys.argv[1:]

def rows(path):
    counts, urls = collections.Counter(), collections.Counter()
    for row in csv.DictReader(open(path, encoding="utf-8-sig")):
        counts[row["check_id"]] += 1
        urls[row["check_id"]] += int(row.get("pages") or 1)
    return counts, urls

(counts, pages), (old, _) = rows(now), rows(before)
print(f"{name}: {sum(counts.values())} rows for {sum(pages.values())} findings", end="")
print(f"; {sum(old.values())} rows before.\n" if old else ".\n")
print("| check | rows | findings |" + (" rows before |" if old else ""))
print("|---|--:|--:|" + ("--:|" if old else ""))
for check in sorted(counts | old, key=lambda check: (-pages[check], check)):
    print(f"| `{check}` | {counts[check]} | {pages[check]} |" + (f" {old[check]} |" if old else ""))
print()
PYTHON
}

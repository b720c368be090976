# Other crawlers on the same site: robots.txt off, no delay. Each measure_… NAME PARALLELISM prints a line of figures.
#
# A peer's own output goes to NAME.out. Slow peers are stopped after their time limit; then they have fewer pages.

readonly venv="$work/scrapy" peers_target="$work/peers-target" patience_s=40
readonly siteone_version=2.5.1
mirror=''

# Everything except crawlers, and wget2, which Debian packages.
install_tools() {
    local missing=()
    command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx)
    command -v wget2 >/dev/null || missing+=(wget2)
    command -v npm >/dev/null || missing+=(nodejs npm)
    [ -x /usr/bin/time ] || missing+=(time)
    command -v openssl >/dev/null || missing+=(openssl)
    command -v python3 >/dev/null && python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
    if [ ${#missing[@]} -gt 0 ]; then
        log "installing ${missing[*]}"
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_scrapy() {
    if [ ! -x "$venv/bin/scrapy" ]; then
        log 'installing Scrapy'
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check scrapy
    fi
}

install_spider() {
    log 'building the peer on the crate spider (takes minutes once)'
    CARGO_TARGET_DIR="$peers_target" cargo build --release --quiet --locked --manifest-path bench/peers/spider/Cargo.toml
}

install_siteone() {
    if [ ! -x "$work/siteone/bin/siteone-crawler" ]; then
        log 'building SiteOne (takes minutes once)'
        cargo install --quiet --locked --no-default-features --root "$work/siteone" --target-dir "$peers_target" "siteone-crawler@$siteone_version"
    fi
}

install_crawlee() {
    mkdir -p "$work/crawlee"
    cp bench/peers/crawlee/* "$work/crawlee"
    if [ ! -d "$work/crawlee/node_modules" ]; then
        log 'installing Crawlee'
        npm install --prefix "$work/crawlee" --silent --no-audit --no-fund
    fi
}

# To tmpfs. It reports no counts, so every page of the site counts as found.
measure_wget2() {
    mirror="$(mktemp -d -p /dev/shm bench-mirror-XXXXXX)"
    # It exits with an error because some pages are missing, as they should be.
    timed "$1" wget2 --quiet --recursive --level=0 --no-robots --max-threads="$2" --tries=1 \
        ${ca_file:+--ca-certificate="$ca_file"} --directory-prefix="$mirror" "$url" || true
    find "$mirror" -type f | wc -l >"$work/wget2.files"
    remove_mirror
    figures_of "$1" "$page_count" 0
}

remove_mirror() {
    if [ -n "$mirror" ]; then rm -rf "$mirror"; fi
    mirror=''
}

measure_scrapy() {
    timed "$1" "$venv/bin/scrapy" runspider --loglevel ERROR -s "CLOSESPIDER_TIMEOUT=$patience_s" bench/peers/spider.py \
        -a "url=$url" -a "parallelism=$2" >"$work/scrapy.out"
    figures_of "$1" "$(figure pages "$work/scrapy.out")" 0
}

# measure_spider NAME PARALLELISM WHAT: `bare` stores nothing and requests pages only, `links` stores what spider provides
# by itself, `whole` what ours stores. The bare one does not report which URLs were pages: all count as found.
measure_spider() {
    rm -rf "$work/spider.db"*
    timed "$1" "$peers_target/release/spider-peer" "$url" "$2" "$3" "$work/spider.db" >"$work/spider.out"
    if [ "$3" = bare ]; then
        figures_of "$1" "$page_count" 0
    else
        figures_of "$1" "$(figure pages "$work/spider.out")" "$(disk_bytes "$work/spider.db")"
    fi
}

# Without its analysers and reports: only the crawl and a file with every URL. It mistakes text for links 20,000 times
# on this site; it is configured to skip these, so that it does the same work as the others.
measure_siteone() {
    timed "$1" timeout --signal=INT "$patience_s" "$work/siteone/bin/siteone-crawler" --url="$url" --workers="$2" \
        --max-reqs-per-sec=1000000 --ignore-robots-txt --ignore-regex='/decoy/' --no-cache --max-queue-length=1000000 --max-visited-urls=1000000 \
        --max-skipped-urls=1000000 --max-non200-responses-per-basename=1000000 --analyzer-filter-regex='/^$/' \
        --hide-progress-bar --no-color --output-html-report= --output-text-file= --output-json-file="$work/siteone.db" \
        >"$work/siteone.out" 2>&1 || true
    figures_of "$1" "$(siteone_pages)" "$(disk_bytes "$work/siteone.db")"
}

measure_crawlee() {
    timed "$1" node "$work/crawlee/crawl.js" "$url" "$work/crawlee.db" "$patience_s" "$2" >"$work/crawlee.out"
    figures_of "$1" "$(figure pages "$work/crawlee.out")" "$(disk_bytes "$work/crawlee.db")"
}

siteone_pages() {
    python3 -c 'import json, sys; print(sum(str(r["status"]) == "200" and r["type"] == 1 for r in json.load(open(sys.argv[1]))["results"]))' "$work/siteone.db"
}

wget2_name() { printf 'wget2 %s, to tmpfs' "$(wget2 --version | sed -n '1s/.* \([0-9.]*\) .*/\1/p')"; }
scrapy_name() { printf 'Scrapy %s, stores nothing' "$("$venv/bin/scrapy" version | sed 's/.* //')"; }
siteone_name() { printf 'SiteOne %s, to memory and JSON' "$siteone_version"; }
spider_name() { printf 'spider %s' "$(sed -n 's/^spider = .*"=\([0-9.]*\)".*/\1/p' bench/peers/spider/Cargo.toml)"; }
crawlee_name() { printf 'Crawlee %s, to JSON lines' "$(sed -n 's/.*"@crawlee\/cheerio": "\([0-9.]*\)".*/\1/p' bench/peers/crawlee/package.json)"; }

wget2_and_scrapy_counts() {
    printf 'wget2 wrote %s files; Scrapy saw %s pages and %s answers.\n' "$(cat "$work/wget2.files")" \
        "$(figure pages "$work/scrapy.out")" "$(figure visits "$work/scrapy.out")"
}

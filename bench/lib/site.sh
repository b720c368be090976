# The sites to crawl: a generated one behind nginx, and those served by testsite and bluesnake-bench.

# HTML pages with status 200 are counted by whichever floor fetches them all first.
nginx_pid='' testsite_pid='' site='' url='' page_count='' truth='' ca_file=''

# use_site PAGES: generates the site unless it exists; `start_nginx` serves it.
use_site() {
    site="$work/site-$seed-$1"
    if [ ! -e "$site/complete" ]; then
        log "generating $1 pages"
        rm -rf "$site"
        "$binaries/testsite" generate --out "$site" --pages "$1" --seed "$seed" --gzip >"$work/site.txt"
        mv "$work/site.txt" "$site/complete"
    fi
}

# start_nginx GZIP LOG [PROTOCOL]: the first two are `on` or `off`; the protocol is `ssl` or `ssl http2`. One worker,
# because the crawlers need the other cores.
start_nginx() {
    stop_nginx
    local port log=off user='' certificate='' protocol="${3:-}"
    port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
    url="http://127.0.0.1:$port/"
    if [ -n "$protocol" ]; then
        make_certificate
        url="https://127.0.0.1:$port/" ca_file="$work/tls/ca.pem"
        certificate="ssl_certificate $work/tls/site.pem; ssl_certificate_key $work/tls/site.key;"
    fi
    if [ "$2" = on ]; then log="$work/access.log asked"; fi
    if [ "$(id -u)" = 0 ]; then user='user root;'; fi
    rm -f "$work/access.log"
    mkdir -p "$work/nginx"
    cat >"$work/nginx/nginx.conf" <<CONF
$user
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid $work/nginx/nginx.pid;
error_log $work/nginx/error.log;
events { worker_connections 4096; }
http {
    types { text/html html; text/css css; text/javascript js; image/png png; }
    default_type text/html;
    charset utf-8;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    log_format asked '\$request_uri \$status';
    map_hash_max_size 1048576;
    map_hash_bucket_size 128;
    map \$uri \$moved_to { default ""; include $site/redirects.map; }
    server {
        listen 127.0.0.1:$port $protocol backlog=4096;
        $certificate
        root $site/www;
        index index.html;
        access_log $log;
        gzip_static $1;
        absolute_redirect off;
        if (\$moved_to) { return 301 \$moved_to; }
    }
}
CONF
    PATH="$PATH:/usr/sbin" nginx -e "$work/nginx/error.log" -c "$work/nginx/nginx.conf" &
    nginx_pid=$!
    wait_for_port "$port"
}

# Our own authority, and its certificate for the loopback address.
make_certificate() {
    [ -e "$work/tls/site.pem" ] && return
    mkdir -p "$work/tls"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=bench' \
        -keyout "$work/tls/ca.key" -out "$work/tls/ca.pem" 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=127.0.0.1' \
        -keyout "$work/tls/site.key" -out "$work/tls/site.csr" 2>/dev/null
    openssl x509 -req -in "$work/tls/site.csr" -CA "$work/tls/ca.pem" -CAkey "$work/tls/ca.key" -days 3650 \
        -extfile <(echo 'subjectAltName = IP:127.0.0.1') -out "$work/tls/site.pem" 2>/dev/null
}

wait_for_port() {
    for _ in $(seq 100); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
        sleep 0.05
    done
    fail 'nginx does not respond'
}

stop_nginx() {
    stop "$nginx_pid"
    nginx_pid=''
}

# start_testsite COMMAND…: a program that prints its URL on one line and serves until it is stopped.
start_testsite() {
    stop_testsite
    rm -f "$work/testsite.url"
    mkfifo "$work/testsite.url"
    "$@" >"$work/testsite.url" &
    testsite_pid=$!
    read -r url <"$work/testsite.url"
}

stop_testsite() {
    stop "$testsite_pid"
    testsite_pid=''
}

# stop PID: ends a process started by this script, if any.
stop() {
    [ -n "$1" ] || return 0
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# What is crawled, and what serves it.
site_facts() {
    printf '%s pages of HTML (%s), %s redirects, %s missing pages, %s URLs in total.\n' "$page_count" \
        "$(sed 's/^[^,]*, //' "$site/complete")" "$(count_status 301)" "$(count_status 404)" "$(wc -l <"$site/truth.txt")"
    printf 'nginx %s with one worker on the same machine.\n' "$(nginx_version)"
}

count_status() { grep -c " $1\$" "$site/truth.txt"; }
nginx_version() { PATH="$PATH:/usr/sbin" nginx -v 2>&1 | sed 's|.*/||'; }

# The server's log compared with the truth.
server_log_against_truth() {
    sort "$site/truth.txt" >"$work/truth.sorted"
    sort -u "$work/access.log" >"$work/asked.sorted"
    goal 'pages, redirects and missing pages not requested' '≤' 0 "$(comm -23 "$work/truth.sorted" "$work/asked.sorted" | wc -l)" ''
    goal 'requested and not part of the site' '≤' 0 "$(comm -13 "$work/truth.sorted" "$work/asked.sorted" | wc -l)" ''
    goal 'requested twice' '≤' 0 "$(sort "$work/access.log" | uniq -d | wc -l)" ''
}

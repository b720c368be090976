# doc-sites: extraction from the sites of tools/doc-sites, compared with their source and with other extractors.

doc_sites() {
    local sites peer="$work/doc-sites" mdream="$work/mdream"
    log 'building the extractors'
    cargo build --profile dist --quiet -p bluesnake-extract --example markdown_of_pages
    CARGO_TARGET_DIR="$peers_target" cargo build --release --quiet --locked --manifest-path bench/peers/rs-trafilatura/Cargo.toml
    install_extractors "$peer" "$mdream"
    log 'documentation sites'
    sites="$(tools/doc-sites)"
    log 'extraction'
    "$peer/bin/python" bench/lib/doc_sites.py "$sites" "bluesnake=$binaries/examples/markdown_of_pages" \
        "rs-trafilatura=$peers_target/release/rs-trafilatura-peer" \
        "trafilatura=$peer/bin/python bench/peers/trafilatura_pages.py" "mdream=node $mdream/pages.js"
}

# install_extractors PYTHON NODE: trafilatura with the libraries of the scorer, and mdream.
install_extractors() {
    if ! cmp -s bench/peers/trafilatura.txt "$1/installed"; then
        log 'installing trafilatura'
        python3 -m venv --clear "$1"
        "$1/bin/pip" install --quiet --disable-pip-version-check -r bench/peers/trafilatura.txt
        cp bench/peers/trafilatura.txt "$1/installed"
    fi
    mkdir -p "$2"
    cp bench/peers/mdream/* "$2"
    if [ ! -d "$2/node_modules" ]; then
        log 'installing mdream'
        npm install --prefix "$2" --silent --no-audit --no-fund
        # npm omits the native part on older versions of Node.js, on which it works all the same.
        (cd "$2" && node -e 'import("mdream").catch(() => process.exit(1))') ||
            npm install --prefix "$2" --silent --no-audit --no-fund --no-save "@mdream/rust-linux-$(node -p process.arch)-gnu@$(node -p "require('$2/package.json').dependencies.mdream")"
    fi
}

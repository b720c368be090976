# extract: documentation pages per second, from HTML to Markdown, on one core; and how many of their code blocks are kept.
# The pages come from Debian's documentation packages; pages are counted by size, 28 KiB each.

extract() {
    local folder name
    log 'building the measurement'
    cargo build --profile dist --quiet -p bluesnake-extract --example extract
    log 'packages of documentation'
    folder="$(tools/doc-packages)/usr/share/doc"
    echo '| documentation | pages | pages/s of 28 KiB, one core | `<pre>` in the pages | fences in the Markdown |'
    echo '|---|--:|--:|--:|--:|'
    for name in python3.11 postgresql-doc-15 rust-doc git; do
        log "$name, $rounds rounds"
        for _ in $(seq "$rounds"); do "$binaries/examples/extract" "$folder/$name" 1500; done >"$work/extract.txt"
        printf '| %s | %s | %s | %s |\n' "$name" "$(sed -n 's/^\([0-9]*\) pages of .*/\1/p' "$work/extract.txt" | head -n 1)" \
            "$(sed -n 's|.* \([0-9]*\) pages/s of 28 KiB|\1|p' "$work/extract.txt" | sort -n | sed -n "$(((rounds + 1) / 2))p")" \
            "$(sed -n 's/^\([0-9]*\) <pre> in the pages, \([0-9]*\) fences.*/\1 | \2/p' "$work/extract.txt" | head -n 1)"
    done
    echo
    echo 'The goal is 600 pages/s. A `<pre>` within a `<pre>`, or an empty one, has no fence.'
}

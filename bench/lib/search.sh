# search: of the questions in bench/questions.tsv, how many have a section that answers them among the first three results, and
# the first. Three of Debian's documentation packages are served on loopback and captured, each into a database of its own.

readonly search_sets=(python=python3.11/html postgresql=postgresql-doc-15/html git=git/html)

search() {
    local folder set name
    log 'packages of documentation'
    folder="$(tools/doc-packages)/usr/share/doc"
    echo '| documentation | pages | questions | answered first | in the first three | missed |'
    echo '|---|--:|--:|--:|--:|---|'
    for set in "${search_sets[@]}"; do
        name="${set%%=*}"
        log "$name"
        start_testsite "$binaries/testsite" folder "$folder/${set#*=}"
        rm -rf "$work/search.db"* "$work/search"
        "$binaries/bluesnake" capture "$url" --db "$work/search.db" --rate 0 --quiet -o "$work/search" >/dev/null
        stop_testsite
        python3 bench/lib/search.py "$binaries/bluesnake" "$work/search.db" "$name" bench/questions.tsv \
            "$folder/${set#*=}"
    done
    echo
    echo 'The goal is 90 % in the first three.'
}

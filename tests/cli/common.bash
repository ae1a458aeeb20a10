# SPDX-License-Identifier: Apache-2.0
# Read by the tests beside it: . "$HERE/common.bash"

# Standard error goes where standard output goes, so that the order of both is kept.
exec 9>&2 2>&1

# skip REASON...: this machine cannot run the test.
skip() {
    echo "$*" >&9
    exit 77
}

# run COMMAND...: shows the command, what it says, and how it ends.
run() {
    printf '$ %s\n' "$*"
    "$@"
    local status=$?
    [ "$status" = 0 ] || echo "= $status"
    return "$status"
}

# quietly COMMAND...: shows what it says only if it fails.
quietly() {
    "$@" >"$TMPDIR/../quiet" 2>&1 || {
        local status=$?
        echo "failed ($status): $*"
        cat "$TMPDIR/../quiet"
        return "$status"
    }
}

# json FILE EXPRESSION: a Python expression over the JSON object `j`.
json() {
    python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# accounts FILE: the counts of a manifest or report, and whether they add up.
accounts() {
    json "$1" '"read {read}, published {published}, suppressed {suppressed}, rejected {rejected}: ".format(**j["counts"]) + ("adds up" if j["counts"]["read"] == sum(j["counts"][k] for k in ("published", "suppressed", "rejected")) else "DOES NOT ADD UP")'
}

# holds NAME...: what is in this folder must be exactly that.
holds() {
    local got
    got=$(ls -A | LC_ALL=C sort | tr '\n' ' ')
    [ "$got" = "$(printf '%s\n' "$@" | LC_ALL=C sort | tr '\n' ' ')" ] || echo "the folder holds: $got"
}

# map_head RELEASE: the first line of the map of a release.
map_head() { echo "# lethe map of manifest $(b2sum -l 256 "$1/manifest.json" | cut -d ' ' -f 1)"; }

# map_lines MAP RELEASE: its lines but the first, which must name the release.
map_lines() {
    [ "$(head -n 1 "$1")" = "$(map_head "$2")" ] || echo "not the map of $2: $(head -n 1 "$1")"
    tail -n +2 "$1"
}

# small_log: 5 users; "maps" has 5 of them, "news" 3, "weather" 2, the rest one.
small_log() {
    printf '%s\t%s\t%s\t%s\t%s\n' \
        1 'maps' '2006-03-01 10:00:00' 1 'http://www.maps.com/a/b?q=1' \
        1 'maps' '2006-03-01 10:00:00' 2 'https://Maps.org/' \
        2 'Maps' '2006-03-01 11:30:15' '' '' \
        3 ' MAPS' '2006-03-02 10:00:00' '' '' \
        4 'maps ' '2006-03-03 10:00:00' '' '' \
        5 'maps' '2006-03-03 23:59:59' 3 'http://www.maps.com/c' \
        1 'News' '2006-03-01 10:05:00' '' '' \
        2 'news' '2006-03-01 10:05:00' 1 'http://news.example.com:8080/today' \
        3 'news' '2006-03-01 10:05:00' '' '' \
        1 'weather' '2006-03-04 07:00:00' '' '' \
        2 'weather' '2006-03-04 07:00:01' '' '' \
        1 'ann lee' '2006-03-04 07:00:01' '' '' \
        1 'ann lee' '2006-03-05 07:00:01' '' ''
}

# big_log ROWS: users, texts and clicks spread unevenly; the same bytes each time.
big_log() {
    awk -v n="$1" 'BEGIN {
        s = 1
        for (i = 0; i < n; i++) {
            s = (s * 69069 + 1) % 16777216; u = int(s / 16)
            s = (s * 69069 + 1) % 16777216; q = s / 16777216
            s = (s * 69069 + 1) % 16777216; t = int(s / 16)
            text = int(q * q * q * n / 3)
            url = t % 2 ? "\t" : sprintf("%d\thttp://www.site%d.com/page/%d", t % 10 + 1, text % 997, t)
            printf "%d\tquery text number %d\t2006-03-%02d %02d:%02d:%02d\t%s\n", u % (int(n / 20) + 1), text,
                t % 28 + 1, t % 24, t % 60, int(t / 60) % 60, url
        }
    }'
}

# attack ADVERSARY RELEASE ORIGINAL OPTION...: into `said`, the same for 1, 2 and 7 threads.
attack() {
    for threads in 1 2 7; do
        lethe attack "$2" --original "$3" --adversary "$1" --threads $threads --json "${@:4}" >said.$threads 2>noted ||
            cat noted
        json said.$threads 'j["metrics"]' >metrics.$threads
    done
    cmp metrics.1 metrics.2 && cmp metrics.1 metrics.7
    mv said.1 said
}

# SPDX-License-Identifier: Apache-2.0
# A page about a release: of every shape, well-formed, and nothing in it that the release does not show.
. "$HERE/common.bash"
# A log with texts that would like to be more than texts; each is issued by three users, so that it stays.
{
    small_log
    for user in 6 7 8; do
        printf '%s\t%s\t2006-03-06 08:00:0%s\t\t\n' \
            "$user" '<script>document.title="run"</script>' 1 \
            "$user" '"><img src=x onerror=alert(1)> & '"'"'more'"'" 2 \
            "$user" "$(printf 'long %.0s' {1..60})" 3
    done
    printf '9\tann lee of oakbury\t2006-03-06 09:00:00\t\t\n'
} >log.tsv

# look FILE: is it well-formed, and does it tell of as many plots as there are?
look() {
    python3 - "$1" <<'PY'
import sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
plots = [x for x in page.getElementsByTagName("svg") if x.getAttribute("role") == "img"]
told = page.getElementsByTagName("footer")[0].getAttribute("data-plots")
heads = [x.firstChild.data for x in page.getElementsByTagName("h1") + page.getElementsByTagName("h2")]
print(f"{len(plots)} plots, {told} told; scripts: {len(page.getElementsByTagName('script'))}; {' / '.join(heads)}")
ids = [x.getAttribute("id") for x in page.getElementsByTagName("*") if x.hasAttribute("id")]
assert len(ids) == len(set(ids)), "an id twice"
levels = [int(x.tagName[1]) for x in page.getElementsByTagName("*") if x.tagName in ("h1", "h2", "h3", "h4")]
assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), "headings out of order"
for box in page.getElementsByTagName("table"):
    assert box.parentNode.getAttribute("tabindex") == "0" and box.parentNode.getAttribute("aria-label")
for svg in plots:
    assert all(i in ids for i in svg.getAttribute("aria-labelledby").split())
PY
}

# How large a page is hangs on every word of it.
plain() { sed 's/[0-9,]* bytes$/so many bytes/'; }

quietly lethe scrub log.tsv --then threshold -t 3 --seed 1 -o thr
run lethe report thr 2>&1 | plain
look report.html
stat -c %a report.html
grep -c 'has at least 3 different users' report.html
grep -o '<bdi>&lt;script[^/]*/script&gt;</bdi>' report.html
grep -o '<bdi>&quot;&gt;&lt;img[^/]*</bdi>' report.html
grep -c 'long long long.*…' report.html
# Rare texts are in no page of the release, nor are names of users.
grep -c 'ann lee' report.html
# Again: not without --force; then the same bytes, whatever the threads.
run lethe report thr
for threads in 1 2 7; do
    lethe report thr -o - --threads "$threads" --memory 16M | cmp - report.html
done
run lethe report thr --force 2>&1 | plain
lethe report thr -o page --json >json
json json 'j["command"], j["metrics"]["plots"], j["metrics"]["bytes"] > 10000, j["verdict"]["holds"]'
cmp page report.html
lethe report thr -o - --examples 0 | grep -c '<bdi>'
# Compared with the original.
lethe report thr --original log.tsv -o owner.html --quiet
look owner.html
stat -c %a owner.html
grep -c 'made with the original data' owner.html
grep -c 'ann lee' owner.html
# The name of the data set, the date, and the bound below which a risk is low.
lethe report thr -o - --title 'Log of <2006>' --date 2026-11-18 | grep -o '<h1>.*</h1>\|class="lead">[^<]*\|class="answer [a-z]*"'
lethe report thr --original log.tsv -o - --max-risk 0.5 | grep -o 'Low risk: at most [^.]*\.'
run lethe report thr -o none --max-risk 2
# Other shapes.
quietly lethe seal log.tsv -t 3 --seed 1 -o sealed
lethe report sealed -o sealed.html --quiet
look sealed.html
quietly lethe split log.tsv --by day --seed 1 -o split
lethe report split -o split.html --quiet
look split.html
printf '%s\n' 'a b c' 'a b c' 'a b d' 'a b d' 'e <b>' 'e <b>' >sets
printf '%s\troot\n' a b c d e '<b>' >tree
quietly lethe clump sets --from records --taxonomy tree -k 2 --seed 1 -o clump
lethe report clump --original sets --taxonomy tree -o clump.html --quiet
look clump.html
grep -o '<bdi>[^<]*</bdi>' clump.html
# What is refused.
run lethe report thr -o thr/report.html
run lethe report thr -o ./thr/../thr/page.html
(cd thr && lethe report . )
echo "= $?"
ls thr
run lethe report thr -o - --json
run lethe report thr --truth truth.tsv -o none
run lethe report thr --original - -o none
run lethe report thr --original missing.tsv -o none
run lethe report missing -o none
run lethe report thr -o /proc/no/where.html
run lethe report thr --examples 1000 -o none
run lethe report
lethe report thr -o - >/dev/full
echo "= $?"
# A release that was touched gets no page.
sed -i 's/weather/whether/; s/maps/mops/' thr/data.tsv
run lethe report thr -o none
: >split/stranger
run lethe report split -o none
ls none 2>/dev/null
exit 0

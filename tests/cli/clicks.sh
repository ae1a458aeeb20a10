# SPDX-License-Identifier: Apache-2.0
# A clicked address is published only where enough users clicked it, of those whose text is published.
. "$HERE/common.bash"
tab=$(printf '\t')
{
    echo "AnonID${tab}Query${tab}QueryTime${tab}ItemRank${tab}ClickURL"
    for u in 1 2 3; do
        echo "$u${tab}weather${tab}2006-03-01 10:00:00${tab}1${tab}http://common.com/$((u / 2))"
        echo "$u${tab}weather${tab}2006-03-01 10:00:00${tab}2${tab}http://own$u.com/"
    done
    echo "4${tab}weather${tab}2006-03-02 10:00:00${tab}1${tab}http://two.com/"
    echo "4${tab}weather${tab}2006-03-03 10:00:00${tab}1${tab}http://two.com/"
    echo "5${tab}rare text${tab}2006-03-02 10:00:00${tab}1${tab}http://two.com/"
} >log.tsv
for how in '--by users' '--by queries' '--by rows' '--urls keep' '--urls id' '--urls drop' '--clicks all'; do
    echo "== $how"
    lethe threshold log.tsv -t 2 --keep-users $how -o rel --force --quiet --seed 1
    tail -n +2 rel/data.tsv
    json rel/manifest.json 'j["claims"], j["metrics"]["clicks_dropped"]'
    lethe verify rel | head -n 1
done
echo '== refused'
lethe threshold log.tsv -t 2 --keep-users -o rel --force --quiet
sed -i 's/^2\(.*\)common/2\1other/' rel/data.tsv
python3 - <<'P'
import hashlib, json
m = json.load(open("rel/manifest.json"))
data = open("rel/data.tsv", "rb").read()
lines = data.split(b"\n")
data = b"\n".join(lines[:1] + sorted(lines[1:-1])) + b"\n"
open("rel/data.tsv", "wb").write(data)
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
json.dump(m, open("rel/manifest.json", "w"), indent=2)
P
run lethe verify rel
run lethe threshold log.tsv -t 2 --then scrub -o no
run lethe threshold log.tsv -t 2 --then disconnect -o no
run lethe threshold log.tsv -t 3 --then threshold -t 2 -o no
for chain in 'threshold -t 2 --clicks all --then scrub' 'threshold -t 2 --then split --by day' 'threshold -t 2 --then threshold -t 3'; do
    set -- $chain
    quietly lethe "$1" log.tsv "${@:2}" -o rel --force
    quietly lethe verify rel
done
ls -d no 2>&1

# SPDX-License-Identifier: Apache-2.0
# og, mog, aa and mm: the baskets of the thesis' Table 4.1, what is refused, and releases that were changed.
. "$HERE/common.bash"
printf '%s\n' 'Wine Milk Yogurt AdultToy' 'Beer Jacket Pants AdultToy Viagra' 'Yogurt Jacket Hose Shoe Viagra' \
    'Milk Yogurt Jacket Geta PregnancyTest' 'Beer Wine Milk Jacket Pants' >baskets.txt
printf '%s\n' AdultToy Viagra PregnancyTest >secret.txt
tree() { for child in "${@:2}"; do printf '%s\t%s\n' "$child" "$1"; done; }
{
    tree Liquor Beer Wine
    tree Dairy Milk Yogurt
    tree Nutrient Liquor Dairy
    tree Outwear Jacket Pants
    tree Footwear Geta Hose Shoe
    tree Clothing Outwear Footwear
    tree Entity Nutrient Clothing
} >goods.tsv
sets() { lethe "$1" baskets.txt --from records "${@:2}" --force -o rel; }
goods() { sets "$1" --taxonomy goods.tsv --sensitive secret.txt "${@:2}"; }
figures() { python3 -c 'import json, sys
m = json.load(sys.stdin)["metrics"]
print({x: m[x] for x in ("cut", "cost", "optimal", "distinct_items_removed", "ncp") if x in m})'; }
echo "--- as a user sees it"
run goods og -k 2 -l 2 -m 2 2>&1 | sed 's/\(phase[12]_s *\).*/\1SECONDS/'
cat rel/data.txt
echo "--- sensitive.txt"
cat rel/sensitive.txt
echo "--- taxonomy.tsv"
cat rel/taxonomy.tsv
lethe verify rel
echo "--- figures of the golden vectors"
for how in '-k 2 -l 2 -m 2' '-k 2 -l 2 -m 2 -n 1' '-k 2 -m 2' '-k 3 -m 1' '-k 1 -l 2 -m 1' '-k 2 -l 2.5 -m 2 --strict'; do
    for method in og mog; do
        echo "$method $how: $(goods $method $how -q --json | figures)"
    done
done
echo "aa: $(sets aa --taxonomy goods.tsv -k 2 -m 2 -q --json 2>warned | figures) $(sed -n 1p warned)"
echo "mm: $(sets mm --sensitive secret.txt -k 2 -p 2 --h 0.7 -q --json | figures)"
cat rel/data.txt
ls rel
lethe verify rel
echo "--- a share as a fraction: one of three is no more than 1/3"
printf '%s\n' 'Milk Viagra' Milk Milk >three.txt
for h in 1/3 0.333333333 1/0; do
    run lethe mm three.txt --from records --sensitive secret.txt -k 2 -p 1 --h $h --persons record -q --force -o rel
    cat rel/data.txt && lethe verify rel
done
echo "--- one of several cuts is not proven to be the best"
goods og -k 2 -m 1 --top-h 2 -q --json --seed 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["metrics"]["optimal"])'
sed -i 's/"optimal": false/"optimal": true/' rel/manifest.json && run lethe verify rel
echo "--- nothing can be published"
run goods og -k 2 -l 3 -m 1
run goods og -k 6 -m 1
run sets mm --sensitive secret.txt -k 2 -p 1 --h 0.3
run sets mm -k 6 -p 1
echo "--- what is refused"
run goods og -k 0 -m 1
run sets og --taxonomy goods.tsv -k 1 -m 1
run sets og --taxonomy goods.tsv -k 2 -l 2 -m 1
run goods og -k 2 -m 0
run goods og -k 2
run goods og -k 2 -l 0.5 -m 1
run sets og -k 2 -m 1
run sets aa --taxonomy goods.tsv -k 1 -m 1
run sets mm -k 2 -p 0
run sets mm -k 2 -p 1 --h 1.5
run goods og -k 2 -m 1 --without global
printf 'Beer\nViagra\n' >both.txt
run sets og --taxonomy goods.tsv --sensitive both.txt -k 2 -m 1
: >none.txt
run sets og --taxonomy goods.tsv --sensitive none.txt -k 2 -m 1
run sets og --taxonomy goods.tsv --sensitive missing.txt -k 2 -m 1
run lethe scrub baskets.txt --then og -k 2 -m 1 -o rel2
echo "--- threads and searches that end early"
for how in '' '--threads 7' '--threads 1' '--max-cuts 1000' '--time-limit 1m'; do
    goods og -k 2 -l 2 -m 2 -q --seed 1 $how && b2sum <rel/data.txt
done | uniq | wc -l
echo "one of the best four: $(for seed in 1 2 3 4 5 6 7 8; do goods og -k 2 -m 2 --top-h 4 -q --seed $seed && b2sum <rel/data.txt; done | sort -u | wc -l)"
echo "--- a person's records are one set"
printf '1\tBeer Beer\n2\tWine\n1\tMilk\n2\tMilk Beer\n' >twice.txt
lethe og twice.txt --from records --taxonomy goods.tsv -k 2 -m 1 -q --map map --force -o rel && cat rel/data.txt && map_lines map rel
lethe og twice.txt --from records --taxonomy goods.tsv -k 2 -m 1 --persons record -q --force -o rel && cat rel/data.txt
echo "--- a release that was changed"
goods og -k 2 -l 2 -m 2 -q
python3 - <<'END'
import hashlib, json, os, pathlib, shutil
def tried(name, change):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree("rel", "bad")
    files = {x: pathlib.Path("bad", x).read_text() for x in ("data.txt", "taxonomy.tsv", "sensitive.txt")}
    m = json.loads(pathlib.Path("bad/manifest.json").read_text())
    change(files, m)
    for x, text in files.items():
        pathlib.Path("bad", x).write_text(text)
        for f in m["files"]:
            if f["name"] == x:
                f.update(bytes=len(text.encode()), blake2b=hashlib.blake2b(text.encode(), digest_size=32).hexdigest())
    pathlib.Path("bad/manifest.json").write_text(json.dumps(m))
    print(name, os.system("lethe verify bad >out 2>&1") >> 8, sep=": ")
def lines(files, change):
    files["data.txt"] = "".join(sorted(x + "\n" for x in change(files["data.txt"].splitlines())))
def special(files, m):
    lines(files, lambda x: [x[0].replace("Nutrient", "Beer"), *x[1:]])
    rows = files["taxonomy.tsv"].splitlines()
    files["taxonomy.tsv"] = "\n".join([rows[0], *sorted([*rows[1:], "Beer\tNutrient\t1"]), ""])
tried("as it was", lambda files, m: None)
tried("an item made special", special)
tried("an item that nobody knows", lambda files, m: lines(files, lambda x: [x[0] + " Zebra", *x[1:]]))
tried("a sensitive item given to another", lambda files, m: lines(files, lambda x: [" ".join(sorted({*y.split(), "AdultToy"})) for y in x]))
tried("one that is not said to be sensitive", lambda files, m: files.update({"sensitive.txt": "AdultToy\nViagra\n"}))
tried("one that nobody has", lambda files, m: files.update({"sensitive.txt": files["sensitive.txt"] + "Zebra\n"}))
tried("less promised", lambda files, m: m["claims"][0].update(m=1))
tried("quiet", lambda files, m: m.update(caveats=m["caveats"][1:]))
END
echo "--- words of a log: rare ones first"
lethe threshold "$SAMPLE" -t 3 -q -o - 2>/dev/null | lethe og - -k 3 -m 1 -q --json --force -o rel 2>/dev/null | figures
lethe verify rel

# SPDX-License-Identifier: Apache-2.0
# Tables: what is refused, and how; releases that were changed.
. "$HERE/common.bash"
printf '%s\n' age,sex,disease 23,m,flu 27,f,flu 31,m,cold 39,f,ulcer 41,m,flu 44,f,cold >t.csv
table() {
    local ranges=(--ranges age=5,10,20)
    [[ " $* " != *" --ranges "* ]] || ranges=()
    lethe lplus "$1" --qi age,sex --sa disease "${ranges[@]}" "${@:2}" -q -o rel
}
echo "--- nothing can be published"
run table t.csv --theta 1/3 --suppress none
run table t.csv -k 7
run table t.csv -k 7 --suppress none
run table t.csv --distinct-l 4 --suppress none
run table t.csv --theta 0
run table t.csv --theta 0 --suppress none
printf '%s\n' age,sex,disease 23,m,flu >one.csv
run table one.csv --theta 1/2
run table one.csv --theta 1
rm -r rel
run table one.csv -k 2 --suppress none
echo "--- what is asked wrongly"
run lethe lplus t.csv --sa disease --theta 1/2 -o rel
run lethe lplus t.csv --qi age,sex --theta 1/2 -o rel
run lethe lplus t.csv --qi age,sex --sa disease -o rel
run lethe lplus t.csv --qi age,sex -k 1 -o rel
run table t.csv -k 0
run table t.csv -k 1
run lethe lplus t.csv --qi age,age -k 2 -o rel
run lethe lplus t.csv --qi age,disease --sa disease --theta 1/2 -o rel
run lethe lplus t.csv --qi age --sa disease --keep age --theta 1/2 -o rel
for theta in 1.5 -0.5 2/1 1/0 x ''; do run table t.csv --theta "$theta"; done
run table t.csv --theta 1/2 --theta-by-frequency 1/2
run table t.csv --theta 1/2 --cost DM --suppress vioSA
run table t.csv --theta 1/2 --cost CM
run table t.csv --theta 1/2 --ranges age=10,5
run table t.csv --theta 1/2 --ranges age=10,15
run table t.csv --theta 1/2 --ranges weight=10
run table t.csv --theta 1/2 --hierarchies nowhere
run table t.csv --theta 1/2 --columns user=1
run table t.csv --theta 1/2 --from aol
run lethe scrub t.csv --from table -o rel
run lethe lplus t.csv --qi age,sex -k 2 --then scrub -o rel
run lethe scrub t.csv --then lplus --qi age,sex -k 2 -o rel
run lethe lplus t.csv --qi age,sex -k 2 --time day -o rel
echo "--- what is wrong in the input"
loudly() { lethe lplus bad.csv --qi age,sex --sa disease --ranges age=5,10,20 --theta 1/2 "$@" -o rel --json >json 2>said; local status=$?; cat said; rm said json; return $status; }
bad() { printf '%b' "$1" >bad.csv; shift; run loudly "$@"; rm -rf rel; }
bad ''
bad 'age,sex,disease\n'
bad 'age,sex,sex,disease\n23,m,m,flu\n'
bad 'age,sex,\n23,m,flu\n'
bad 'age,gender,disease\n23,m,flu\n'
bad 'age,sex,disease\n23,m\n24,m,flu\n'
bad 'age,sex,disease\n23,m,flu,more\n24,m,flu\n'
bad 'age,sex,disease\nold,m,flu\n24,m,flu\n'
bad 'age,sex,disease\n23,m,*\n24,m,flu\n'
bad 'age,sex,disease\n23,m,"flu\n24,m,flu\n'
bad 'age,sex,disease\n23,m,"fl\nu"\n24,m,flu\n'
bad 'age,sex,disease\n23,m,fl\0u\n24,m,flu\n'
bad 'age,sex,disease\n23,m,flu\n24,m\n' --strict-input
rows() { for i in 1 2 3 4 5 6; do printf '2%d,m,%s\\n' $i "$([ $((i % 2)) = 0 ] && echo flu || echo cold)"; done; }
bad "age,sex,disease\n$(rows)$(rows)$(rows)\"23\",\"m\",\"fl\nu\"\n"
bad "age,sex,disease\r\n$(rows)23,m,fl\xffu" --encoding utf-8
mkdir h
printf 'm;*\n' >h/sex.csv
run table t.csv --theta 1/2 --hierarchies h
printf 'm\t*\nf\t*\n*\tm\n' >h/sex.tsv
run table t.csv --theta 1/2 --hierarchies h
rm h/sex.csv
run table t.csv --theta 1/2 --hierarchies h
printf 'm\t*\nf\tx\n' >h/sex.tsv
run table t.csv --theta 1/2 --hierarchies h
rm h/sex.tsv
printf '%s;*\n' 23 27 31 39 41 44 >h/age.csv
run table t.csv --theta 1/2 --hierarchies h
for list in 'flu\t0.5\nflu\t0.5\n' 'flu\t2\n' 'flu\n' '' 'flu\t0.5\n'; do
    printf "$list" >theta.tsv
    run table t.csv --theta-file theta.tsv
done
rm -rf rel
holds bad.csv h one.csv t.csv theta.tsv
echo "--- a release that was changed"
table t.csv --theta 2/3 -k 2 --seed 1
cat rel/data.csv
python3 - <<'END'
import hashlib, json, os, pathlib, shutil
def tried(name, change):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree("rel", "bad")
    files = {x: pathlib.Path("bad", x).read_text() for x in ("data.csv", "taxonomy.tsv")}
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
    head, *rows = files["data.csv"].splitlines()
    files["data.csv"] = "".join(x + "\n" for x in [head, *sorted(change(rows))])
def all_flu(rows):
    return [x.rsplit(",", 1)[0] + ",flu" for x in rows]
def special(files, m):
    head, *rows = files["data.csv"].splitlines()
    first = rows[0].split(",")
    files["taxonomy.tsv"] += f"age=special\tage={first[0]}\t1\n"
    rows[0] = ",".join(["special", *first[1:]])
    lines(files, lambda _: rows)
tried("as it was", lambda files, m: None)
tried("all have one value", lambda files, m: lines(files, all_flu))
tried("a row gone", lambda files, m: lines(files, lambda x: x[1:]))
tried("a value that is not in the taxonomy", lambda files, m: lines(files, lambda x: ["Zebra" + x[0][x[0].index(","):], *x[1:]]))
tried("a value below another", special)
tried("rows in another order", lambda files, m: files.update({"data.csv": "\n".join([files["data.csv"].splitlines()[0], *sorted(files["data.csv"].splitlines()[1:], reverse=True), ""])}))
tried("another column", lambda files, m: files.update({"data.csv": files["data.csv"].replace("disease", "illness")}))
tried("one more column", lambda files, m: files.update({"data.csv": "".join(x + ("," + ("n" if i == 0 else "1")) + "\n" for i, x in enumerate(files["data.csv"].splitlines()))}))
tried("less promised", lambda files, m: m["claims"].pop())
tried("less asked", lambda files, m: m["steps"][0]["parameters"].update(theta="1"))
tried("another column is sensitive", lambda files, m: m["steps"][0]["parameters"].update(sa="sex"))
tried("quiet", lambda files, m: m.update(caveats=m["caveats"][:-1]))
END

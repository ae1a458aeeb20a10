# SPDX-License-Identifier: Apache-2.0
# Releases whose data is in several files: all that reads one reads them as the whole, and what is not exactly the whole
# is refused.
. "$HERE/common.bash"
# split WHOLE PARTS N [PYTHON]: the release with its data in N parts, changed by a piece of Python.
split() { python3 "$HERE/parts.py" "$@"; }
# told FILE: a report without what differs from run to run.
told() { python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); [j.pop(k, None) for k in ("seconds", "peak_bytes")]; print(json.dumps(j, indent=1))' "$1"; }
# with_map: the file `map`, that of the release `rel`, if there is one.
with_map() { [ ! -e log.map ] || { map_head rel && tail -n +2 log.map; } >map; }
# alike COMMAND...: `lethe COMMAND` says the same of the folder `rel`, whether it is the whole or in 1, 3 or all parts.
alike() {
    local n status
    ln -sfn whole rel
    with_map
    lethe "$@" --json >report 2>said
    status=$?
    told report >wanted
    for n in 1 3 0; do
        ln -sfn parts.$n rel
        with_map
        lethe "$@" --json >report 2>said.parts
        [ $? = $status ] || echo "other status: $*, $n parts"
        told report >got
        cmp wanted got || diff wanted got | head -n 5
        cmp said said.parts || diff said said.parts | head -n 5
    done
    echo "alike ($status): ${*%% *}"
}
# cut WHOLE: the folders `whole` and `parts.N`.
cut_up() {
    rm -rf whole parts.*
    cp -r "$1" whole
    for n in 1 3 0; do split whole parts.$n $n; done
    cat parts.3/part-* | cmp - whole/data.* && ls parts.3
}
small_log >log.tsv
printf '%s\n' 'a b x' 'a b' 'a b x' 'a b' 'a b' 'a b' >sets
printf '%s\tall\n' a b c d >tree
printf 'x\n' >secret
printf 'age,ill\n1,flu\n2,flu\n1,cold\n2,cold\n' >table.csv
quietly lethe threshold log.tsv -t 2 --seed 1 --map log.map -o log
quietly lethe seal log.tsv -t 3 --scheme additive --seed 1 -o seal
quietly lethe og sets --taxonomy tree -k 2 -l 2 -m 2 --sensitive secret -o sets.rel
quietly lethe incognito table.csv --qi age --sa ill -k 2 -o table
quietly lethe threshold log.tsv -t 2 --as counts -o counts
quietly lethe threshold log.tsv -t 2 --publish-as ubi -o ubi

echo '--- a log'
cut_up log
alike verify rel
alike measure rel --original log.tsv --map map
alike attack rel --original log.tsv --map map
page() { lethe report "$1" -o page.html --force -q && python3 -c 'import re; print(re.sub(r"<tr>((?!</tr>).)*(part-\d|data\.tsv)((?!</tr>).)*</tr>\s*", "", open("page.html").read(), flags=re.S))' >"$2"; }
page whole page.whole && page parts.3 page.parts
diff page.whole page.parts | grep '^[<>]'
run lethe verify parts.3
echo '--- a sealed log'
cut_up seal
alike verify rel
alike measure rel --original log.tsv
alike attack rel --original log.tsv
lethe open whole -o as.whole -q && lethe open parts.0 -o opened -q && cmp as.whole opened && wc -l <opened
mkdir loose && cp parts.3/part-* loose && lethe open loose -o opened --force -q && cmp as.whole opened
run lethe open loose -o loose/part-00001.tsv --force
rm loose/part-00001.tsv && run lethe open loose -o opened --force
rm loose/part-* && run lethe open loose -o opened --force
echo '--- records'
cut_up sets.rel
alike verify rel
alike measure rel --original sets --taxonomy tree
alike attack rel --original sets --taxonomy tree
echo '--- a table'
cut_up table
alike verify rel
alike measure rel --original table.csv
alike attack rel --original table.csv
echo '--- more parts than a process may have open'
big_log 3000 >big.tsv
quietly lethe threshold big.tsv -t 2 --seed 1 -o big
split big many 1500
lethe report many -o page.html -q --force && grep -o "part-00000.tsv to part-[0-9]*.tsv" page.html
(ulimit -n 200 && lethe verify many | tail -n 1)
tar -cf - many | zstd -q >many.tar.zst && lethe verify many.tar.zst | tail -n 1
quietly lethe threshold log.tsv -t 2 --seed 1 -o many --force && ls many
split many parts.1 1 && quietly lethe threshold log.tsv -t 2 --seed 1 -o parts.1 --force && ls parts.1

# refuse TITLE PYTHON: a release in three parts, changed so.  Nothing may take it for a release.
refuse() {
    local status
    split "${of:-log}" bad 3 "$2"
    timeout 20 lethe verify bad >said 2>&1
    status=$?
    echo "$1: $status"
    sed 's/^/    /' said
    [ $status = 1 ] || [ $status = 3 ] || echo "WRONG: $1"
    timeout 20 lethe measure bad --original log.tsv >said 2>&1 && echo "WRONG: measured: $1"
    timeout 20 lethe attack bad --original log.tsv >said 2>&1 && echo "WRONG: attacked: $1"
    tar -cf bad.tar bad && timeout 20 lethe verify bad.tar >said 2>&1 && echo "WRONG: archive: $1"
}
echo '--- what is not the whole'
refuse 'a part is missing' 'swap(part(1), lambda path: None)'
refuse 'the last part is missing' 'swap(part(2), lambda path: None)'
refuse 'a part is missing, in the manifest too' 'del f[part(1)]; sign()'
refuse 'the first part is missing, in the manifest too' 'del f[part(0)]; sign()'
refuse 'the last part is missing, in the manifest too' 'del f[part(2)]; sign()'
refuse 'one part more' 'put(part(3), b"x\n")'
refuse 'one part more, far behind' 'put(part(70000), b"x\n")'
refuse 'a part of another shape' 'put("part-00000.csv", b"x\n")'
refuse 'a part of another shape, in the manifest too' 'f["part-00000.csv"] = b"x\n"; sign()'
refuse 'a gap in the numbers' 'f[part(3)] = f.pop(part(2)); sign()'
refuse 'numbers from 1' 'f = {part(i + 1): b for i, b in enumerate(f.values())}; sign()'
refuse 'another order in the manifest' 'm["files"][0], m["files"][1] = m["files"][1], m["files"][0]'
refuse 'other contents in the order' 'f[part(1)], f[part(2)] = f[part(2)], f[part(1)]; sign()'
refuse 'a part twice in the manifest' 'm["files"].insert(1, m["files"][0])'
refuse 'a part twice, under two numbers' 'f[part(3)] = f[part(2)]; sign()'
refuse 'parts behind another file' 'm["files"].insert(0, {"name": "report.html", "bytes": 2, "blake2b": hashlib.blake2b(b"x\n", digest_size=32).hexdigest()}); put("report.html", b"x\n")'
refuse 'the whole beside parts' 'put(data, b"".join(lines))'
refuse 'the whole beside parts, in the manifest too' 'f[data] = b"".join(lines); sign()'
refuse 'the whole in the manifest, parts in the folder' 'm["files"] = json.load(open(whole + "/manifest.json"))["files"]'
refuse 'the whole and parts in the folder, the whole in the manifest' 'm["files"] = json.load(open(whole + "/manifest.json"))["files"]; put(data, b"".join(lines))'
refuse 'another byte' 'f[part(1)] = f[part(1)].replace(b"maps", b"mapz")'
refuse 'another size in the manifest' 'm["files"][1]["bytes"] += 1'
refuse 'an empty part' 'f[part(3)] = b""; sign()'
refuse 'an empty part, and all shifted' 'f = {part(0): f[part(0)], part(1): b"", part(2): f[part(1)], part(3): f[part(2)]}; sign()'
refuse 'an empty part with a made-up size' 'f[part(3)] = b""; sign(); m["files"][3]["bytes"] = 1'
refuse 'a line in two parts' 'f[part(0)], f[part(1)] = f[part(0)][:-3], f[part(0)][-3:] + f[part(1)]; sign()'
refuse 'an LF at the beginning of a part' 'f[part(0)], f[part(1)] = f[part(0)][:-1], b"\n" + f[part(1)]; sign()'
refuse 'the last line without its LF' 'f[part(2)] = f[part(2)][:-1]; sign()'
refuse 'lines out of order across a border' 'a, b = f[part(1)].splitlines(True), f[part(2)].splitlines(True); a[-1], b[0] = b[0], a[-1]; f[part(1)], f[part(2)] = b"".join(a), b"".join(b); sign()'
refuse 'a header in the middle' 'f[part(1)] = lines[0] + f[part(1)]; sign()'
refuse 'no header' 'f[part(0)] = f[part(0)][len(lines[0]):]; sign()'
refuse 'a packed part' 'import gzip; f[part(1)] = gzip.compress(f[part(1)]) + b"\n"; sign()'
refuse 'a rare line more' 'f[part(2)] += b"zzzzzzzzzzzzzzzz\tonly mine\t2006-03-01\t\t\n"; sign(); m["counts"]["published"] += 1; m["counts"]["read"] += 1'
refuse 'a link' 'swap(part(1), lambda path: (open("elsewhere", "wb").write(f[part(1)]), os.symlink("../elsewhere", path)))'
refuse 'a pipe' 'swap(part(1), os.mkfifo)'
refuse 'a folder' 'swap(part(1), os.mkdir)'
refuse 'a name with six digits' 'f["part-000003." + ext] = f.pop(part(2)); sign()'
refuse 'a name with six digits besides' 'put("part-000003." + ext, b"x\n")'
refuse 'a name with four digits' 'f = {f"part-{i:04}.{ext}": b for i, b in enumerate(f.values())}; sign()'
refuse 'another ending' 'f = {f"part-{i:05}.gz": b for i, b in enumerate(f.values())}; sign()'
refuse 'a path' 'm["files"][0]["name"] = "../bad/" + part(0)'
of=ubi refuse 'documents beside parts' ''
of=seal refuse 'a sealed log out of order' 'f[part(1)], f[part(2)] = f[part(2)], f[part(1)]; sign()'
of=sets.rel refuse 'records out of order' 'f[part(0)], f[part(2)] = f[part(2)], f[part(0)]; sign()'
of=sets.rel refuse 'an empty record at the end' 'f[part(2)] += b"\n"; sign()'
of=table refuse 'a table without its header' 'f[part(0)] = f[part(0)][len(lines[0]):] or lines[1]; sign()'
of=table refuse 'a table with a part missing' 'del f[part(2)]; sign()'
echo '--- counts have no parts'
cp -r counts bad.counts && mv bad.counts/counts.tsv bad.counts/part-00000.tsv
sed -i 's/"counts.tsv"/"part-00000.tsv"/' bad.counts/manifest.json
run lethe verify bad.counts

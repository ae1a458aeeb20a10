# SPDX-License-Identifier: Apache-2.0
# Releases that were forged consistently: data, manifest, page and digests are made anew, and a manifest may name any
# version.  Only what the program itself would have made, or says that it could not check, may pass.
. "$HERE/common.bash"
cat >forge.py <<'END'
# Forges every release of cases.txt (a name, a release and a piece of Python per line) and shows exit status and words of
# `lethe verify`.  In the piece of Python m is the manifest, c its caveats, s the parameters of its first step, f the
# files; with sign = False the list of files stays as it is, and text changes the manifest as it is written.
import hashlib, json, os, shutil, subprocess, sys
def other(version="9.9.9"): m["lethe"] = version
def public(): f["taxonomy.tsv"] += "x\tall\t1\n"
def entry(name): return {"name": name, "bytes": len(f[name].encode()), "blake2b": hashlib.blake2b(f[name].encode(), digest_size=32).hexdigest()}
for line in open("cases.txt"):
    title, rel, code = line.rstrip("\n").split("\t")
    if not rel: print(title); continue
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(rel, "bad")
    m = json.load(open("bad/manifest.json"))
    f = {e["name"]: open("bad/" + e["name"], newline="").read() for e in m["files"]}
    for name in f: os.remove("bad/" + name)
    version, s, c, text, sign = m["lethe"], m["steps"][0]["parameters"], m["caveats"], str, True
    exec(code)
    for name in f: open("bad/" + name, "w", newline="").write(f[name])
    if sign: m["files"] = [entry(name) for name in f]
    open("bad/manifest.json", "w").write(text(json.dumps(m, indent=2)) + "\n")
    run = subprocess.run(["lethe", "verify", "bad"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    print(title + ": " + str(run.returncode))
    for said in run.stdout.splitlines(): print("    " + said.replace("lethe " + version, "lethe VERSION"))
    sys.stdout.flush()
END
# forge NAME RELEASE PYTHON: one more case.
forge() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>cases.txt; }
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --seed 1 --report -o log
quietly lethe threshold log.tsv -t 3 --seed 1 -o bare
quietly lethe scrub log.tsv --then threshold -t 3 --users-with 1- -o chain
quietly lethe split log.tsv --by gap -o split
quietly lethe microagg log.tsv -k 2 -o micro
quietly lethe seal log.tsv -t 3 --scheme additive --seed 1 -o seal
quietly lethe threshold log.tsv -t 2 --then mm --terms words -k 2 -p 1 -o across
quietly lethe disconnect log.tsv --density 0.5 -o disconnect
printf 'ann\n' >names
quietly lethe scrub log.tsv --list names -o listed
printf '%s\n' 'a b x' 'a b' 'a b x' 'a b' 'a b' 'a b' >sets
printf '%s\tall\n' a b c d >tree
printf 'x\n' >secret
printf 'nobody\n' >elsewhere
quietly lethe og sets --taxonomy tree -k 2 -l 2 -m 2 --sensitive secret -o og
quietly lethe og sets --taxonomy tree -k 2 -l 2 -m 2 --sensitive elsewhere -o nothing
quietly lethe mm sets -k 2 --h 0.8 -p 1 --sensitive secret -o mm
printf 'age,ill\n1,flu\n2,flu\n1,cold\n2,cold\n' >table.csv
quietly lethe incognito table.csv --qi age --sa ill -k 2 -o table
quietly lethe incognito table.csv --qi age -k 2 -o plain
quietly lethe incognito table.csv --qi age --keep ill -k 2 -o keeping

echo '--- as they are'
for r in log bare chain split micro seal across disconnect listed og nothing mm table; do run lethe verify $r; done
json nothing/manifest.json '[c for c in j["caveats"] if "No published" in c]'

forge '--- another version' '' ''
forge 'only the version' bare 'other()'
forge 'a version that is none' bare 'other("9.9.9; trust me")'
forge 'a version with an escape' bare 'other("9\u001b[2J")'
forge 'a promise among the caveats' bare 'other(); c.append("This release is differentially private.")'
forge 'the same, of this version' bare 'c.append("This release is differentially private.")'
forge 'a caveat twice' bare 'c.append(c[0])'
forge 'many of them' bare 'other(); c.extend("No. %d." % i for i in range(20))'
forge 'no caveats' bare 'other(); c.clear()'
forge 'a caveat left out' bare 'other(); c.pop()'
forge 'a caveat with an escape' bare 'other(); c.append("\u001b]0;x\u0007")'
forge 'a caveat that is a number' bare 'other(); c.append(7)'
forge 'a caveat of another method' bare 'c.append("Each row counts as one person: a person with several rows is not protected.")'
forge 'the caveat of a key file' bare 'c.append("Pseudonyms are keyed by a file: releases made with the same key can be joined.")'
forge 'the same for a table' table 'c.append("Pseudonyms are keyed by a file: releases made with the same key can be joined.")'
forge 'the page of this version' log 'other()'
forge 'the page with its version' log 'other(); f["report.html"] = f["report.html"].replace("made by lethe " + version, "made by lethe 9.9.9")'
forge 'the page with a promise among the caveats' log 'other(); f["report.html"] = f["report.html"].replace("made by lethe " + version, "made by lethe 9.9.9").replace("<li>" + c[-1] + "</li>", "<li>" + c[-1] + "</li>\n<li>Differentially private.</li>"); c.append("Differentially private.")'
forge 'a page with a script' log 'other(); f["report.html"] = "<script>alert(1)</script>"'
forge 'a page with a script, of this version' log 'f["report.html"] = "<script>alert(1)</script>"'

forge '--- steps that the program does not run' '' ''
forge 'og -k 1 -l 1' og 's.update(k=1, l=1.0); [x.update(k=1, l=1.0) for x in m["claims"] + m["verdict"]["checks"]]'
forge 'mm -k 1 --h 1' mm 's.update(k=1, h=1.0); [x.update(k=1, h=1.0) for x in m["claims"] + m["verdict"]["checks"]]'
forge 'microagg after split' micro 'o = json.load(open("split/manifest.json")); [o["steps"][0]["parameters"].pop(x) for x in ("keep-users", "time", "urls")]; m["steps"] = o["steps"] + m["steps"]; m["claims"] = o["claims"] + m["claims"]; m["verdict"]["checks"] = o["verdict"]["checks"] + m["verdict"]["checks"]; c.extend(x for x in o["caveats"] if x not in c)'
forge 'og after og' og 'm["steps"] *= 2; m["claims"] *= 2'
forge 'seal behind disconnect' disconnect 'm["steps"].append({"command": "seal", "parameters": {}})'
forge 'more steps than a chain has' chain 's.pop("users-with"); m["steps"] = m["steps"][:1] * 20001 + m["steps"][1:]; m["claims"] = m["claims"][:1] * 20001 + m["claims"][1:]; m["verdict"]["checks"] = m["verdict"]["checks"][:1] * 20001 + m["verdict"]["checks"][1:]'
forge '--- steps without a claim' '' ''
forge 'another threshold, of which nothing is claimed' across 's["t"] = 3'
forge 'the promise of threshold, claimed' across 'x = {"notion": "query-threshold", "t": 2, "by": "users"}; m["claims"].insert(0, x); m["verdict"]["checks"].insert(0, {**x, "holds": True})'
forge 'the same, without the mark' across 'x = {"notion": "query-threshold", "t": 2, "by": "users"}; m["claims"].insert(0, x); m["verdict"]["checks"].insert(0, {**x, "holds": True}); m["steps"][0].pop("unclaimed")'
forge 'without the mark' across 'm["steps"][0].pop("unclaimed")'
forge 'another mark' across 'm["steps"][0]["unclaimed"] = "its promise holds"'
forge 'the mark of a step that claims something' chain 'm["steps"][0]["unclaimed"] = "applied before threshold; its promise cannot be seen in a log and is not claimed"'
forge '--- more steps that the program does not run' '' ''
forge 'threshold -t 0' bare 's["t"] = 0'
forge 'a table without quasi-identifiers' table 's.pop("qi")'
forge 'a column twice' table 's["qi"] = "age,age"'
forge 'a table without a requirement' table 's["k"] = 1'
forge 'the steps of records over the files of a log' bare 'o = json.load(open("og/manifest.json")); m.update((x, o[x]) for x in ("steps", "claims", "verdict", "caveats"))'
forge 'incognito of a log' bare 'm["steps"][0]["command"] = "incognito"'
forge 'seal -n other than -t, additive' seal 's["n"] = 7'

forge '--- parameters' '' ''
forge 'one missing' bare 'del s["same"]'
forge 'one more' bare 's["levels"] = 5'
forge 'in another order' bare 's["t"] = s.pop("t")'
forge 'a number as a text' bare 's["t"] = "3"'
forge 'a number as a fraction' bare 's["t"] = 3.0'
forge 'a name twice' bare 'text = lambda t: t.replace("\"t\": 3,", "\"t\": 3, \"t\": 3,", 1)'
forge 'a text behind a NUL' table 's["sa"] = "ill\0hidden"'
forge 'a name behind a NUL' bare 's["t\0"] = 3'
forge 'a NUL among the figures' bare 'm["metrics"]["rows_kept\0"] = 9'
forge 'a NUL in a figure' bare 'm["metrics"]["note"] = "\0x"'
forge 'a NUL in the verdict' bare 'm["verdict"]["checks"][0]["by"] = "users\0"'
for range in '[]' '[1, 2, 3]' '[-1]' '[3, 2]' '[1.5]' '["1"]' '[None]' '7' 'None' 'True' '"1-2"' '{}' '[[1]]' '[2**63]'; do
    forge "users-with $range" chain "s['users-with'] = $range"
done
forge 'users-with 1-2' chain 's["users-with"] = [1, 2]'
forge 'users-with at the second step' chain 'm["steps"][1]["parameters"]["users-with"] = s.pop("users-with")'
forge 'users-with of a table' table 's["users-with"] = [1]'
forge 'users-with of records' og 's["users-with"] = [1]'
forge 'keep-users at the first step' chain 's["keep-users"] = m["steps"][1]["parameters"]["keep-users"]'
forge 'keep-users of records' og 's["keep-users"] = False'
forge 'times of a table' table 's["time"] = "day"'
forge 'URLs of a sealed log without clicks' seal 's["urls"] = "host"'
forge 'gap of records' og 's["gap"] = "all"'
forge 'clicked of records' og 's["clicked"] = False'

forge '--- members' '' ''
forge 'an unknown one' bare 'm["comment"] = "x"'
forge 'one twice' bare 'text = lambda t: t.replace("\"counts\":", "\"lethe\": \"\", \"counts\":", 1)'
forge 'one of a step' bare 'm["steps"][0]["note"] = 1'
forge 'one of a claim' bare 'm["claims"][0]["note"] = 1'
forge 'one of a claim and its check' bare 'm["claims"][0]["note"] = 1; m["verdict"]["checks"][0]["note"] = 1'
forge 'one of a check' bare 'm["verdict"]["checks"][0]["note"] = 1'
forge 'one of the verdict' bare 'm["verdict"]["note"] = 1'
forge 'one of the counts' bare 'm["counts"]["invalid"] = 0'
forge 'a count that is a fraction' bare 'm["counts"]["rejected"] = 0.0'
forge 'holds of a number' bare 'm["verdict"]["holds"] = 1'
forge 'a check that does not hold' bare 'm["verdict"]["checks"][0]["holds"] = False'
forge 'no checks' bare 'm["verdict"]["checks"] = []'
forge 'one of a file' bare 'sign = False; m["files"][0]["note"] = 1'
forge 'a size below 0' bare 'sign = False; m["files"][0]["bytes"] = -1'
forge 'a digest in capitals' bare 'sign = False; m["files"][0]["blake2b"] = m["files"][0]["blake2b"].upper()'
forge 'a digest with a space' bare 'sign = False; m["files"][0]["blake2b"] = " " + m["files"][0]["blake2b"][1:]'

forge '--- sensitive items' '' ''
forge 'the list left out, its item public' og 'del f["sensitive.txt"]; public()'
forge 'the list emptied' og 'f["sensitive.txt"] = ""'
forge 'the list emptied, with the caveat' og 'f["sensitive.txt"] = ""; c.append("No published item is on the list of sensitive items: nothing is protected as sensitive."); public()'
forge 'the caveat with a list' og 'c.append("No published item is on the list of sensitive items: nothing is protected as sensitive.")'
forge 'no list given' og 'del s["sensitive"], f["sensitive.txt"]'
forge 'no list given, nor -l' og 'public(); del s["sensitive"], f["sensitive.txt"]; s["l"] = 1.0; [x.update(l=1.0) for x in m["claims"] + m["verdict"]["checks"]]; m["caveats"] = [x for x in c if not x.startswith("Sensitive items")]'
forge 'false for a list' og 's["sensitive"] = False'
forge 'mm: the list left out' mm 'del f["sensitive.txt"]'
forge 'mm: the caveat without a list' mm 'del s["sensitive"], f["sensitive.txt"]; s["h"] = 1.0; [x.update(h=1.0) for x in m["claims"] + m["verdict"]["checks"]]'

forge '--- columns' '' ''
forge 'one that no step names' keeping 'm = json.load(open("plain/manifest.json"))'
forge 'one less than the steps name' plain 'm = json.load(open("keeping/manifest.json"))'
forge '--- owners of terms' '' ''
quietly lethe ssg sets --taxonomy tree -k 2 --min-owners 2 -o owners
forge 'as many as there are' owners 's["min-owners"] = min(f["data.txt"].count(line + "\n") for line in f["data.txt"].split("\n") if line)'
forge 'more than there are' owners 's["min-owners"] = 1 + min(f["data.txt"].count(line + "\n") for line in f["data.txt"].split("\n") if line)'

forge '--- thresholds' '' ''
printf 'flu\t1/2\ncold\t1/2\n' >thetas
quietly lethe incognito table.csv --qi age --sa ill --theta-file thetas -o thetas-listed
quietly lethe verify thetas-listed
quietly lethe incognito table.csv --qi age --sa ill --theta-by-frequency 1/2 -o thetas-frequent
printf '1,flu\n' | cat table.csv - >frequent.csv
quietly lethe lplus frequent.csv --qi age --sa ill --theta-by-frequency 1/2 -o thetas-hidden
run lethe verify thetas-hidden
forge 'as it is' thetas-frequent 'pass'
forge 'a list above what is frequent' thetas-frequent 'f["theta.tsv"] = "cold\t0.9\nflu\t0.9\n"'
forge 'a list below the share' thetas-frequent 'f["theta.tsv"] = "cold\t1/2\nflu\t0.499\n"'
forge 'a list that no claim refers to' table 'f["theta.tsv"] = "cold\t1\nflu\t1\n"'
forge 'the list left out' thetas-listed 'del f["theta.tsv"]'
forge 'a promise among the caveats, again' bare 'other(); c.append("This release is differentially private.")'
python3 forge.py
lethe verify bad --json >report
json report 'j["metrics"], len(j["unchecked"]), "note" in j, "This release is differentially private." in j["caveats"]'
lethe verify bad --caveats | grep -c 'differentially'

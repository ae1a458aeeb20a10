# SPDX-License-Identifier: Apache-2.0
# Help goes to standard output, and is no error.
echo "--- lethe help"
lethe help
for how in --help -h; do
    lethe $how | cmp - <(lethe help)
done
echo "--- the list"
lethe help --list
for command in $(lethe help --list); do
    echo "--- $command"
    lethe $command --help >page || echo "= $?"
    grep -e '^lethe' -e '^Usage' -e '^Example' page
    sed -n 's/^  \(-[a-z], \)\{0,1\}\(--\{0,1\}[a-z][a-z-]*\).*/\1\2/p' page | tr '\n' ' '
    echo
    lethe help $command | cmp - <(lethe $command --help)
    lethe $command -h nonsense --threads 3 | cmp - <(lethe $command --help)
    [ -n "$(lethe help --man $command)" ] || echo "no manual for $command"
    if command -v scdoc >/dev/null; then
        lethe help --man $command | scdoc | grep -q '^\.SH "\?EXIT STATUS' || echo "no manual page for $command"
    fi
done
echo "--- methods"
lethe methods | grep '^[A-Z]'
lethe methods | grep -c -e threshold -e query-threshold -e sizes
lethe methods --json | python3 -c 'import json, sys
j = json.load(sys.stdin)
print(list(j))
for m in j["methods"]: print(m["name"], m["in"], m["out"], m["notion"], [o["name"] for o in m["options"]], [f["name"] for f in m["figures"]], len(m["caveats"]) > 0)
print([n["name"] for n in j["notions"]], [n["name"] for n in j["measures"]], [n["name"] for n in j["adversaries"]])'
echo "--- caveats: of every release, of the defaults, and of options"
lethe methods --json | python3 -c 'import json, sys
for m in json.load(sys.stdin)["methods"]:
    print(m["name"])
    for c in m["caveats"]: print("   ", c[:60])'
for m in $(lethe methods --json | python3 -c 'import json, sys
for m in json.load(sys.stdin)["methods"]: print(m["name"] + ":" + str(len(m["caveats"])))'); do
    [ $(lethe help ${m%:*} | sed '1,/^What it does not/d' | grep -c '^  - ') = ${m#*:} ] || echo "help of $m lacks caveats"
    [ $(lethe help --man ${m%:*} | sed '1,/^# CAVEATS/d; /^# PAPER/,$d' | grep -c '^- ') = ${m#*:} ] || echo "manual of $m lacks caveats"
done
echo "--- version"
lethe version
lethe --version
lethe version --json
echo "--- completion"
lethe help --completion bash >completion
bash -n completion && . ./completion && {
    complete -p lethe
    COMP_WORDS=(lethe thr) COMP_CWORD=1
    _lethe
    echo "${COMPREPLY[@]}"
    COMP_WORDS=(lethe verify --resu) COMP_CWORD=2
    _lethe
    echo "${COMPREPLY[@]}"
}

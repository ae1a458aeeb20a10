# SPDX-License-Identifier: Apache-2.0
# Key files.
. "$HERE/common.bash"
small_log >log.tsv
run lethe key my.key
stat -c '%a %s' my.key
run lethe key my.key
cp my.key before
run lethe key my.key --force
cmp -s my.key before && echo "the same key again"
stat -c '%a %s' my.key
mkdir folder
ln -s my.key link
run lethe key folder --force
run lethe key link --force
lethe key second.key --json
(umask 000 && lethe key open.key && stat -c '%a' open.key)
# One key, one pseudonym, in any release; another key, another.
quietly lethe threshold log.tsv -t 3 --key-file my.key -o rel1
quietly lethe threshold log.tsv -t 3 --key-file my.key -o rel2
quietly lethe threshold log.tsv -t 3 --key-file second.key -o rel3
cmp rel1/data.tsv rel2/data.tsv && echo "one key: the same"
comm -12 <(tail -n +2 rel1/data.tsv | cut -f 1 | sort -u) <(tail -n +2 rel3/data.tsv | cut -f 1 | sort -u)
# Also for hashes and URLs, and whatever the seed.
quietly lethe threshold log.tsv -t 3 --rare hash --urls id --key-file my.key --seed 1 -o rel4
quietly lethe threshold log.tsv -t 3 --rare hash --urls id --key-file my.key --seed 2 -o rel5
cmp rel4/data.tsv rel5/data.tsv && echo "one key, two seeds: the same"
quietly lethe threshold log.tsv -t 3 --key-file /dev/fd/7 -o rel6 7<my.key
cmp rel1/data.tsv rel6/data.tsv && echo "from a descriptor: the same"
quietly lethe threshold log.tsv -t 3 --key-file <(cat my.key) -o rel7
cmp rel1/data.tsv rel7/data.tsv && echo "from a pipe: the same"
json rel1/manifest.json '[c for c in j["caveats"] if "key" in c][-1]'
# Keys that will not do.
cp my.key loose.key
for mode in 644 640 604 620; do
    chmod $mode loose.key
    run lethe threshold log.tsv -t 3 --key-file loose.key -o rel
done
(umask 077 && head -c 31 my.key >short.key && { cat my.key; echo; } >long.key && : >empty.key)
for key in short.key long.key empty.key folder; do
    run lethe threshold log.tsv -t 3 --key-file $key -o rel
done
holds before empty.key folder link log.tsv long.key loose.key my.key open.key rel1 rel2 rel3 rel4 rel5 rel6 rel7 second.key short.key

# SPDX-License-Identifier: Apache-2.0
# --users-with: users by their clicked queries; several clicks of one query count once.
. "$HERE/common.bash"
{
    printf '1\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com\n1\tmaps\t2006-03-01 10:00:00\t2\thttp://b.com\n'
    printf '2\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com\n2\tmaps\t2006-03-01 11:00:00\t2\thttp://b.com\n'
    printf '3\tmaps\t2006-03-01 10:00:00\n'
    printf '4\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com\n4\tnews\t2006-03-01 10:00:00\t1\thttp://a.com\n4\tsun\t2006-03-01 10:00:00\t1\thttp://a.com\n'
} >log.tsv
for range in 0- 1- 2- 1 2 0 3-3 0-1 2-9; do
    rm -rf rel
    quietly lethe threshold log.tsv -t 1 --keep-users --users-with $range -o rel
    echo "$range: $(tail -n +2 rel/data.tsv | cut -f 1 | sort | uniq -c | awk '{ printf "%s user %s; ", $1, $2 }')"
    accounts rel/manifest.json
    json rel/manifest.json 'j["steps"][0]["parameters"]["users-with"]'
    quietly lethe verify rel
done
run lethe profile log.tsv -q --users-with 77

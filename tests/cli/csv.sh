# SPDX-License-Identifier: Apache-2.0
# Quotes in CSV: delimiters and line ends inside them, doubled quotes, quotes that are not closed.
. "$HERE/common.bash"
cat >log.csv <<'END'
user,query,time,note
1,"cats, dogs","2006-03-01 10:00:00","two
lines"
2,"cats, dogs",2006-03-01 11:00:00,""
"3","say ""hi""",2006-03-01 12:00:00,
4,"say ""hi""",2006-03-01 13:00:00,"a ""quoted"" note"
5,"two
lines",2006-03-01 14:00:00,x
6,plain,2006-03-01 15:00:00,x
7,plain,2006-03-01 16:00:00,x
8,plain,2006-03-01 17:00:00,x
9,plain,2006-03-01 18:00:00,x
10,plain,2006-03-01 19:00:00,x
11,plain,2006-03-01 20:00:00,x
END
lethe threshold log.csv -t 2 --keep-users --time exact -o rel --json >report
accounts report
cat rel/data.tsv
{ head -n 3 log.csv; tail -n 6 log.csv; tail -n 6 log.csv; printf '12,"open,2006-03-01 10:00:00,x\n'; } >open.csv
lethe threshold open.csv -t 2 --json -o rel2 >report
accounts report
sed 's/^1,"cats, dogs"/1,"cats, dogs"x/' log.csv >after.csv
run lethe threshold after.csv -t 2 --strict-input -o rel3
run lethe threshold log.csv --strict-input -t 2 -o rel4
holds after.csv log.csv open.csv rel rel2 report

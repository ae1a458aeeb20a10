# SPDX-License-Identifier: Apache-2.0
# A release beside its original.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --clicks all --seed 1 --map map -o rel
run lethe measure rel --original log.tsv
run lethe measure rel --original log.tsv --explain
lethe measure rel --original log.tsv --map map --json >report
json report 'list(j)'
json report 'j["metrics"]'
gzip -c log.tsv >log.gz
quietly lethe measure rel --original log.gz
run lethe measure rel
run lethe measure rel --original missing.tsv
run lethe measure missing --original log.tsv
run lethe attack rel --original log.tsv
run lethe attack rel --original log.tsv --explain
run lethe attack rel --original log.tsv --adversary nobody
run lethe attack rel
run lethe attack missing --original log.tsv
# Files that are named must be there, whoever may look into them.
run lethe measure rel --original log.tsv --map missing.map
run lethe verify rel --results missing.tsv
# Parameters, and the object where the answer is no.
lethe measure rel --original log.tsv --users-with 1-2 --json >report
json report 'j["parameters"]'
lethe attack rel --original log.tsv --json >report
json report 'j["command"], j["parameters"], j["metrics"]'
holds log.gz log.tsv map rel report

# SPDX-License-Identifier: Apache-2.0
# The page of a log, and its figures.
. "$HERE/common.bash"
small_log >log.tsv
run lethe profile log.tsv
run lethe profile log.tsv --explain
lethe profile log.tsv log.tsv --json >report
json report 'list(j)'
json report '{k: v for k, v in j["metrics"].items() if k not in ("histograms", "survival")}'
json report 'j["counts"]["read"]'
lethe profile - --json <log.tsv >one
lethe profile log.tsv --users-with 0- --json >two
python3 -c 'import json; print(json.load(open("one"))["metrics"] == json.load(open("two"))["metrics"])'
ls -A "$TMPDIR"

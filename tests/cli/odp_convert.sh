# SPDX-License-Identifier: Apache-2.0
# tools/odp-convert: the Open Directory's RDF files as a directory that --directory reads.
python3 "$ROOT/tests/support/odp_convert.py" "$ROOT"

# tools/odp-convert: the Open Directory's RDF files as a directory that --directory reads.
python3 "$ROOT/tests/support/odp_convert.py" "$ROOT"
echo "--- as the program reads the same dumps"
python3 "$ROOT/tests/support/odp_convert.py" "$ROOT" "$LETHE"
echo "--- content and structure"
"$ROOT/tools/odp-convert" "$ROOT/tests/data/odp/content.rdf" "$ROOT/tests/data/odp/structure.rdf"
echo "--- defects"
"$ROOT/tools/odp-convert" "$ROOT/tests/data/odp/defects.rdf" 2>notes
wc -l <notes

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of a log whose query at least T users issued, by DuckDB: what threshold is held against.

    threshold_duckdb.py LOG OUT T THREADS full|least

full    as close to `lethe threshold --same exact` as SQL comes: queries in lower case, in NFC, with
        single spaces; rows in order of their bytes; times cut to the day, URLs to the host.
least   the same texts counted in lower case only; times and URLs as they are, rows in any order.

What differs: users keep their names where lethe computes keyed pseudonyms; NFC and lower() are not
NFKC with case folding; hosts are not validated; nothing is checked after it was written, and no
digest is taken.  SQL has no --same words: texts are counted one by one.  Prints the rows kept.
"""
import sys

import duckdb

log, out, t, threads, work = sys.argv[1:6]
full = work == "full"
quoted = {name: path.replace("'", "''") for name, path in (("log", log), ("out", out))}
text = r"trim(regexp_replace(lower(nfc_normalize(Query)), '\s+', ' ', 'g'))" if full else "lower(Query)"
time = "CAST(QueryTime AS DATE)" if full else "QueryTime"
url = "split_part(split_part(ClickURL, '://', 2), '/', 1)" if full else "ClickURL"
c = duckdb.connect()
c.execute(f"SET threads = {int(threads)}; SET preserve_insertion_order = false")
rows = c.execute(
    f"""
    COPY (
        WITH log AS (
            SELECT AnonID, {text} AS Query, {time} AS QueryTime, ItemRank, {url} AS ClickURL
            FROM read_csv('{quoted["log"]}', delim = '\t', header = true, quote = '', escape = '',
                          columns = {{'AnonID': 'VARCHAR', 'Query': 'VARCHAR', 'QueryTime': 'TIMESTAMP',
                                      'ItemRank': 'VARCHAR', 'ClickURL': 'VARCHAR'}})),
        kept AS (SELECT Query FROM log GROUP BY Query HAVING count(DISTINCT AnonID) >= {int(t)})
        SELECT AnonID, Query, QueryTime, ItemRank, ClickURL FROM log SEMI JOIN kept USING (Query)
        {"ORDER BY ALL" if full else ""}
    ) TO '{quoted["out"]}' (HEADER, DELIMITER '\t', QUOTE '')"""
).fetchone()[0]
print(rows)

# SPDX-License-Identifier: Apache-2.0
"""Small random inputs of every kind, and the commands that make releases of them."""
import datetime
import json
import random

SITES = ["alpha", "beta", "gamma", "delta"]
# Texts whose similarity nobody can dispute: words are shared or have nothing in common.
TEXTS = ["red car", "red car hire", "blue boat", "blue boat sale", "weather", "bread recipe", "train", "castle",
         "garden tools", "violin"]
FOUND = ["mail joe.roe@example.org", "call 415-555-2671", "12 main street"]
TREE = {"ale": "beer", "stout": "beer", "beer": "drink", "tea": "drink", "milk": "drink", "rye": "bread",
        "roll": "bread", "bread": "food", "fig": "fruit", "pear": "fruit", "fruit": "food", "drink": "all",
        "food": "all"}
LEAVES = [name for name in TREE if name not in TREE.values()]
SECRETS = ["hiv", "debt"]
AGES = {str(age): (f"{age // 2 * 2}+", "old" if age > 3 else "young", "any") for age in range(8)}


def skewed(rng, values):
    """An early value more often than a late one."""
    return values[min(int(rng.random() ** 2 * len(values)), len(values) - 1)]


def log_lines(rng, n_users, n_rows):
    start = datetime.datetime(2006, 3, 1)
    for _ in range(n_rows):
        user, text = rng.randrange(n_users), skewed(rng, TEXTS)
        if rng.random() < 0.04:
            text = rng.choice(FOUND)
        when = start + datetime.timedelta(seconds=rng.randrange(5 * 86400))
        rank, url = "", ""
        if rng.random() < 0.5:
            page = "any" if rng.random() < 0.2 else text.replace(" ", "-")
            rank, url = rng.randrange(1, 9), f"http://www.{rng.choice(SITES)}.com/{page}/{rng.randrange(2)}"
        yield f"u{user:02}\t{text}\t{when}\t{rank}\t{url}"
    # one day on which everybody asks the same, so that a threshold never leaves nothing
    for user in range(n_users):
        yield f"u{user:02}\tred car\t2006-03-03 10:{user:02}:00\t\t"
    # and two texts with a URL in common, so that a density between 0 and 1 is there to be published
    for text in TEXTS[:2]:
        yield f"u00\t{text}\t2006-03-03 11:00:00\t1\thttp://www.{SITES[0]}.com/any/0"


def result_lines(rng):
    """What a search engine answers: a page of its own for each text, and now and then one that others have too."""
    for i, text in enumerate(TEXTS + FOUND):
        yield f"{text}\thttp://own{i}.com/"
        for _ in range(rng.randrange(3)):
            yield f"{text}\thttp://site{rng.randrange(4)}.com/{rng.randrange(4)}"


def record_lines(rng, n, secrets):
    for i in range(n):
        items = {skewed(rng, LEAVES) for _ in range(rng.randrange(1, 4))}
        if secrets and rng.random() < 0.3:
            items.add(rng.choice(SECRETS))
        owner = f"p{rng.randrange(n)}\t" if rng.random() < 0.2 else ""
        yield owner + " ".join(sorted(items))


def table_lines(rng, n):
    yield "age,sex,town,ill,note,pay"
    for i in range(n):
        ill = skewed(rng, ["flu", "cold", "hiv", "gout"])
        pay = i * i % 7 * 100 - 50
        yield f"{rng.randrange(8)},{rng.choice('mf')},t{rng.randrange(3)},{ill},{rng.randrange(2)},{pay}"


def people_rows(rng, n):
    yield ["id", "town", "age", "sex"]
    for i in range(n):
        yield [str(i), f"t{rng.randrange(3)}", str(rng.randrange(8)), rng.choice("mf")]


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines))


def documents(rows):
    """User Behavior Insights of the rows of a log, whose clicks are on objects and pages in turn."""
    for i, row in enumerate(rows):
        user, query, time, _, url = row.split("\t")
        yield json.dumps({"query_id": str(i), "client_id": user, "user_query": query, "timestamp": time})
        if url:
            what = {"url": url} if i % 2 else {"object_id": "B" + str(len(url) % 4)}
            yield json.dumps({"action_name": ["click", "buy", "view"][i % 3], "query_id": str(i),
                              "event_attributes": {"object": what, "position": {"ordinal": i % 9}}})


def kept_lines(rng, rows):
    """A log with three more columns: one that is the same for all rows of a user, one that is not, and one to hide."""
    yield "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\tdevice\tcountry\tnote"
    for row in rows:
        user = int(row[1:3])
        device = ["phone", "tablet", "desk top", ""][min(user % 5, 3)]
        yield f"{row}\t{device}\t{rng.choice(['de', 'de', 'at', 'ch', ''])}\t{rng.choice(['ok', FOUND[0], 'ja'])}"


def write_all(rng, folder):
    rows = list(log_lines(rng, rng.randrange(6, 11), rng.randrange(50, 90)))
    write_lines(folder / "log.tsv", rows)
    write_lines(folder / "kept.tsv", kept_lines(random.Random(len(rows)), rows))  # with a generator of its own
    write_lines(folder / "shop.ndjson", documents(rows))
    write_lines(folder / "results.tsv", result_lines(rng))
    write_lines(folder / "sets.txt", record_lines(rng, rng.randrange(14, 26), False))
    write_lines(folder / "secrets.txt", record_lines(rng, rng.randrange(18, 30), True))
    write_lines(folder / "sensitive.txt", SECRETS)
    write_lines(folder / "tree.tsv", [f"{child}\t{parent}" for child, parent in TREE.items()])
    words = sorted({word for text in TEXTS for word in text.split()})
    write_lines(folder / "words.tsv", [f"{word}\tgroup{i % 3}" for i, word in enumerate(words)]
                + [f"group{i}\tanything" for i in range(3)])
    write_lines(folder / "directory.tsv", [f"{word}\tgroup{i % 3}/{word}" for i, word in enumerate(words)])
    write_lines(folder / "table.csv", table_lines(rng, rng.randrange(24, 48)))
    (folder / "trees").mkdir()
    write_lines(folder / "trees" / "age.csv", [";".join([age, *above]) for age, above in AGES.items()])
    ills = {"flu": "lung", "cold": "lung", "hiv": "blood", "gout": "other"}
    write_lines(folder / "trees" / "ill.csv", [f"{ill};{above};any" for ill, above in ills.items()])
    people = random.Random(len(TEXTS))  # of its own
    write_lines(folder / "people.csv", [",".join(row) for row in people_rows(people, people.randrange(60, 120))])
    write_lines(folder / "theta.tsv", ["flu\t0.8", "cold\t3/4", "hiv\t0.5", "gout\t1/2"])


LOG = ["log.tsv"]
KEPT = ["kept.tsv", "--keep", "device,country"]
SHOP = ["shop.ndjson", "--from", "ubi", "--actions", "click,buy"]
SETS = ["sets.txt", "--from", "records", "--taxonomy", "tree.tsv"]
SECRET = ["secrets.txt", "--from", "records", "--taxonomy", "tree.tsv", "--sensitive", "sensitive.txt"]
TABLE = ["table.csv", "--qi", "age,sex,town", "--sa", "ill", "--hierarchies", "trees"]
ROWS = ["table.csv", "--qi", "age,sex,town", "--hierarchies", "trees", "--keep", "ill"]
VALUES = ["table.csv", "--qi", "age,sex,town", "--sa", "ill", "--ranges", "age=values"]
SEVERAL = ["table.csv", "--qi", "age,sex,town", "--sa", "ill,pay", "--hierarchies", "trees"]
EXACT = ["--same", "exact"]


def commands(rng):
    """name, arguments and (for split) the file of results: every method, with several options each."""
    t, k = rng.randrange(2, 5), rng.randrange(2, 4)
    yield "threshold", ["threshold", *LOG, "-t", t, *EXACT]
    yield "threshold-words", ["threshold", *LOG, "-t", 3]
    yield "threshold-queries", ["threshold", *LOG, "-t", t, "--by", "queries", *EXACT, "--time", "hour"]
    yield "threshold-rows", ["threshold", *LOG, "-t", t + 1, "--by", "rows", *EXACT, "--urls", "keep", "--time",
                             "exact"]
    yield "threshold-hash", ["threshold", *LOG, "-t", t + 1, "--rare", "hash", *EXACT, "--urls", "id", "--clicks", "all"]
    yield "threshold-report", ["threshold", *LOG, "-t", 2, *EXACT, "--report"]
    yield "threshold-named", ["threshold", *LOG, "-t", 2, *EXACT, "--keep-users"]
    yield "threshold-all-clicks", ["threshold", *LOG, "-t", t, *EXACT, "--clicks", "all"]
    yield "threshold-ids", ["threshold", *LOG, "-t", 2, "--by", "queries", *EXACT, "--urls", "id"]
    yield "threshold-objects", ["threshold", *SHOP, "-t", 2, *EXACT]
    yield "threshold-objects-week", ["threshold", *SHOP, "-t", 2, *EXACT, "--clicks", "all", "--time", "week"]
    yield "scrub-objects", ["scrub", *SHOP, "--time", "month"]
    yield "counts", ["threshold", *LOG, "-t", t, *EXACT, "--as", "counts"]
    yield "counts-words", ["threshold", *LOG, "-t", 3, "--as", "counts", "--report"]
    yield "counts-queries", ["threshold", *LOG, "-t", t, "--by", "queries", *EXACT, "--as", "counts"]
    yield "counts-rows", ["threshold", *LOG, "-t", t + 1, "--by", "rows", *EXACT, "--as", "counts"]
    yield "scrub+counts", ["scrub", *LOG, "--then", "threshold", "-t", 2, *EXACT, "--as", "counts"]
    yield "scrub", ["scrub", *LOG]
    yield "scrub-some", ["scrub", *LOG, "--kinds", "email,ip", "--urls", "drop", "--time", "drop"]
    yield "keep-scrub", ["scrub", *KEPT[:2], "note,device,7", "--keep-min", 2]
    yield "keep-threshold", ["threshold", *KEPT, "-t", 2, *EXACT, "--keep-min", 3, "--report"]
    yield "keep-hash", ["threshold", *KEPT, "-t", t + 1, "--rare", "hash", *EXACT, "--keep-min", 2, "--keep-users"]
    yield "keep-split", ["split", *KEPT, "--by", "day", "--keep-min", 2]
    yield "keep-chain", ["split", *KEPT, "--by", "query", "--then", "scrub", "--then", "threshold", "-t", 2, *EXACT,
                         "--clicks", "all"]
    yield "split-day", ["split", *LOG, "--by", "day"]
    yield "split-day-week", ["split", *LOG, "--by", "day", "--time", "week"]
    yield "split-gap-month", ["split", *LOG, "--by", "gap", "--gap", "40d", "--time", "month"]
    yield "split-day-month", ["split", *LOG, "--by", "day", "--time", "month"]
    yield "split-gap-week", ["split", *LOG, "--by", "gap", "--gap", "6h", "--time", "week"]
    yield "split-day-hour", ["split", *LOG, "--by", "day", "--time", "hour"]
    yield "split-day-exact", ["split", *LOG, "--by", "day", "--time", "exact"]
    yield "split-day-untimed", ["split", *LOG, "--by", "day", "--time", "drop"]
    yield "split-gap", ["split", *LOG, "--by", "gap", "--gap", "6h", "--time", "hour"]
    yield "split-gap-exact", ["split", *LOG, "--by", "gap", "--gap", "2h", "--time", "exact", "--urls", "drop"]
    yield "split-query", ["split", *LOG, "--by", "query"]
    yield "split-interest", ["split", *LOG, "--by", "interest"]
    yield "split-results", ["split", *LOG, "--by", "interest", "--results", "results.tsv"]
    yield "split-hour-results", ["split", *LOG, "--by", "interest", "--results", "results.tsv", "--time", "hour",
                                 "--edit", "0.1"]
    yield "seal", ["seal", *LOG, "-t", t, "-n", 6]
    yield "seal-clicks", ["seal", *LOG, "-t", 3, "--scheme", "additive", "--keep-clicks", "--time", "hour"]
    yield "disconnect", ["disconnect", *LOG, "--keep-vulnerable", "--min-urls", "none"]
    yield "disconnect-drawn", ["disconnect", *LOG, "--keep-vulnerable", "--min-urls", 2]
    yield "disconnect-density", ["disconnect", *LOG, "--keep-vulnerable", "--density", "0.2", "--urls", "keep"]
    yield "disconnect-hosts", ["disconnect", *LOG, "--keep-vulnerable", "--density", "0.2", "--urls", "host"]
    yield "disconnect-best", ["disconnect", *LOG, "--rank", "best", "--keep-vulnerable", "--min-urls", 2]
    yield "disconnect-results", ["disconnect", *LOG, "--keep-vulnerable", "--min-results", 2, "--min-sites", 2,
                                 "--results", "results.tsv", "--min-urls", "none"]
    yield "microagg", ["microagg", *LOG, "-k", k, "--directory", "directory.tsv"]
    yield "microagg-raw", ["microagg", *LOG, "-k", 2, "--directory", "directory.tsv", "--list", "paper", "--min-users", 2,
                           "--no-scrub"]
    yield "scrub+threshold", ["scrub", *LOG, "--then", "threshold", "-t", t, *EXACT]
    yield "threshold+split", ["threshold", *LOG, "-t", 3, *EXACT, "--then", "split", "--by", "day"]
    yield "split+threshold", ["split", *LOG, "--by", "query", "--then", "threshold", "-t", t, *EXACT]
    yield "threshold+disconnect", ["threshold", *LOG, "-t", 2, *EXACT, "--clicks", "all", "--then", "disconnect", "--keep-vulnerable",
                                   "--min-urls", "none"]
    yield "threshold+og", ["threshold", *LOG, "-t", 3, *EXACT, "--then", "og", "--taxonomy", "words.tsv", "-k", 2, "-m", 2]
    yield "scrub+threshold+clump", ["scrub", *LOG, "--then", "threshold", "-t", 2, *EXACT, "--then", "clump", "--taxonomy",
                                    "words.tsv", "-k", k, "--gap", "6h"]
    yield "split+ssg", ["split", *LOG, "--by", "day", "--then", "ssg", "--taxonomy", "words.tsv", "-k", 2, "--owners", "log",
                        "--min-owners", 2]
    yield "threshold+seal", ["threshold", *LOG, "-t", 2, *EXACT, "--then", "seal", "-t", t, "-n", 6]
    yield "clump", ["clump", *SETS, "-k", k]
    yield "clump-log", ["clump", *LOG, "--taxonomy", "words.tsv", "-k", 2, "--distinct"]
    yield "partition", ["partition", *SETS, "-k", k]
    yield "partition-bag", ["partition", *SETS, "-k", 2, "--bag"]
    # Named, since its default and a caveat depend on k.
    yield "ssg", ["ssg", *SETS, "-k", k, "--owners", "group"]
    yield "ssg-log", ["ssg", *SETS, "-k", k, "--owners", "log"]
    yield "ssg-bag", ["ssg", *SETS, "-k", 2, "--centre", "bag", "--owners", "group"]
    yield "og", ["og", *SETS, "-k", k, "-m", 2]
    yield "og-absent", ["og", *SETS, "-k", 2, "-m", 2, "-n", 2]
    yield "og-strict", ["og", *SETS, "-k", 2, "-m", rng.randrange(1, 3), "-n", 1, "--strict"]
    yield "og-secret", ["og", *SECRET, "-k", 2, "-l", rng.choice([1.5, 2, 2.5]), "-m", 1, "-n", 1]
    yield "og-known", ["og", *SECRET, "-k", 2, "-l", rng.choice([1, 1.2, 1.5]), "-m", 1, "--sensitive-known", 1]
    yield "og-log", ["og", *LOG, "--taxonomy", "words.tsv", "-k", 2, "-m", 2]
    yield "mog", ["mog", *SECRET, "-k", 2, "-l", 2, "-m", 2, "-n", 1]
    yield "aa", ["aa", *SETS, "-k", k, "-m", 2]
    yield "mm", ["mm", "sets.txt", "--from", "records", "-k", k, "-p", 2]
    yield "mm-secret", ["mm", "secrets.txt", "--from", "records", "--sensitive", "sensitive.txt", "-k", 2, "-p", 2,
                        "--h", rng.choice(["0.4", "1/2", "2/3"]), "--persons", "record"]
    yield "mm-one", ["mm", "secrets.txt", "--from", "records", "--sensitive", "sensitive.txt", "-k", 3, "-p", 1,
                     "--h", "0.6"]
    yield "mm-log", ["mm", *LOG, "--terms", "words", "-k", 2, "-p", 3]
    yield "lplus", ["lplus", *TABLE, "--theta", rng.choice(["1/2", "0.6", "2/3"])]
    yield "lplus-k", ["lplus", *TABLE, "-k", k, "--distinct-l", 2, "--suppress", "vioRec", "--cost", "DM"]
    yield "lplus-weight", ["lplus", *TABLE, "-k", k, "--suppress", "allRec", "--deletion-weight", rng.choice(["1", "1.5", "3"])]
    yield "lplus-stars", ["lplus", *TABLE, "--theta", "1/2", "--suppress", "vioSA", "--keep", "note"]
    yield "lplus-even", ["lplus", *TABLE, "--theta", rng.choice(["1/2", "0.6"]), "--suppress", "evenSA", "--distinct-l", 2,
                         "--precaution-suppress", "0.3"]
    yield "lplus-listed", ["lplus", *TABLE, "--theta-file", "theta.tsv"]
    yield "local", ["local", *ROWS, "-k", k]
    yield "local-shares", ["local", *TABLE, "--theta", "2/3", "-k", 2, "--weights", "age=2,town=0.5", "--suppress", "1/4"]
    yield "local-values", ["local", *VALUES, "-k", 2, "--distinct-l", 2, "--suppress", "0.5"]
    yield "local-listed", ["local", *VALUES, "--theta-file", "theta.tsv", "--keep", "note"]
    yield "lplus-diverse", ["lplus", *TABLE, "--entropy-l", rng.choice(["1.5", "2", "5/2"]), "--recursive", "3,2"]
    yield "lplus-several", ["lplus", *TABLE[:3], "--sa", "ill,note", *TABLE[5:], "--theta", "3/4", "--entropy-l", "1.2",
                            "--suppress", "allRec"]
    yield "lplus-close", ["lplus", *TABLE, "--t-closeness", rng.choice(["0.3", "1/2"]), "--suppress", "none"]
    yield "local-close", ["local", *SEVERAL, "--t-closeness", "0.4", "--t-distance", "ill=hierarchical,pay=ordered",
                          "--entropy-l", "1.2"]
    yield "local-map", ["local", *TABLE, "--k-map", 5, "--population", "people.csv", "--recursive", "3,2", "--suppress",
                        "0.2"]
    yield "incognito", ["incognito", *TABLE, "--theta", "0.75", "-k", 2]
    yield "incognito-close", ["incognito", *TABLE, "--t-closeness", "2/5", "--recursive", "2.5,2"]
    yield "anneal", ["anneal", *TABLE, "--theta", "0.7", "--steps", 200]
    yield "lplus-recursive", ["lplus", *TABLE, "--recursive", rng.choice(["2,2", "1.5,2"]), "--suppress", "allRec"]
    yield "lplus-columns", ["lplus", *SEVERAL, "--t-closeness", "0.4", "--suppress", "none", "--t-distance",
                            "ill=hierarchical,pay=ordered", "--entropy-l", "1.2"]
    yield "incognito-tree", ["incognito", *TABLE, "--t-closeness", "1/4", "--t-distance", "hierarchical"]
    yield "lplus-map", ["lplus", *TABLE, "--k-map", 5, "--population", "people.csv", "--recursive", "3,2"]
    yield "anneal-map", ["anneal", *TABLE, "-k", 2, "--distinct-l", 2, "--k-map", rng.randrange(3, 7), "--population",
                         "people.csv", "--steps", 200]

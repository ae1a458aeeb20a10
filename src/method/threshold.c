/* threshold.c - only query texts that enough people issued.
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5 ("Masking identifying data").
 *
 * Rows go through the sorter by text.  A text's rows are read until its count reaches t, or to
 * their end; then they are read again, and emitted, hashed or left out. */
#include "method/method.h"
#include "io/sorter.h"

enum by { BY_USERS, BY_QUERIES, BY_ROWS }; /* as the choices of --by */
enum rare { RARE_DROP, RARE_HASH };        /* as those of --rare */
static const char *const by_names[] = {"users", "queries", "rows"};

#define HASH_BYTES 16
#define HASH_CHARS (1 + 2 * HASH_BYTES)

/* A worker's own; on the heap by itself, so that workers do not share cache lines. */
struct worker {
    lethe_buf record;
    uint64_t rows_kept, rows_hashed, rows_suppressed, texts_kept;
};

struct threshold {
    lethe_run *run;
    lethe_result *out;
    uint64_t t;
    enum by by;
    lethe_secret *key; /* NULL: rare texts are dropped */
    lethe_sorter *sorter;
    unsigned n_workers;
    struct worker **workers;
};

/* --- by text --- */

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct threshold *h = arg;
    lethe_buf *b = &h->workers[w]->record;
    if (lethe_row_pack(row, LETHE_BY_QUERY, b) != LETHE_OK)
        return lethe_no_memory(lethe_ctx_diag(h->run->ctx));
    return lethe_sorter_put(h->sorter, w, b->at, b->n);
}

/* A text's rows, counted while they come by: owner by owner, an owner's users together, and a
 * user's times rising. */
struct counting {
    uint64_t rows, users, queries;
    lethe_row last; /* views of the record before */
};

static void count_row(const struct threshold *h, struct counting *c, const lethe_row *row)
{
    lethe_time_unit unit = h->run->times;
    bool first = c->rows == 0;
    bool new_owner = first || !lethe_str_eq(row->owner, c->last.owner);
    c->rows++;
    c->users += new_owner;
    /* Published times tell queries apart, not the exact ones: what the release cannot show must
     * not count. */
    c->queries += new_owner || !lethe_str_eq(row->user, c->last.user) ||
                  lethe_time_cut(row->time, unit) != lethe_time_cut(c->last.time, unit);
    c->last = *row;
}

static bool enough(const struct threshold *h, const struct counting *c)
{
    switch (h->by) {
    case BY_USERS:
        return c->users >= h->t;
    case BY_QUERIES:
        return c->queries >= h->t;
    case BY_ROWS:
        return c->rows >= h->t;
    }
    return false;
}

/* Where a worker is in its part. */
struct reading {
    lethe_sorted *it;
    bool more;
    lethe_row row; /* the current one, if `more` */
};

static void step(struct reading *r)
{
    lethe_str record;
    r->more = lethe_sorted_next(r->it, &record);
    if (r->more) lethe_row_unpack(record, LETHE_BY_QUERY, &r->row);
}

/* Counts the text whose first row is current: until it has enough, or to its end. */
static bool count_text(const struct threshold *h, struct reading *r, uint64_t *rows)
{
    struct counting c = {0};
    do {
        count_row(h, &c, &r->row);
        if (enough(h, &c)) return true;
        step(r);
    } while (r->more && lethe_str_eq(r->row.query, c.last.query));
    *rows = c.rows;
    return false;
}

/* The text's place in the release: keyed, so that who does not hold the key cannot try texts. */
static void hash_text(const struct threshold *h, lethe_str text, char out[HASH_CHARS])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t mac[HASH_BYTES];
    lethe_secret_mac(h->key, text, mac, sizeof mac);
    out[0] = '#';
    for (size_t i = 0; i < HASH_BYTES; i++) {
        out[1 + 2 * i] = digits[mac[i] >> 4];
        out[2 + 2 * i] = digits[mac[i] & 15];
    }
}

/* Emits the text whose first row is marked, and leaves the first row of the next one current.  With
 * `hash` the rows carry it for their text, and no click: where somebody went tells what they asked.
 */
static lethe_err emit_text(struct threshold *h, unsigned w, struct reading *r, bool hash)
{
    struct worker *k = h->workers[w];
    char hashed[HASH_CHARS];
    lethe_str text;
    LETHE_TRY(lethe_sorted_rewind(r->it));
    step(r);
    if (!r->more) return lethe_sorted_err(r->it);
    if (hash) hash_text(h, r->row.query, hashed);
    do {
        lethe_row row = r->row;
        text = r->row.query;
        if (hash) {
            row.query = (lethe_str){hashed, sizeof hashed};
            row.url = (lethe_str){"", 0};
            row.rank = LETHE_NO_RANK;
        }
        LETHE_TRY(h->out->emit(h->out, w, &row));
        k->rows_kept += !hash;
        k->rows_hashed += hash;
        step(r);
    } while (r->more && lethe_str_eq(r->row.query, text));
    k->texts_kept += !hash;
    return LETHE_OK;
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct threshold *h = arg;
    struct worker *k = h->workers[w];
    struct reading r = {.it = it};
    uint64_t dropped = 0, before = k->rows_kept + k->rows_hashed;
    (void)i;
    for (step(&r); r.more;) {
        uint64_t rows = 0;
        lethe_sorted_mark(it);
        bool common = count_text(h, &r, &rows);
        LETHE_TRY(lethe_sorted_err(it)); /* half a text must not pass for a whole one */
        if (common || h->key) {
            LETHE_TRY(emit_text(h, w, &r, !common));
        } else {
            dropped += rows;
        }
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (dropped > 0) h->out->drop(h->out, w, "rare query text", dropped);
    k->rows_suppressed += dropped;
    lethe_ctx_advance(h->run->ctx, dropped + k->rows_kept + k->rows_hashed - before);
    return LETHE_OK;
}

/* --- the method --- */

static void set_count(lethe_result *out, const char *name, uint64_t n)
{
    lethe_json_set(out->doc, out->metrics, name, lethe_json_new_int(out->doc, (int64_t)n));
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    const char *by = by_names[lethe_count_of(v, "by")];
    lethe_json_set(doc, c, "notion", lethe_json_new_text(doc, LETHE_LIT("query-threshold")));
    lethe_json_set(doc, c, "t", lethe_json_new_int(doc, lethe_count_of(v, "t")));
    lethe_json_set(doc, c, "by", lethe_json_new_text(doc, lethe_str_of(by)));
    if (lethe_count_of(v, "rare") == RARE_HASH)
        lethe_json_set(doc, c, "rare", lethe_json_new_text(doc, LETHE_LIT("hash")));
    lethe_json_push(doc, out, c);
}

static lethe_err conclude(const struct threshold *h)
{
    struct worker all = {0};
    lethe_diag *d = lethe_ctx_diag(h->run->ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        all.rows_kept += h->workers[w]->rows_kept;
        all.rows_hashed += h->workers[w]->rows_hashed;
        all.rows_suppressed += h->workers[w]->rows_suppressed;
        all.texts_kept += h->workers[w]->texts_kept;
    }
    set_count(h->out, "rows_kept", all.rows_kept);
    set_count(h->out, "rows_hashed", all.rows_hashed);
    set_count(h->out, "rows_suppressed", all.rows_suppressed);
    set_count(h->out, "queries_kept", all.texts_kept);
    if (all.rows_kept + all.rows_hashed == 0) {
        return lethe_fail(d, LETHE_ENO, "no query text has %llu %s: nothing is left to publish",
                          (unsigned long long)h->t, by_names[h->by]);
    }
    return lethe_json_failed(h->out->doc) ? lethe_no_memory(d) : LETHE_OK;
}

static lethe_err open_all(struct threshold *h, bool hash)
{
    lethe_ctx *ctx = h->run->ctx;
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(lethe_ctx_diag(ctx));
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w] = lethe_alloc(1, sizeof **h->workers);
        if (!h->workers[w]) return lethe_no_memory(lethe_ctx_diag(ctx));
        *h->workers[w] = (struct worker){0};
    }
    if (hash && lethe_secret_derive(h->run->key, "query-hash", &h->key) != LETHE_OK)
        return lethe_no_memory(lethe_ctx_diag(ctx));
    return lethe_sorter_new(ctx, LETHE_ORDER_GROUP, h->run->memory_bytes, &h->sorter);
}

static void close_all(struct threshold *h)
{
    lethe_sorter_free(h->sorter);
    lethe_secret_free(h->key);
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        if (h->workers[w]) lethe_buf_free(&h->workers[w]->record);
        lethe_free(h->workers[w]);
    }
    lethe_free(h->workers);
}

static lethe_err pass(struct threshold *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = h}));
    lethe_ctx_phase(ctx, "texts", lethe_sorter_count(h->sorter));
    LETHE_TRY(lethe_sorter_each(h->sorter, part, h));
    return conclude(h);
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    struct threshold h = {
        .run = run,
        .out = out,
        .t = (uint64_t)lethe_count_of(run->values, "t"),
        .by = (enum by)lethe_count_of(run->values, "by"),
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = open_all(&h, lethe_count_of(run->values, "rare") == RARE_HASH);
    if (err == LETHE_OK) err = pass(&h, in->log);
    close_all(&h);
    return err;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    {.name = "t",
     .letter = 't',
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "5",
     .min = 1,
     .max = 1e9,
     .help = "publish query texts that have at least N users (or queries, or rows)"},
    {.name = "by",
     .type = LETHE_OPT_CHOICE,
     .arg = "users|queries|rows",
     .fallback = "users",
     .help = "what is counted; queries as published: those of one user with the same text are one "
             "where --time cuts their times to the same day (or hour), and one in all with drop"},
    {.name = "rare",
     .type = LETHE_OPT_CHOICE,
     .arg = "drop|hash",
     .fallback = "drop",
     .help = "leave rows of rarer texts out, or publish them without click under a keyed hash"},
    {.name = "same",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact",
     .fallback = "exact",
     .help = "when two texts are one: when they are the same after normalising"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"rows_kept", "rows published with their text", 1},
    {"rows_hashed", "rows published under a hash of their text", 0},
    {"rows_suppressed", "rows left out, their text being too rare", -1},
    {"queries_kept", "distinct query texts published", 1},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Common queries can identify a person when they are combined, as AOL's user 4417749 was found; "
    "a threshold looks at each text alone (Adar, section 6).",
    "A text that enough users issued may still name a person.",
    "Times and clicks remain, as finely as they are published, and may tell who asked.",
    "Several accounts of one person count as several users.",
    "Two releases of the same or an overlapping log can be compared, and their difference may show "
    "what neither shows alone.",
    "With --by queries or rows, one person who repeats a text is enough to have it published.",
    "With --rare hash, who holds the key and guesses a text can confirm it and who issued it; "
    "equal "
    "hidden texts link the users who issued them, and how often they occur may betray them.",
    NULL,
};

const lethe_method lethe_method_threshold = {
    .name = "threshold",
    .summary = "publish only query texts that enough people issued",
    .description =
        "Keeps the rows whose query text at least N users issued, and leaves out the others, or "
        "publishes them under a keyed hash in place of the text. Most query texts are issued once, "
        "and among these are nearly all that point to one person: names, addresses, numbers. Most "
        "of what many people ask is left.\n"
        "\n"
        "Users are the persons of the input, whatever an earlier step has made of their names. "
        "With "
        "--by queries, queries are counted as the release will show them: a user's queries with "
        "one "
        "text are told apart by their published times only, so with --time day those of one day "
        "count once, and with --time drop a user counts once in all. With --by rows every line "
        "counts.\n"
        "\n"
        "With --rare hash a rare text is replaced by # and 32 hexadecimal digits, the same ones "
        "wherever it stands; the rows keep user and time but lose rank and URL, which would tell "
        "the text. The hash is keyed: without the key (see --key-file) texts cannot be tried.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 5",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .options = options,
    .figures = figures,
    .notion = "query-threshold",
    .claims = claims,
    .sweep = "t",
    .caveats = caveats,
    .example = "lethe threshold log.tsv.gz -t 5 -o release/",
    .run = run,
};

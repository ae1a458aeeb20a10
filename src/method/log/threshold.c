/* SPDX-License-Identifier: Apache-2.0 */
/* threshold.c - publishes only query texts that enough people issued.
 * E. Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5 ("Masking identifying data").
 *
 * Rows are sorted by class: the texts that count as one, either those with the same words or each
 * text by itself.  A class is read once to count it and to find its most common text, and again to
 * emit its rows under that text, to hash them, or to leave them out.
 *
 * Inside a class rows are sorted by text, so that memory holds one text at a time.  A person may
 * then come up several times.  Where that matters (no text alone has enough, but all together would
 * if nobody came up twice), the rows, which now have one text, go through a second sorter, in which
 * each person's rows stand together.  For counts (--as counts) every class of several texts goes
 * there, because its count must be exact.
 *
 * Rows that are published with a click wait in a third sorter, by what is published of the URL:
 * only when all texts are decided is it known who clicked what.  Where too few did, the row loses
 * its click and stays a row. */
#include "method/method.h"
#include "algo/text/same_words.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"

enum by { BY_USERS, BY_QUERIES, BY_ROWS }; /* the choices of --by */
enum rare { RARE_DROP, RARE_HASH };        /* those of --rare */
enum same { SAME_EXACT, SAME_WORDS };      /* those of --same */
enum as { AS_LOG, AS_COUNTS };             /* those of --as */
enum clicks { CLICKS_THRESHOLD };          /* the first of --clicks */
static const char *const by_names[] = {"users", "queries", "rows"};

struct worker {
    lethe_buf record;
    lethe_same_words same;
    lethe_buf text; /* the most common of a class's texts so far */
    lethe_buf host, click;
    uint64_t rows_kept, rows_hashed, rows_suppressed, texts_kept, clicks_dropped;
    char apart[64]; /* no two workers write in one cache line */
};

struct threshold {
    lethe_run *run;
    lethe_result *out;
    uint64_t t;
    enum by by;
    bool counts;       /* are published, not rows */
    lethe_secret *key; /* NULL: rare texts are dropped */
    lethe_wordnet *wn; /* NULL: every text is a class of its own */
    lethe_sorter *rows;
    lethe_sorter *again;  /* rows that must be counted by person; NULL: there cannot be any */
    lethe_sorter *clicks; /* rows with a click: what is published of the URL NUL owner NUL the
                             packed row; NULL: clicks are not counted */
    bool keyed;           /* the rows being read are sorted by key and text, else by text alone */
    unsigned n_workers;
    struct worker *workers;
};

static lethe_err sort_row(void *arg, unsigned w, const lethe_row *row)
{
    struct threshold *h = arg;
    struct worker *k = &h->workers[w];
    lethe_str key;
    lethe_err e = LETHE_OK;
    if (h->wn) e = lethe_same_words_key(&k->same, h->wn, row->query, &key);
    if (e == LETHE_OK)
        e = h->wn ? lethe_row_pack_keyed(row, key, &k->record)
                  : lethe_row_pack(row, LETHE_BY_QUERY, &k->record);
    if (e != LETHE_OK) return lethe_no_memory(h->run->ctx);
    return lethe_sorter_put(h->rows, w, k->record.at, k->record.n);
}

/* A worker's position in its part of the sorted rows. */
struct cursor {
    lethe_sorted *it;
    bool keyed; /* as in struct threshold; without key, the text is the key */
    bool more;
    lethe_row row;  /* the current row, if `more` */
    lethe_str key;  /* of its class */
    lethe_str head; /* of its record: equal for rows of one text, and only for these */
};

static void next_row(struct cursor *r)
{
    lethe_str record;
    r->more = lethe_sorted_next(r->it, &record);
    if (!r->more) return;
    if (r->keyed) {
        lethe_row_unpack_keyed(record, &r->key, &r->row);
    } else {
        lethe_row_unpack(record, LETHE_BY_QUERY, &r->row);
        r->key = lethe_str_by_halves(&r->row.query);
    }
    r->head = (lethe_str){record.at, (size_t)(r->row.owner.at - record.at)};
}

/* --- counting --- */

/* One text's rows, counted as they come: owner by owner, an owner's users together, and a user's
 * times ascending. */
struct text_count {
    uint64_t rows, users, queries;
};

/* The texts of a class, one after the other.  The views are into the previous record. */
struct class_count {
    struct text_count now; /* of the current text */
    struct {
        lethe_str owner, user, query;
        int64_t time;
    } last; /* row */
    lethe_str key, head;
    uint64_t n_texts;           /* before the current one */
    struct text_count best;     /* of the most common of these; the worker holds its text */
    uint64_t rows;              /* of all of them */
    uint64_t at_least, at_most; /* of what is counted: some may have come up with two texts */
};

static uint64_t counted(const struct threshold *h, const struct text_count *c)
{
    return h->by == BY_USERS ? c->users : h->by == BY_QUERIES ? c->queries : c->rows;
}

/* The current text is more common than those before it if it has more users; with as many, if it is
 * shorter (fewer signs besides its words); then by bytes.  How often it was typed does not count:
 * one user could decide what all rows are published with. */
static lethe_err end_text(const struct threshold *h, struct worker *k, struct class_count *c)
{
    uint64_t n = counted(h, &c->now);
    lethe_str text = c->last.query, best = {(const char *)k->text.at, k->text.n};
    bool commoner = c->n_texts == 0 || c->now.users > c->best.users;
    if (c->n_texts > 0 && c->now.users == c->best.users)
        commoner = text.n != best.n ? text.n < best.n : lethe_str_cmp(text, best) < 0;
    c->at_most += n;
    c->at_least = h->by == BY_ROWS ? c->at_most : LETHE_MAX(c->at_least, n);
    c->rows += c->now.rows;
    if (commoner) {
        c->best = c->now;
        k->text.n = 0;
        if (lethe_buf_str(&k->text, text) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    }
    c->n_texts++;
    c->now = (struct text_count){0};
    return LETHE_OK;
}

/* Counts the class whose first row is current, to its end; or, where it can have only one text and
 * the count is not published, until that has enough. */
static lethe_err count_class(const struct threshold *h, struct worker *k, struct cursor *r,
                             struct class_count *c)
{
    lethe_time_unit unit = h->counts ? LETHE_TIME_EXACT : h->run->times;
    // the rest is set by the first row or text
    c->now = (struct text_count){0};
    c->n_texts = c->rows = c->at_least = c->at_most = 0;
    do {
        const lethe_row *row = &r->row;
        if (c->now.rows > 0 && !lethe_str_eq(r->head, c->head)) LETHE_TRY(end_text(h, k, c));
        bool new_owner = c->now.rows == 0 || !lethe_str_eq(row->owner, c->last.owner);
        c->now.rows++;
        c->now.users += new_owner;
        /* Published times distinguish queries, not exact ones: what the release cannot show must
         * not count. */
        c->now.queries += new_owner || !lethe_str_eq(row->user, c->last.user) ||
                          lethe_time_cut(row->time, unit) != lethe_time_cut(c->last.time, unit);
        c->last.owner = row->owner;
        c->last.user = row->user;
        c->last.query = row->query;
        c->last.time = row->time;
        c->key = r->key;
        c->head = r->head;
        if (!r->keyed && !h->counts && counted(h, &c->now) >= h->t) break;
        next_row(r);
    } while (r->more && (lethe_str_eq(r->head, c->head) || lethe_str_eq(r->key, c->key)));
    LETHE_TRY(lethe_sorted_err(r->it)); /* half a class must not pass for a whole one */
    return end_text(h, k, c);
}

/* --- clicks --- */

/* Emits a row whose text is published, or has it wait until its click is counted. */
static lethe_err emit_kept(struct threshold *h, unsigned w, const lethe_row *row)
{
    struct worker *k = &h->workers[w];
    lethe_buf *b = &k->click;
    lethe_str shown = {"", 0};
    lethe_err e =
        h->clicks ? lethe_click_shown(row->url, h->run->urls, &k->host, &shown) : LETHE_OK;
    if (e == LETHE_OK && shown.n == 0) return h->out->emit(h->out, w, row);
    b->n = 0;
    if (e == LETHE_OK) e = lethe_row_pack(row, LETHE_BY_QUERY, &k->record);
    if (e == LETHE_OK) e = lethe_buf_str(b, shown);
    if (e == LETHE_OK) e = lethe_buf_put(b, "", 1);
    if (e == LETHE_OK) e = lethe_buf_str(b, row->owner);
    if (e == LETHE_OK) e = lethe_buf_put(b, "", 1);
    if (e == LETHE_OK) e = lethe_buf_put(b, k->record.at, k->record.n);
    return e == LETHE_OK ? lethe_sorter_put(h->clicks, w, b->at, b->n)
                         : lethe_no_memory(h->run->ctx);
}

/* A worker's position in its part of the sorted clicks. */
struct click_cursor {
    lethe_sorted *it;
    bool more;
    lethe_str shown; /* the current click, if `more` */
    lethe_row row;
};

static void next_click(struct click_cursor *r)
{
    lethe_str record;
    r->more = lethe_sorted_next(r->it, &record);
    if (!r->more) return;
    size_t n = strnlen(record.at, record.n), behind = n + 1;
    r->shown = (lethe_str){record.at, n};
    behind += strnlen(record.at + behind, record.n - behind) + 1;
    lethe_row_unpack((lethe_str){record.at + behind, record.n - behind}, LETHE_BY_QUERY, &r->row);
}

/* Does this click count beside the one before it, on the same address?  They come owner by owner,
 * an owner's by text, user and time. */
static bool click_counts(const struct threshold *h, const lethe_row *row, const lethe_row *before)
{
    lethe_time_unit unit = h->run->times;
    if (h->by == BY_ROWS || !lethe_str_eq(row->owner, before->owner)) return true;
    return h->by == BY_QUERIES &&
           (!lethe_str_eq(row->query, before->query) || !lethe_str_eq(row->user, before->user) ||
            lethe_time_cut(row->time, unit) != lethe_time_cut(before->time, unit));
}

/* Has the address whose first click is marked enough?  Reads no further than it must. */
static lethe_err click_has_enough(const struct threshold *h, struct click_cursor *r, bool *enough)
{
    uint64_t n = 0;
    lethe_row before = {0};
    lethe_str shown;
    do {
        n += n == 0 || click_counts(h, &r->row, &before);
        before = r->row;
        shown = r->shown;
        if (n >= h->t) break;
        next_click(r);
    } while (r->more && lethe_str_eq(r->shown, shown));
    *enough = n >= h->t;
    return lethe_sorted_err(r->it);
}

static lethe_err click_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct threshold *h = arg;
    struct click_cursor r = {.it = it};
    (void)part;
    for (next_click(&r); r.more;) {
        lethe_str shown;
        bool enough;
        lethe_sorted_mark(it);
        LETHE_TRY(click_has_enough(h, &r, &enough));
        LETHE_TRY(lethe_sorted_rewind(it));
        next_click(&r);
        if (!r.more) break;
        do {
            shown = r.shown;
            if (!enough) {
                r.row.url = (lethe_str){"", 0};
                r.row.rank = LETHE_NO_RANK;
                h->workers[w].clicks_dropped++;
            }
            LETHE_TRY(h->out->emit(h->out, w, &r.row));
            next_click(&r);
        } while (r.more && lethe_str_eq(r.shown, shown));
    }
    return lethe_sorted_err(it);
}

/* --- emitting --- */

/* The keyed hash of the class of the current row: without the key, texts cannot be tried.  Rows
 * that are counted again have lost their class's key. */
static lethe_err hash_class(const struct threshold *h, struct worker *k, const struct cursor *r,
                            char out[LETHE_TEXT_HASH_CHARS])
{
    lethe_str key = r->key;
    if (h->wn && !r->keyed && lethe_same_words_key(&k->same, h->wn, r->row.query, &key) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    lethe_text_hash_make(h->key, key, out);
    return LETHE_OK;
}

enum fate { KEEP, HASH, COUNT_AGAIN };

/* Publishes the class whose first row is marked, all under one text, or passes it to the second
 * sorter; leaves the first row of the next class current. */
static lethe_err emit_class(struct threshold *h, unsigned w, struct cursor *r, enum fate fate)
{
    struct worker *k = &h->workers[w];
    char hash[LETHE_TEXT_HASH_CHARS];
    lethe_str text = {(const char *)k->text.at, k->text.n}, head, key;
    LETHE_TRY(lethe_sorted_rewind(r->it));
    next_row(r);
    if (!r->more) return lethe_sorted_err(r->it);
    if (fate == HASH) {
        LETHE_TRY(hash_class(h, k, r, hash));
        text = (lethe_str){hash, sizeof hash};
    }
    do {
        lethe_row *row = &r->row; // the next one takes its place
        head = lethe_str_by_halves(&r->head);
        key = lethe_str_by_halves(&r->key);
        row->query = text;
        if (fate == COUNT_AGAIN) {
            if (lethe_row_pack(row, LETHE_BY_QUERY, &k->record) != LETHE_OK)
                return lethe_no_memory(h->run->ctx);
            LETHE_TRY(lethe_sorter_put(h->again, w, k->record.at, k->record.n));
        } else {
            if (fate == HASH) { // the clicked URL would tell the text
                row->url = (lethe_str){"", 0};
                row->rank = LETHE_NO_RANK;
            }
            *(fate == HASH ? &k->rows_hashed : &k->rows_kept) += 1;
            LETHE_TRY(fate == HASH ? h->out->emit(h->out, w, row) : emit_kept(h, w, row));
        }
        next_row(r);
    } while (r->more && (lethe_str_eq(r->head, head) || lethe_str_eq(r->key, key)));
    return LETHE_OK;
}

static lethe_err decide_class(struct threshold *h, unsigned w, struct cursor *r, uint64_t *dropped)
{
    struct worker *k = &h->workers[w];
    struct class_count c;
    lethe_sorted_mark(r->it);
    LETHE_TRY(count_class(h, k, r, &c));
    lethe_str text = {(const char *)k->text.at, k->text.n};
    bool exact = c.at_least == c.at_most;
    if (c.at_least >= h->t && (exact || !h->counts)) {
        /* A text that looks like a hash would pass for one, and nobody would look at it again. */
        if (h->key && lethe_is_text_hash(text)) return emit_class(h, w, r, HASH);
        k->texts_kept++;
        if (h->counts) LETHE_TRY(h->out->count(h->out, w, text, c.at_least));
        return emit_class(h, w, r, KEEP);
    }
    if (c.at_most >= h->t) {
        assert(h->again && r->keyed); // with one text, or by rows, the count is exact
        return emit_class(h, w, r, COUNT_AGAIN);
    }
    if (h->key) return emit_class(h, w, r, HASH);
    *dropped += c.rows;
    return LETHE_OK;
}

static lethe_err decide_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct threshold *h = arg;
    struct cursor r = {.it = it, .keyed = h->keyed};
    uint64_t dropped = 0;
    (void)i;
    for (next_row(&r); r.more;)
        LETHE_TRY(decide_class(h, w, &r, &dropped));
    LETHE_TRY(lethe_sorted_err(it));
    if (dropped > 0) h->out->drop(h->out, w, "rare query text", dropped);
    h->workers[w].rows_suppressed += dropped;
    return LETHE_OK;
}

/* --- the method --- */

static lethe_err threshold_open(struct threshold *h, bool hash, bool words)
{
    lethe_ctx *ctx = h->run->ctx;
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < h->n_workers; w++)
        h->workers[w].same.cap_bytes = (size_t)(h->run->memory_bytes / 16 / h->n_workers);
    // separate keys, so that hashes of classes and of single texts have nothing in common
    const char *label = words ? LETHE_WORDS_HASH : LETHE_QUERY_HASH;
    if (hash && lethe_secret_derive(h->run->key, label, &h->key) != LETHE_OK)
        return lethe_no_memory(ctx);
    if (words) {
        lethe_ctx_phase(ctx, "dictionary", 0);
        lethe_err err = lethe_wordnet_open_words(ctx, NULL, &h->wn);
        if (err == LETHE_EIO || err == LETHE_EINPUT)
            return lethe_fail(
                ctx, err, "--same words needs WordNet; --same exact counts each text by itself");
        LETHE_TRY(err);
    }
    bool again = words && h->by != BY_ROWS; // rows are counted exactly the first time
    bool clicks = !h->counts && h->run->urls != LETHE_URL_NONE &&
                  lethe_count_of(h->run->values, "clicks") == CLICKS_THRESHOLD;
    uint64_t bytes = h->run->memory_bytes, few = again ? bytes / 4 : 0,
             more = clicks ? bytes / 4 : 0;
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes - few - more, &h->rows));
    if (clicks) LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, more, &h->clicks));
    return again ? lethe_sorter_new(ctx, LETHE_ORDER_GROUP, few, &h->again) : LETHE_OK;
}

static void threshold_close(struct threshold *h)
{
    lethe_sorter_free(h->rows);
    lethe_sorter_free(h->again);
    lethe_sorter_free(h->clicks);
    lethe_secret_free(h->key);
    lethe_wordnet_free(h->wn);
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        lethe_buf_free(&h->workers[w].record);
        lethe_buf_free(&h->workers[w].text);
        lethe_buf_free(&h->workers[w].host);
        lethe_buf_free(&h->workers[w].click);
        lethe_same_words_free(&h->workers[w].same);
    }
    lethe_free(h->workers);
}

static lethe_err set_figures(const struct threshold *h)
{
    struct worker all = {0};
    lethe_json_doc *doc = h->out->doc;
    for (unsigned w = 0; w < h->n_workers; w++) {
        all.rows_kept += h->workers[w].rows_kept;
        all.rows_hashed += h->workers[w].rows_hashed;
        all.rows_suppressed += h->workers[w].rows_suppressed;
        all.texts_kept += h->workers[w].texts_kept;
        all.clicks_dropped += h->workers[w].clicks_dropped;
    }
    lethe_set_count(doc, h->out->metrics, "rows_kept", all.rows_kept);
    lethe_set_count(doc, h->out->metrics, "rows_hashed", all.rows_hashed);
    lethe_set_count(doc, h->out->metrics, "rows_suppressed", all.rows_suppressed);
    lethe_set_count(doc, h->out->metrics, "queries_kept", all.texts_kept);
    lethe_set_count(doc, h->out->metrics, "clicks_dropped", all.clicks_dropped);
    if (all.rows_kept + all.rows_hashed == 0)
        return lethe_fail(h->run->ctx, LETHE_ANSWER_NO,
                          "no query text has %llu %s: nothing is left to publish",
                          (unsigned long long)h->t, by_names[h->by]);
    return lethe_json_failed(doc) ? lethe_no_memory(h->run->ctx) : LETHE_OK;
}

static lethe_err threshold_log(struct threshold *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = sort_row, .arg = h}));
    lethe_ctx_phase(ctx, "texts", lethe_sorter_count(h->rows));
    h->keyed = h->wn != NULL;
    LETHE_TRY(lethe_sorter_each(h->rows, decide_part, h));
    if (h->again && lethe_sorter_count(h->again) > 0) {
        lethe_ctx_phase(ctx, "texts again", lethe_sorter_count(h->again));
        h->keyed = false;
        LETHE_TRY(lethe_sorter_each(h->again, decide_part, h));
    }
    if (h->clicks) {
        lethe_ctx_phase(ctx, "clicks", lethe_sorter_count(h->clicks));
        LETHE_TRY(lethe_sorter_each(h->clicks, click_part, h));
    }
    return set_figures(h);
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    struct threshold h = {.run = run,
                          .out = out,
                          .t = (uint64_t)lethe_count_of(run->values, "t"),
                          .by = (enum by)lethe_count_of(run->values, "by"),
                          .counts = lethe_count_of(run->values, "as") == AS_COUNTS,
                          .n_workers = lethe_ctx_threads(run->ctx)};
    lethe_err err = threshold_open(&h, lethe_count_of(run->values, "rare") == RARE_HASH,
                                   lethe_count_of(run->values, "same") == SAME_WORDS);
    if (err == LETHE_OK) err = threshold_log(&h, in->log);
    threshold_close(&h);
    return err;
}

/* --- promise and caveats --- */

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    if (lethe_count_of(v, "as") != AS_COUNTS || lethe_count_of(v, "rare") != RARE_HASH)
        return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE,
                      "--rare hash does not apply to --as counts: a hash stands for the text of a "
                      "row, and no rows are published");
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    bool counts = lethe_count_of(v, "as") == AS_COUNTS;
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", counts ? "counted-threshold" : "query-threshold");
    lethe_json_set(doc, c, "t", lethe_json_new_int(doc, lethe_count_of(v, "t")));
    lethe_set_text(doc, c, "by", by_names[lethe_count_of(v, "by")]);
    if (lethe_count_of(v, "rare") == RARE_HASH) lethe_set_text(doc, c, "rare", "hash");
    if (!counts && lethe_count_of(v, "clicks") == CLICKS_THRESHOLD)
        lethe_set_text(doc, c, "clicked", "threshold");
    lethe_json_push(doc, out, c);
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = 0;
    bool counts = lethe_count_of(v, "as") == AS_COUNTS;
    if (!counts) {
        out[n++] = "Common queries can identify a person when they are combined, as AOL's user "
                   "4417749 was found; a threshold looks at each text alone (Adar, section 6).";
        out[n++] = "Times and clicks remain, as precisely as they are published, and may reveal "
                   "who asked.";
        if (lethe_count_of(v, "clicks") != CLICKS_THRESHOLD)
            out[n++] = "--clicks all: an address that one person alone clicked is published, and "
                       "may be that person's own.";
    }
    if (lethe_count_of(v, "by") != BY_USERS)
        out[n++] = "--by queries or rows: one person who repeats a text is enough to have it "
                   "published.";
    if (lethe_count_of(v, "rare") == RARE_HASH)
        out[n++] = "--rare hash: anyone who holds the key and guesses a text can confirm it and "
                   "see who issued it; equal hidden texts link the users who issued them, and "
                   "their frequency may reveal them.";
    if (lethe_count_of(v, "same") == SAME_WORDS) {
        out[n++] = "--same words: enough users issued the words of a published text, as WordNet "
                   "reduces them (its list of irregular plurals takes cola for one of colon); "
                   "fewer of them, perhaps only one, typed that very text, and its word order and "
                   "signs are then that user's own.";
        out[n++] = counts ? "--same words: the count of a text is that of all texts with the same "
                            "words, in any order, singular or plural, and with any signs."
                          : "--same words: rows carry the most common of the texts that have the "
                            "same "
                            "words, not what was typed: word order, singular or plural, and signs "
                            "between the words may differ.";
    }
    return n;
}

static const char *const caveats[] = {
    "A text that enough users issued may still name a person.",
    "Several accounts of one person count as several users.",
    "Two releases of the same or an overlapping log can be compared, and their difference may show "
    "what neither shows alone.",
    NULL,
};

/* --- the descriptor --- */

// clang-format off
static const lethe_option options[] = {
    {.name = "t", .letter = 't', .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "5", .min = 1,
     .max = 1e9,
     .help = "publish query texts that have at least N users (or queries, or rows)"},
    {.name = "by", .type = LETHE_OPT_CHOICE, .arg = "users|queries|rows", .fallback = "users",
     .help = "what to count; queries are counted as published: queries of one user with the same "
             "text count once per published time, so once per day with --time day, and once in "
             "all with --time drop"},
    {.name = "rare", .type = LETHE_OPT_CHOICE, .arg = "drop|hash", .fallback = "drop",
     .help = "leave out rows of rarer texts, or publish them without the click and with a keyed "
             "hash of the text, equal for texts that count as one"},
    {.name = "same", .type = LETHE_OPT_CHOICE, .arg = "exact|words", .fallback = "words",
     .help = "which texts count as one: only equal texts (after normalization), or all texts "
             "with the same words in any order and number, published as the most common of them; "
             "words needs WordNet"},
    {.name = "as", .type = LETHE_OPT_CHOICE, .arg = "log|counts", .fallback = "log",
     .help = "what to publish: the rows of these texts, or each text with the number of its users "
             "(or queries, or rows), without users, times and clicks"},
    {.name = "clicks", .type = LETHE_OPT_CHOICE, .arg = "threshold|all", .fallback = "threshold",
     .help = "publish a clicked address (as --urls shows it) only where at least N users (or "
             "queries, or rows) clicked it, of those whose text is published; or every one"},
    {.name = NULL},
};
// clang-format on

static const lethe_figure figures[] = {
    {"rows_kept", "rows published with their text, or counted", 1, .source = LETHE_FIGURE_RELEASE,
     .label = "rows with their text"},
    {"rows_hashed", "rows published with a hash of their text", 0, .source = LETHE_FIGURE_RELEASE,
     .label = "rows with a hash of their text"},
    {"rows_suppressed", "rows left out because their text is too rare", .better = -1,
     .label = "rows whose text is too rare"},
    {"queries_kept", "distinct query texts published", 1, .source = LETHE_FIGURE_RELEASE,
     .label = "distinct texts published"},
    {"clicks_dropped", "clicks left out because too few clicked the address", .better = -1,
     .label = "clicks whose address is too rare"},
    {.name = NULL},
};

const lethe_method lethe_method_threshold = {
    .name = "threshold",
    .summary = "publish only query texts that enough people issued",
    .description =
        "Keeps the rows whose query text was issued by at least N users. The others are left out, "
        "or published with a keyed hash in place of the text. Most query texts are issued once, "
        "and among these are nearly all that point to one person: names, addresses, numbers. Most "
        "of what many people ask remains.\n"
        "\n"
        "Users are the persons of the input, whatever names an earlier step has given them. With "
        "--by queries, queries are counted as the release will show them: only published times "
        "distinguish a user's queries with one text, so with --time day those of one day count "
        "once, and with --time drop a user counts once in all. With --by rows every line counts.\n"
        "\n"
        "Texts that have the same words count together, regardless of the order of the words, of "
        "singular or plural (as WordNet reduces nouns), and of signs and spaces between them: red "
        "cars, car red and \"red\" cars! are one. All their rows are published with the most "
        "common of these texts: the one that most users issued, then the shortest, then the first "
        "in order of bytes. A mask left by scrub, such as [email], is a word of its own. A text "
        "without any letter or digit equals no other. With --same exact only equal texts count "
        "together, no row changes its text, and no dictionary is needed.\n"
        "\n"
        "A clicked address is published only where at least N users clicked it: the host with "
        "--urls host, the URL with keep and id. Only clicks of published texts count, so that the "
        "published file shows as many. With --by queries or rows, N queries or rows with that "
        "address are enough; queries are told apart by user, text and published time. A row whose "
        "address has too few stays, without address and rank, although it may then equal another "
        "row of its user. A later step that leaves out rows or clicks (scrub, disconnect) could "
        "break that promise, and cannot follow unless --clicks is all.\n"
        "\n"
        "With --rare hash a rare text is replaced by # and 32 hexadecimal digits, the same ones "
        "wherever it occurs, and the same for all texts that count together. The rows keep user "
        "and time but lose rank and URL, which would reveal the text. A text that has this form "
        "itself is hashed however common it is. The hash is keyed: without the key (see "
        "--key-file) texts cannot be tried.\n"
        "\n"
        "With --as counts no rows are published, but each text that would be, with the number of "
        "its users (or with --by its queries or rows; with --same words those of all texts that "
        "count with it): see lethe-release(5). A user's lines with one text and time, as they were "
        "read, are one query. The promise is then counted-threshold. The counts are counted again "
        "from the rows before the release appears; whoever has the release alone cannot see that "
        "they are true.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 5",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG | LETHE_SHAPE_COUNTS,
    .carries = true,
    .options = options,
    .validate = validate,
    .figures = figures,
    .notion = "query-threshold",
    .claims = claims,
    .sweep = "t",
    .good_for = {[LETHE_GOAL_SESSIONS] = 1, [LETHE_GOAL_CLICKS] = 3, [LETHE_GOAL_COUNTS] = 3},
    .keeps = "the queries that many people asked, as typed, with pseudonym, day and clicked site",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe threshold log.tsv.gz -t 5 -o release/",
    .run = run,
};
